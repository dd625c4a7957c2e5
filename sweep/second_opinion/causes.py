"""The named causes of differences, and when they apply."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from paramproof.formulas.path import leaf, parent
from sweep.library.keys import part_in

ABSENT = object()
"""The value of a key that is not given."""

STATES: Mapping[str, Callable[[Any], bool]] = {
    "absent": lambda value: value is ABSENT,
    "none": lambda value: value is ABSENT or value is None,
    "given": lambda value: value is not ABSENT and value is not None,
    "positive": lambda value: type(value) is int and value > 0,
}
"""States of a key that a cause may require, besides a value."""

NUMBERS: Mapping[str, Callable[[int, int], int]] = {
    "value": lambda value, layers: value,
    "first": min,
    "every": lambda value, layers: layers // value,
}
"""How mlx-lm reads a number: as a size, as the first layers, or as one layer in so many."""


@dataclass(frozen=True, eq=False)
class Cause:
    """A difference by construction: what mlx-lm does with a configuration.

    It applies if each key in ``when`` has the value or the state there. Then, in this order, the
    letters in ``replaced`` have other sizes, and the tensors that match ``removed`` are missing.
    For each name in ``vectors`` there are vectors with an element for each row of the tensors that
    the value matches, and for each name in ``added`` as many elements as the expression says,
    unless transformers has tensors of that name. ``packed`` are stored with four elements in one,
    each with a scale.

    ``read`` has letters for keys that only mlx-lm reads: the kind of number, the key, and mlx-lm's
    default. Patterns and names are those of ``names.toml``.
    """

    name: str
    text: str
    is_mistake: bool = False
    when: Mapping[str, Any] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)
    removed: Sequence[str] = ()
    vectors: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)
    packed: Sequence[str] = ()
    read: Mapping[str, tuple[str, str, int]] = field(default_factory=dict)

    def applies_to(self, config: Mapping[str, Any]) -> bool:
        """Return whether the cause applies to a configuration."""
        return all(_is(value_at(config, path), value) for path, value in self.when.items())

    def read_sizes(self, config: Mapping[str, Any], layers: int) -> dict[str, int]:
        """Return the sizes that only mlx-lm reads, by letter."""
        found = {}
        for name, (kind, path, default) in self.read.items():
            value = value_at(config, path)
            found[name] = NUMBERS[kind](value if type(value) is int else default, layers)
        return found


@cache
def causes_of(model_type: str) -> tuple[Cause, ...]:
    """Return the causes of a model type, in the order in which they apply."""
    own = _data()["types"].get(model_type, {})
    return tuple(
        Cause(name, **{**_data()["causes"][name], **own.get(name, {})})
        for name in own.get("causes", ())
    )


@cache
def all_causes() -> tuple[Cause, ...]:
    """Return all causes, as they are for most model types."""
    return tuple(Cause(name, **one) for name, one in _data()["causes"].items())


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("causes.toml").read_text("utf-8"))


def value_at(config: Mapping[str, Any], path: str) -> Any:
    """Return the value of a key, or ``ABSENT``.

    If the configuration has no such part, the key is looked up at top level, as both libraries do.
    """
    keys = dict(config)
    part = part_in(keys, parent(path))
    return (keys if part is None else part).get(leaf(path), ABSENT)


def _is(found: Any, value: Any) -> bool:
    """Return whether a value is the one that a cause requires; flags may have any type."""
    if isinstance(value, str) and value in STATES:
        return STATES[value](found)
    if isinstance(value, bool):
        return found is not ABSENT and bool(found) is value
    return bool(found == value)
