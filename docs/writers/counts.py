"""Counts compared with numbers from elsewhere: published ones, public files, derived formulas."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from docs.writers.blocks import DOCS, place
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.formulas.models import Published
from paramproof.views.conventions import DEFAULT, Verdict
from paramproof.views.formula import summand_lines
from paramproof.views.published import (
    every_named_model,
    published_active_table,
    published_table,
    verdict_on,
)
from paramproof.views.table import markdown, markdown_rows

if TYPE_CHECKING:
    from sweep.samples.public_configs import PublicResult

KINDS = ("exact", "exact, under a convention", "rounded or cut off", "none")

DERIVED = DOCS / "derived.json"

NAMES = """
    bert roberta albert electra distilbert mpnet modernbert
    gpt2 gpt_neo gpt_neox gptj opt bloom phi3
    llama mistral mixtral qwen3 gemma2 olmo2 cohere granite smollm3
    deepseek_v3 olmoe glm4_moe mamba t5 whisper vit
"""
TYPES = tuple(NAMES.split())
"""The types whose base model docs/derived.md shows."""


def kind(said: Verdict, one: Published) -> str:
    """Return which of ``KINDS`` a verdict is."""
    if not said.conventions:
        return KINDS[3]
    if said.how != "exact":
        return KINDS[2]
    return KINDS[0] if said.conventions[0] in (DEFAULT, one.component) else KINDS[1]


@place("named models", "published")
def _number() -> str:
    return str(len(every_named_model()))


@place("verdicts", "published")
def _verdicts() -> str:
    counted = Counter(kind(verdict_on(*pair), pair[0]) for pair in every_named_model())
    return markdown_rows(("verdict", "models"), ((what, str(counted[what])) for what in KINDS))


@place("total", "published")
def _total() -> str:
    shown = ("model", "class", "parameters", "published", "verdict")
    return markdown(published_table(every_named_model(), *shown))


@place("active", "published")
def _active() -> str:
    shown = ("model", *ACTIVE_CONVENTIONS, "published", "verdict")
    return markdown(published_active_table(every_named_model()).only(*shown))


@place("sources", "published")
def _sources() -> str:
    rows = []
    for one, _ in every_named_model():
        active = f"; active: {one.active_source}" if one.active_source else ""
        rows.append((one.name, f"{one.source}{active}", one.config))
    return markdown_rows(("model", "published in", "sizes from"), rows)


@cache
def public() -> tuple[PublicResult, ...]:
    """Return the results of all public configurations, without building any."""
    from sweep.samples.public_configs import count_configs

    return tuple(count_configs(()))


def measure_public() -> None:
    """Build every public configuration. Raises ``ValueError`` if a count differs."""
    from sweep.samples.public_configs import count_configs

    if apart := [f"{one.source}: {one.mismatch}" for one in count_configs() if one.mismatch]:
        raise ValueError("; ".join(apart))


@place("all", "public-configurations", needs=("transformers",))
def _all() -> str:
    return f"{len(public()):,}"


@place("model types", "public-configurations", needs=("transformers",))
def _model_types() -> str:
    return str(len({one.model_type for one in public()}))


@place("configurations", "public-configurations", needs=("transformers",))
def _configurations() -> str:
    reasons = Counter(one.reason for one in public() if one.reason).most_common()
    rows = {
        "configurations": len(public()),
        "counted, each equal to transformers": sum(one.parameters is not None for one in public()),
        **{f"refused: {reason}": number for reason, number in reasons},
    }
    return markdown_rows(["", ""], ([k, f"{n:,}"] for k, n in rows.items()), ["---", "---:"])


@place("refused", "public-configurations", needs=("transformers",))
def _refused() -> str:
    return "\n".join(_reasons())


def _reasons() -> Iterator[str]:
    for reason, _ in Counter(one.reason for one in public() if one.reason).most_common():
        said = Counter((one.model_type, one.why) for one in public() if one.reason == reason)
        yield f"\n### {reason.capitalize()}\n"
        for (model_type, why), number in sorted(said.items(), key=lambda one: (-one[1], one[0])):
            what = why.removeprefix(f"{model_type}: ") or "its classes are unknown"
            yield f"- {number}, `{model_type}`: {what}"


def measure_derived() -> None:
    """Derive the types of docs/derived.md anew, and write the data."""
    from paramproof.derivation.pipeline import derive
    from paramproof.tracing.constructors.transformers_class import transformers_constructor

    data = {name: derivation_data(derive(transformers_constructor(name))) for name in TYPES}
    for one in data.values():
        # They are paths of the machine on which the formulas were derived.
        del one["places"]
    DERIVED.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def derived() -> dict[str, Derivation]:
    found: dict[str, Any] = json.loads(DERIVED.read_text("utf-8"))
    return {name: derivation_from(one) for name, one in found.items()}


@place("types", "derived")
def _derivations() -> str:
    headings = ("type", "parameters", "formula", "guards", "status", "builds", "held-out", "s")
    rows = (
        (
            name,
            f"{one.count(one.sizes):,}",
            " ".join(line.strip() for line in summand_lines(one)),
            "; ".join(str(stated.condition) for stated in one.conditions),
            one.status,
            str(one.evidence.traces + one.evidence.builds),
            str(one.held),
            f"{one.evidence.seconds:.1f}",
        )
        for name, one in derived().items()
    )
    return markdown_rows(headings, rows)
