"""Counts compared with numbers from elsewhere: published ones, and those of public files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from docs.writers.blocks import place
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.models import Published
from paramproof.views.conventions import DEFAULT, Verdict
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
