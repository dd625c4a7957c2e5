"""docs/derived.md: the derived formulas of model types of Hugging Face transformers."""

from __future__ import annotations

import json
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.tables.markdown import markdown_rows

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


def measured() -> dict[str, Any]:
    """Derive every type; return the data of the page."""
    from paramproof.derivation.pipeline import derive
    from paramproof.tracing.constructors.transformers_class import transformers_constructor

    found = {}
    for name in TYPES:
        found[name] = entry(derive(transformers_constructor(name)))
    return found


def entry(derivation: Any) -> dict[str, Any]:
    """Return the data of one derivation."""
    from paramproof.counting.derivation_text import formula_lines

    moving = set(derivation.formula.letters)
    conditions = [str(stated.condition) for stated in derivation.conditions]
    evidence = derivation.evidence
    return {
        "model": derivation.name,
        "formula": list(formula_lines(derivation))[1:],
        "parameters": derivation.count(derivation.sizes),
        "sizes": {n: v for n, v in derivation.sizes.items() if n in moving},
        "fields": {n: f for n, f in derivation.fields.items() if n in moving},
        "conditions": conditions,
        "status": derivation.status,
        "reasons": list(derivation.reasons),
        "harmless": list(map(str, derivation.irrelevant_guards)),
        "traces": evidence.traces,
        "builds": evidence.builds,
        "held": evidence.held,
        "seconds": evidence.seconds,
        "versions": dict(evidence.versions),
    }


def known() -> dict[str, Any]:
    """Return the stored data."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def render(entries: dict[str, Any]) -> str:
    """Return the page about ``entries``."""
    versions = next(iter(entries.values()))["versions"]
    headings = ("type", "parameters", "terms", "conditions", "status", "builds", "held-out", "s")
    rows = (
        (
            f"[{name}](#{name})",
            f"{one['parameters']:,}",
            str(sum(line.count(" + ") + 1 for line in one["formula"][:-1])),
            str(len(one["conditions"])),
            one["status"],
            str(one["traces"] + one["builds"]),
            str(one["held"]),
            f"{one['seconds']:.1f}",
        )
        for name, one in entries.items()
    )
    return TEXT.format(
        number=len(entries),
        versions=versions["transformers"],
        summary=markdown_rows(headings, rows),
        sections="".join(_section(name, one) for name, one in entries.items()),
    )


def _section(name: str, one: dict[str, Any]) -> str:
    sizes = ", ".join(f"{letter} = {value:,}" for letter, value in one["sizes"].items())
    legend = ", ".join(f"{letter} `{field}`" for letter, field in one["fields"].items())
    reasons = f" ({'; '.join(one['reasons'])})" if one["reasons"] else ""
    where = f" where {' and '.join(one['harmless'])}, fitted elsewhere"
    where = where if one["harmless"] and not one["reasons"] else ""
    return SECTION.format(
        name=name,
        what=one["model"],
        parameters=f"{one['parameters']:,}",
        sizes=sizes,
        formula="\n".join(f"    {line}" for line in one["formula"][:-1]) + f"\n\n{legend}.",
        conditions="; ".join(one["conditions"]) or "sizes are 1 or more",
        status=one["status"].capitalize() + where + reasons,
        evidence=f"traced {one['traces']} times, validated on {one['held']} held-out models",
    )


def write() -> None:
    """Derive every type anew, and write the page and its data."""
    entries = measured()
    RESULTS.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(render(entries), "utf-8")
