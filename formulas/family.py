"""A family of models: a spec, its letters, and two independent counts of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

from paramproof.formulas.spec import FamilyLetters, Quantity, Spec, draw, letter_kinds
from paramproof.formulas.tensors import Inventory


@dataclass(frozen=True, slots=True)
class Family:
    """All that this project knows of a family of models.

    ``spec`` has the family's name, its sizes with their ranges, and its numerics. ``letters``
    annotates each letter with its kind, which decides how it is printed. ``inventory`` and
    ``closed_form`` count the parameters independently: as named tensors, and as one polynomial.
    Another distribution registers a family under the entry point group ``paramproof.families``.

    Raises ``ValueError``, in one line, if spec and letters do not fit each other.
    """

    spec: type[Spec]
    letters: type[FamilyLetters]
    inventory: Callable[[Any], Inventory]
    closed_form: Callable[[Any], Quantity]

    @property
    def name(self) -> str:
        """The family's name."""
        return self.spec.family

    def __post_init__(self) -> None:
        try:
            self._require_whole()
        except Exception as error:  # A plug-in's code may raise anything.
            raise ValueError(f"the family of {self.spec.__name__}: {error}") from error

    def _require_whole(self) -> None:
        """Require what some command would otherwise miss only when it is half done."""
        if not is_dataclass(self.spec) or "hidden_size" not in self.field_names:
            raise ValueError("its spec must be a dataclass with the field hidden_size")
        for name, kind in letter_kinds(self.letters).items():
            if not kind:
                one_of = "Indicator, Layers, Rows or Width"
                raise ValueError(f"its letter {name} has no kind: annotate it as {one_of}")
        for end in (min, max):
            spec = draw(self.spec, partial(_end, end), {})
            if type(spec.letters()) is not self.letters:
                name = self.letters.__name__
                raise ValueError(f"its letters are not of type {name}: {spec.letters()!r}")

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of the spec's fields."""
        return tuple(field.name for field in fields(self.spec))


def _end(end: Callable[[int, int], int], _: str, lowest: int, highest: int) -> int:
    return end(lowest, highest)
