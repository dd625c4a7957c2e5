"""Fields that a configuration computes, and that take the place of what it computed where given.

Mamba's ``intermediate_size`` is ``expand * hidden_size``, kept beside its fields, and Mimi's
``frame_rate`` a property; a file that says otherwise is right.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from transformers import PreTrainedConfig

from paramproof.formulas.notation import text
from paramproof.formulas.path import leaf, parent
from sweep.defaults import Defaults, class_default
from sweep.model import attribute_at, attribute_or_none, full_keys


def computed_formulas(defaults: Defaults, paths: Iterable[str]) -> tuple[dict[str, str], set[str]]:
    """Return the computed fields of these that move with sizes: formulas, and those with none."""
    formulas: dict[str, str] = {}
    others: set[str] = set()
    for path in paths:
        if is_computed(defaults.start, path) and defaults.varies(path):
            formula = defaults.formula_of(path)
            if formula is None:
                others.add(path)
            else:
                formulas[path] = text(formula)
    return formulas, others


def variant_overrides(
    defaults: Defaults, known: Mapping[str, str], decides: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Return what is computed otherwise where these ``defaults`` are, as a variant has it.

    ``computed`` are formulas in place of those ``known``, "" where none is known. ``follows`` are
    those of the fields that decide: T5's ``is_gated_act`` is what its ``feed_forward_proj`` says.
    """
    here = {path: defaults.formula_of(path) for path in known}
    formulas = {path: "" if one is None else text(one) for path, one in here.items()}
    start = defaults.start
    there = type(start)(**full_keys(start, defaults.where))
    values = {path: attribute_at(there, path) for path in decides if is_computed(start, path)}
    found = {
        "computed": {path: one for path, one in formulas.items() if one != known[path]},
        "follows": {path: one for path, one in values.items() if one != attribute_at(start, path)},
    }
    return {key: one for key, one in found.items() if one}


def overwritten_sizes(defaults: Defaults, paths: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Return the sizes of these that a class fills in for a number, which is what stands there.

    ERNIE's ``moe_layer_end_index`` is −1 in the class, and that of the last layer in a model: with
    other layers another number. The formula is "" if none was found.
    """
    found = {}
    for path in paths:
        there, own = attribute_or_none(defaults.start, path), class_default(defaults.start, path)
        if type(there) is int and type(own) is int and there != own and defaults.varies(path):
            formula = defaults.formula_of(path)
            found[path] = own, "" if formula is None else text(formula)
    return found


def is_computed(start: PreTrainedConfig, path: str) -> bool:
    """Whether a configuration has something there that is no field of its class."""
    try:
        attribute_at(start, path)
    except KeyError:
        return False
    part = attribute_at(start, parent(path))
    return leaf(path) not in {one.name for one in dataclasses.fields(part)}
