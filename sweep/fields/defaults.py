"""Defaults of absent or null sizes in transformers: a number, or a formula of other sizes.

A configuration also computes fields that a file can override: Mamba's ``intermediate_size`` is
``expand * hidden_size``, kept beside its fields, and Mimi's ``frame_rate`` is a property.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

from transformers import PreTrainedConfig

from paramproof.formulas.expression import Expression, expression, letter, text
from paramproof.formulas.path import leaf, parent
from paramproof.tracing.constructors.transformers_class import LABELS, make_readable
from paramproof.tracing.instrumented.code_swap import patched_modules
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symint import SymInt
from sweep.library.keys import set_key
from sweep.library.model import attribute_at, attribute_or_none, full_keys, sub_configs
from sweep.library.refusal import Attempt
from sweep.library.seed_values import seed_config

MODULES = ("transformers.models", "transformers.configuration_utils")


class _Omission(NamedTuple):
    """The letters that a configuration lacks, ``without``; one of them, ``name``, is looked at.

    If ``null``, its field is null. If ``in_part``, its part is given and only the field is absent.
    """

    name: str = ""
    without: Set[str] = frozenset()
    null: bool = False
    in_part: bool = False


NOTHING = _Omission()


class Defaults:
    """The defaults of a type's sizes; ``fields`` maps letters to fields.

    ``counted`` are the letters in some tensor's shape. ``where`` has values of other fields, for
    which the defaults hold.
    """

    def __init__(
        self,
        config_class: type[PreTrainedConfig],
        fields: Mapping[str, str],
        points: Sequence[Mapping[str, int]],
        counted: Set[str] = frozenset(),
        where: Mapping[str, Any] | None = None,
    ) -> None:
        self.config_class = config_class
        self.start = seed_config(config_class)
        own = {
            name: _size_at(self.start, field) if field != LABELS else 2
            for name, field in fields.items()
        }
        larger = [{name: size * n for name, size in own.items()} for n in (1, 2, 3)]
        self.fields, self.points = fields, [*points, *larger]
        self.counted, self.where = counted, dict(where or {})

    def when_absent(self, name: str) -> Expression | None:
        """Return the default of a letter whose field is absent, with the part that contains it."""
        if name in self.counted and self.is_overwritten(name):
            # The configuration overwrites the field after it has built the model from it.
            own = class_default(self.start, self.fields[name])
            return expression(own) if type(own) is int else None
        part = self.fields[name].partition(".")[0] if "." in self.fields[name] else ""
        left_out = {other for other, field in self.fields.items() if f"{part}." in field}
        return self.find(_Omission(name, {name, *(left_out if part else ())}))

    def in_given_part(self, name: str) -> Expression | None:
        """Return the default of a letter whose field is absent from a part that is given."""
        return self.find(_Omission(name, {name}, in_part=True))

    def when_null(self, name: str) -> Expression | None:
        omission = _Omission(name, {name}, null=True)
        return self.find(omission) if "[" not in self.fields[name] else None

    def find(self, omission: _Omission) -> Expression | None:
        """Return the size of an omitted letter, or None if its formula is complex."""
        field = self.fields[omission.name]
        found = self.expressions_at_points(field, omission)
        if not found or len(set(found)) > 1:
            return None
        if len(found) < 2 and (omission.null or found[0] != class_default(self.start, field)):
            return None
        default = found[0]
        return default if default != letter(omission.name) else None

    def formula_of(self, path: str) -> Expression | None:
        """Return the formula by which the configuration computes a field, or None if complex."""
        found = self.expressions_at_points(path)
        return found[0] if found and len(found) > 1 and len(set(found)) == 1 else None

    def varies(self, path: str) -> bool:
        """Return whether a field has other values at other sizes."""
        own = attribute_at(self.start, path)
        return any(value != own for _, value in self.values_at_points(path))

    def is_overwritten(self, name: str) -> bool:
        """Return whether a configuration replaces the size that it is given in a field.

        It may keep the given size elsewhere, as Bailing does with its ``head_dim``, or drop it.
        """
        return any(kept != point[name] for point, kept in self.values_at_points(self.fields[name]))

    def values_at_points(self, path: str) -> Iterator[tuple[Mapping[str, int], Any]]:
        """Yield the value of a field with all sizes given, at each point that is not refused."""
        for point in self.points:
            with Attempt() as attempt:
                value = attribute_at(self.config(point), path)
            if not attempt.refusal:
                yield point, value

    def expressions_at_points(
        self, path: str, omission: _Omission = NOTHING
    ) -> list[Expression] | None:
        """Return the formula of a field at each point, or None if one could not be traced."""
        found: list[Expression] = []
        values = self.traced_values(path, omission)
        for point, value in zip(self.points, values, strict=True):
            if not isinstance(value, int | float):
                continue
            with Attempt():
                plain = attribute_at(self.config(point, omission), path)
                one = getattr(value, "expression", None)
                default = one if one is not None else expression(int(value))
                if type(plain) is not int or plain != default.evaluate(dict(point)):
                    return None
                found.append(default)
        return found

    def traced_values(self, path: str, omission: _Omission) -> list[Any]:
        """Return the symbolic value of a field at each point, or None if that is refused."""
        values: list[Any] = []
        for point in self.points:
            plain = partial(self.config, point, omission)
            with Attempt(plain) as attempt, patched_modules(MODULES), recording(), _unprinted():
                config = plain(remembering=True)
            values.append(None if attempt.refusal else attribute_or_none(config, path))
        return values

    def config(
        self,
        point: Mapping[str, int],
        omission: _Omission = NOTHING,
        remembering: bool = False,
    ) -> PreTrainedConfig:
        """Return the type's configuration at a point, without some of its letters."""
        name, without = omission.name, omission.without
        lists = {self.fields[one].partition("[")[0] for one in without if "[" in self.fields[one]}
        values: dict[str, Any] = {
            field: SymInt(point[one], letter(one))
            if remembering and field != LABELS
            else point[one]
            for one, field in self.fields.items()
            if one in point and one not in without and field.partition("[")[0] not in lists
        }
        values |= self.where
        if omission.null:
            values[self.fields[name]] = None
        keys = full_keys(self.start, values)
        if omission.in_part:
            part = parent(self.fields[name])
            for path, config in sub_configs(self.start):
                if path == part:
                    # A file gives the part without the values that its parent would add.
                    own = {f: v for f, v in values.items() if f.startswith(f"{path}.")}
                    keys = full_keys(self.start, values) | _bare_part(path, config, own)
        return make_readable(self.config_class(**keys))


def _unprinted() -> Any:
    """Let configurations print without their values, since JSON cannot write symbolic sizes.

    transformers prints the configuration of a backbone for its log, even if nothing is logged.
    """
    return patch.object(PreTrainedConfig, "__repr__", object.__repr__)


def class_default(start: PreTrainedConfig, field: str) -> Any:
    part, _, own = field.rpartition(".")
    kind = type(attribute_at(start, part))
    return next((one.default for one in dataclasses.fields(kind) if one.name == own), None)


def _size_at(start: PreTrainedConfig, field: str) -> int:
    try:
        return attribute_at(start, field) or 8
    except KeyError:
        return 8


def _bare_part(path: str, config: PreTrainedConfig, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a part that a file gives with its own values alone."""
    keys: dict[str, Any] = {}
    set_key(keys, f"{path}.model_type", config.model_type)
    for field, value in own.items():
        set_key(keys, field, value)
    return keys


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
