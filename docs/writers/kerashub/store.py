"""The derivations of KerasHub's backbones as stored in ``docs/kerashub.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import (
    derivation_data,
    derivation_from,
    parse_tensors,
    tensors_data,
)

RESULTS = ROOT / "docs" / "kerashub.json"

KEPT = (
    *("name", "sizes", "tensors", "conditions", "messages"),
    *("fixed", "harmless", "doubts", "evidence"),
)
"""The keys of a derivation that are stored: Keras's letters are its arguments."""


def known() -> dict[str, Any]:
    """Return the stored derivations, by backbone."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def written(derivation: Derivation) -> dict[str, Any]:
    """Return a derivation as JSON, without marks: every shape and number in Keras is fitted."""
    own = (one for one in derivation.tensors if one.role != "buffer")
    tensors = tensors_data(replace(one, traced=True, looped=True) for one in own)
    data = {**derivation_data(derivation), "tensors": tensors}
    return {key: data[key] for key in KEPT}


def derivation_in(data: Mapping[str, Any]) -> Derivation:
    """Return the derivation that ``written`` wrote, without any traced shapes."""
    tensors = (replace(o, traced=False, looped=False) for o in parse_tensors(data["tensors"]))
    return derivation_from({**data, "fields": {name: name for name in data["sizes"]}}, tensors)
