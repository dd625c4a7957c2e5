"""docs/derived.md: the derived formulas of model types of Hugging Face transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.views.formula import grouped
from paramproof.views.table import markdown_rows

PAGE = ROOT / "docs" / "derived.md"
RESULTS = ROOT / "docs" / "derived.json"

NAMES = """
    bert roberta albert electra distilbert mpnet modernbert
    gpt2 gpt_neo gpt_neox gptj opt bloom phi3
    llama mistral mixtral qwen3 gemma2 olmo2 cohere granite smollm3
    deepseek_v3 olmoe glm4_moe mamba t5 whisper vit
"""
TYPES = tuple(NAMES.split())
"""The types whose base model the page shows."""

TEXT = """\
# Derived formulas

The results of `paramproof derive TYPE` for {number} model types of Hugging Face transformers
{versions}. Each section shows the base model at the type's default sizes, the formula of its
trainable parameters, and the guards of the formula. No formula on this page was written by hand.
[derive.md](derive.md) explains how formulas are derived, and what "proved" means.

{summary}

The column "held-out" has the number of models, made at other sizes, that validated the formula. To
derive the formula of your own configuration, run `paramproof derive config.json`.
{sections}"""

SECTION = """
## {name}

{what}, {parameters} parameters at {sizes}.

{formula}

Holds where {conditions}. {status}; {evidence}.
"""


def measured() -> dict[str, Derivation]:
    """Derive every type."""
    from paramproof.derivation.pipeline import derive
    from paramproof.tracing.constructors.transformers_class import transformers_constructor

    return {name: derive(transformers_constructor(name)) for name in TYPES}


def known() -> dict[str, Derivation]:
    """Return the stored derivations."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return {name: derivation_from(one) for name, one in found.items()}


def render(derivations: Mapping[str, Derivation]) -> str:
    """Return the page about ``derivations``."""
    versions = next(iter(derivations.values())).versions
    headings = ("type", "parameters", "terms", "conditions", "status", "builds", "held-out", "s")
    rows = (
        (
            f"[{name}](#{name})",
            f"{one.count(one.sizes):,}",
            str(sum(line.count(" + ") + 1 for line in grouped(one))),
            str(len(one.conditions)),
            one.status,
            str(one.evidence.traces + one.evidence.builds),
            str(one.held),
            f"{one.evidence.seconds:.1f}",
        )
        for name, one in derivations.items()
    )
    return TEXT.format(
        number=len(derivations),
        versions=versions["transformers"],
        summary=markdown_rows(headings, rows),
        sections="".join(_section(name, one) for name, one in derivations.items()),
    )


def _section(name: str, one: Derivation) -> str:
    moving = set(one.formula.letters)
    sizes = ", ".join(f"{key} = {size:,}" for key, size in one.sizes.items() if key in moving)
    legend = ", ".join(f"{key} `{path}`" for key, path in one.fields.items() if key in moving)
    guards = list(map(str, one.irrelevant_guards))
    reasons = f" ({'; '.join(one.reasons)})" if one.reasons else ""
    where = f" where {' and '.join(guards)}, fitted elsewhere" if guards and not reasons else ""
    return SECTION.format(
        name=name,
        what=one.name,
        parameters=f"{one.count(one.sizes):,}",
        sizes=sizes,
        formula="\n".join(f"    {line}" for line in grouped(one)) + f"\n\n{legend}.",
        conditions="; ".join(str(stated.condition) for stated in one.conditions)
        or "sizes are 1 or more",
        status=one.status.capitalize() + where + reasons,
        evidence=f"traced {one.evidence.traces} times, validated on {one.held} held-out models",
    )


def write() -> None:
    """Derive every type anew, and write the page and its data."""
    derivations = measured()
    data = {name: derivation_data(one) for name, one in derivations.items()}
    for one in data.values():
        # They are paths of the machine on which the formulas were derived.
        del one["places"]
    RESULTS.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(render(derivations), "utf-8")
