"""Fields that a configuration computes, but that a file can override.

Mamba's ``intermediate_size`` is ``expand * hidden_size``, kept beside its fields, and Mimi's
``frame_rate`` is a property. A file may give either.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from transformers import PreTrainedConfig

from paramproof.formulas.notation import text
from paramproof.formulas.path import leaf, parent
from sweep.fields.defaults import Defaults, class_default
from sweep.library.model import attribute_at, attribute_or_none, full_keys


def computed_formulas(defaults: Defaults, paths: Iterable[str]) -> tuple[dict[str, str], set[str]]:
    """Return the formulas of computed fields that depend on sizes, and the fields without one."""
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
    """Return what these ``defaults`` of a variant compute differently.

    ``computed`` has formulas that replace those in ``known``, "" where none was found. ``follows``
    has the values of selecting fields that follow from others: T5's ``is_gated_act`` follows from
    ``feed_forward_proj``.
    """
    here = {path: defaults.formula_of(path) for path in known}
    formulas = {path: "" if one is None else text(one) for path, one in here.items()}
    start = defaults.start
    config = type(start)(**full_keys(start, defaults.where))
    values = {path: attribute_at(config, path) for path in decides if is_computed(start, path)}
    overrides = {
        "computed": {path: one for path, one in formulas.items() if one != known[path]},
        "follows": {path: one for path, one in values.items() if one != attribute_at(start, path)},
    }
    return {key: one for key, one in overrides.items() if one}


def overwritten_sizes(defaults: Defaults, paths: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Return the sizes that a class computes if they have its default number.

    ERNIE's ``moe_layer_end_index`` is −1 in the class, and the index of the last layer in a model.
    The result has the class's number and the formula, which is "" if none was found.
    """
    found = {}
    for path in paths:
        value, own = attribute_or_none(defaults.start, path), class_default(defaults.start, path)
        if type(value) is int and type(own) is int and value != own and defaults.varies(path):
            formula = defaults.formula_of(path)
            found[path] = own, "" if formula is None else text(formula)
    return found


def is_computed(start: PreTrainedConfig, path: str) -> bool:
    """Return whether a configuration has an attribute that is not a field of its class."""
    try:
        attribute_at(start, path)
    except KeyError:
        return False
    part = attribute_at(start, parent(path))
    return leaf(path) not in {one.name for one in dataclasses.fields(part)}
