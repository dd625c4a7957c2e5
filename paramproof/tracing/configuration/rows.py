"""The tensors of a model class, as terms and JSON scalars.

A module is a tuple of entries. Each entry has a name, a condition under which it exists, and a
tensor, an inner module, or a loop whose body occurs once for each item of a list. An entry
without a name is an item of a list of layers: its name is its number among the items that exist.

Terms are over ``self``, the configuration object that the constructor was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from paramproof.tracing.configuration.terms import Value


@dataclass(frozen=True)
class Tensor:
    shape: Value
    """A tuple of sizes; a term, if their number is unknown; or None for a computed buffer."""
    role: str
    """Parameter, buffer, or temporary buffer (one that is not saved)."""
    trainable: Value
    storage: tuple[Value, ...]
    """Tensors with an equal storage are one tensor: a number, and the turns of the loops."""


@dataclass(frozen=True)
class Auto:
    """The model that a class such as ``AutoModel`` makes of a part, of whatever class that is."""

    auto: str
    part: Value
    storage: tuple[Value, ...]


@dataclass(frozen=True)
class Alias:
    """The tensor that the whole model has at another path, inside of an ``Auto``."""

    path: str


@dataclass(frozen=True)
class Loop:
    variable: int
    """The number that ``item`` and ``turn`` have as argument in terms of the body."""
    source: Value
    kept: Value
    body: Entries


@dataclass(frozen=True)
class Entry:
    name: Value
    """A text, a term for one in a loop, or None."""
    condition: Value
    what: Tensor | Auto | Alias | Loop | Entries


Entries: TypeAlias = tuple[Entry, ...]


@dataclass(frozen=True)
class Model:
    entries: Entries
    refusals: dict[Value, str | None]
    """Conditions under which the class refuses, or is not traced; these have no reason."""
