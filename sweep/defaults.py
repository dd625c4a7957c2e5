"""What transformers fills in where a size is absent or null: a number, or other sizes' letters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from transformers import PreTrainedConfig

from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.path import parent
from paramproof.tracing.constructors.transformers_class import LABELS, make_readable
from paramproof.tracing.patching import patched_modules
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symint import SymInt
from sweep.model import attribute_at, full_keys, set_key, sub_configs
from sweep.seed_values import seed_config

MODULES = ("transformers.models", "transformers.configuration_utils")


class Defaults:
    """The defaults of a type's sizes; ``fields`` are the fields by letter.

    ``counted`` are the letters that some tensor has; all is ``where`` other fields have values.
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
        """Return the default of a letter whose field is absent, with the part that it is in."""
        if name in self.counted and self.is_overwritten(name):
            # What stands there is not what the model was made of.
            own = class_default(self.start, self.fields[name])
            return expression(own) if type(own) is int else None
        part = self.fields[name].partition(".")[0] if "." in self.fields[name] else ""
        left_out = {other for other, field in self.fields.items() if f"{part}." in field}
        return self.find(name, {name, *(left_out if part else ())})

    def in_given_part(self, name: str) -> Expression | None:
        """Return the default of a letter whose field is absent from a part that is given."""
        return self.find(name, {name})

    def when_null(self, name: str) -> Expression | None:
        """Return what stands for null."""
        return self.find(name, {name}, null=True) if "[" not in self.fields[name] else None

    def find(self, name: str, without: Set[str], null: bool = False) -> Expression | None:
        """Return what a letter is where these are absent, None where it is nothing simple."""
        field = self.fields[name]
        found = self.expressions_at_points(field, name, without, null)
        if not found or len(set(found)) > 1:
            return None
        if len(found) < 2 and (null or found[0] != class_default(self.start, field)):
            return None
        default = found[0]
        return default if default != letter(name) else None

    def formula_of(self, path: str) -> Expression | None:
        """Return what the configuration computes there of its sizes, None for nothing simple."""
        found = self.expressions_at_points(path)
        return found[0] if found and len(found) > 1 and len(set(found)) == 1 else None

    def varies(self, path: str) -> bool:
        """Whether what stands there is otherwise at other sizes."""
        own = attribute_at(self.start, path)
        return any(there != own for _, there in self.values_at_points(path))

    def is_overwritten(self, name: str) -> bool:
        """Whether a configuration keeps another size in a field than it is given there.

        What it was given is kept elsewhere, as Bailing's ``head_dim`` is, or lost.
        """
        return any(kept != point[name] for point, kept in self.values_at_points(self.fields[name]))

    def values_at_points(self, path: str) -> Iterator[tuple[Mapping[str, int], Any]]:
        """Yield what stands there where every size is given, at each point that is not refused."""
        for point in self.points:
            try:
                there = attribute_at(self.config(point), path)
            except Exception:
                # Not all sizes go together.
                continue
            yield point, there

    def expressions_at_points(
        self, path: str, name: str = "", without: Set[str] = frozenset(), null: bool = False
    ) -> list[Expression] | None:
        """Return what stands there at each point, None where it is no size or not followed."""
        found: list[Expression] = []
        values = self.traced_values(path, name, without, null)
        for point, value in zip(self.points, values, strict=True):
            try:
                plain = attribute_at(self.config(point, name, without, null), path)
                one = getattr(value, "expression", None)
                default = one if one is not None else expression(int(value))
                if type(plain) is not int or plain != default.evaluate(dict(point)):
                    return None
            except Exception:
                # The others' sizes may not go with this default.
                continue
            found.append(default)
        return found

    def traced_values(self, path: str, name: str, without: Set[str], null: bool) -> list[Any]:
        """Return what stands there at each point, made of sizes; None where that is refused."""
        values: list[Any] = []
        with patched_modules(MODULES):
            for point in self.points:
                try:
                    with recording():
                        config = self.config(point, name, without, null, remembering=True)
                    values.append(attribute_at(config, path))
                except Exception:
                    values.append(None)
        return values

    def config(
        self,
        point: Mapping[str, int],
        name: str = "",
        without: Set[str] = frozenset(),
        null: bool = False,
        remembering: bool = False,
    ) -> PreTrainedConfig:
        """Return the type's configuration at a point without some of its letters."""
        lists = {self.fields[one].partition("[")[0] for one in without if "[" in self.fields[one]}
        values: dict[str, Any] = {
            field: SymInt(point[one], letter(one))
            if remembering and field != LABELS
            else point[one]
            for one, field in self.fields.items()
            if one in point and one not in without and field.partition("[")[0] not in lists
        }
        values |= self.where
        if null:
            values[self.fields[name]] = None
        keys = full_keys(self.start, values)
        if not null and name in without and len(without) == 1:
            part = parent(self.fields[name])
            for path, config in sub_configs(self.start):
                if path == part:
                    # Given, as a file gives it: with nothing of what the whole would give it.
                    own = {f: v for f, v in values.items() if f.startswith(f"{path}.")}
                    keys = full_keys(self.start, values) | _bare_part(path, config, own)
        return make_readable(self.config_class(**keys))


def class_default(start: PreTrainedConfig, field: str) -> Any:
    """Return what stands as a field's default in the class of its configuration."""
    part, _, own = field.rpartition(".")
    kind = type(attribute_at(start, part))
    return next((one.default for one in dataclasses.fields(kind) if one.name == own), None)


def _size_at(start: PreTrainedConfig, field: str) -> int:
    """Return a size of a configuration, or one for what it leaves out."""
    try:
        return attribute_at(start, field) or 8
    except KeyError:
        return 8


def _bare_part(path: str, config: PreTrainedConfig, own: Mapping[str, Any]) -> dict[str, Any]:

    keys: dict[str, Any] = {}
    set_key(keys, f"{path}.model_type", config.model_type)
    for field, value in own.items():
        set_key(keys, field, value)
    return keys
