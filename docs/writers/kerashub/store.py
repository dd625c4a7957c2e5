"""The derivations of KerasHub's backbones as stored in ``docs/kerashub.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.formulas.derivation import (
    Consequence,
    Derivation,
    DerivedTensor,
    Evidence,
    Outcome,
    StatedCondition,
)
from paramproof.formulas.notation import text
from paramproof.formulas.parsing import condition_in, expression_in

RESULTS = ROOT / "docs" / "kerashub.json"


def known() -> dict[str, Any]:
    """Return the stored derivations, by backbone."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def written(derivation: Derivation) -> dict[str, Any]:
    """Return a derivation as JSON: a line for each tensor, with ``L × H, F`` after its path."""
    evidence = derivation.evidence
    return {
        "name": derivation.name,
        "sizes": dict(derivation.sizes),
        "trainable": list(_lines(derivation, "trainable")),
        "frozen": list(_lines(derivation, "frozen")),
        "conditions": {
            str(one.condition): [one.consequence.outcome.name, one.consequence.why]
            for one in derivation.conditions
        },
        "fixed": list(derivation.fixed),
        "harmless": list(map(str, derivation.irrelevant_guards)),
        "doubts": list(derivation.caveats),
        "traces": evidence.traces,
        "builds": evidence.builds,
        "held": evidence.held,
        "seconds": evidence.seconds,
        "versions": dict(evidence.versions),
    }


def _lines(derivation: Derivation, role: str) -> Iterator[str]:
    for one in derivation.tensors:
        if one.role == role:
            yield f"{one.path} {text(one.times)} × {', '.join(map(text, one.shape))}"


def derivation_in(data: Mapping[str, Any]) -> Derivation:
    """Return the derivation that ``written`` wrote, without any traced shapes."""
    tensors = []
    for role in ("trainable", "frozen"):
        for line in data[role]:
            path, _, rest = line.partition(" ")
            times, _, shape = rest.partition(" × ")
            lengths = tuple(map(expression_in, shape.split(", ") if shape else ()))
            times_made = expression_in(times)
            tensors.append(DerivedTensor(path, lengths, times_made, role, (), False, False))
    stated = (
        StatedCondition(condition_in(one), Consequence(Outcome[outcome], why))
        for one, (outcome, why) in data["conditions"].items()
    )
    evidence = Evidence(
        data["traces"], data["builds"], data["held"], data["seconds"], data["versions"]
    )
    return Derivation(
        data["name"],
        data["sizes"],
        {name: name for name in data["sizes"]},
        tuple(tensors),
        tuple(stated),
        fixed=tuple(data["fixed"]),
        inert=(),
        unread=(),
        unexplained=(),
        irrelevant_guards=tuple(map(condition_in, data["harmless"])),
        caveats=tuple(data["doubts"]),
        evidence=evidence,
    )
