"""The derivations of KerasHub's backbones as stored in ``docs/kerashub.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.catalogue.tensors import parse_tensors, tensors_data
from paramproof.formulas.derivation import (
    Consequence,
    Derivation,
    Evidence,
    Outcome,
    StatedCondition,
)
from paramproof.formulas.parsing import condition_in

RESULTS = ROOT / "docs" / "kerashub.json"


def known() -> dict[str, Any]:
    """Return the stored derivations, by backbone."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def written(derivation: Derivation) -> dict[str, Any]:
    """Return a derivation as JSON, with its tensors as the catalogue has them: ``L × H, F``."""
    own = (one for one in derivation.tensors if one.role != "buffer")
    evidence = derivation.evidence
    return {
        "name": derivation.name,
        "sizes": dict(derivation.sizes),
        "tensors": tensors_data(replace(one, traced=True, looped=True) for one in own),
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


def derivation_in(data: Mapping[str, Any]) -> Derivation:
    """Return the derivation that ``written`` wrote, without any traced shapes."""
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
        tuple(replace(one, traced=False, looped=False) for one in parse_tensors(data["tensors"])),
        tuple(stated),
        fixed=tuple(data["fixed"]),
        inert=(),
        unread=(),
        unexplained=(),
        irrelevant_guards=tuple(map(condition_in, data["harmless"])),
        caveats=tuple(data["doubts"]),
        evidence=evidence,
    )
