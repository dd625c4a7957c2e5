"""An architecture: a model in letters, with its sizes and with what its formula rests on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from paramproof.formulas.condition import StatedCondition
from paramproof.formulas.expression import Expression
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Spec
from paramproof.formulas.tensors import Inventory


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a formula was found, and how many models it was compared with.

    ``traces`` is how often the programs of the code were read in letters, 0 for a fitted formula.
    ``builds`` counts the built models, ``held`` the held-out models that the formula was compared
    with. ``versions`` are those of the packages that were installed.
    """

    traces: int
    builds: int
    held: int
    seconds: float
    versions: Mapping[str, str]


class Architecture(ABC):
    """The tensors of a model with symbolic shapes, and the model's own sizes.

    A family produces one from a spec, and ``derive`` returns one. ``sizes`` maps each letter to its
    value, and ``fields`` each letter that is a size to its name in the configuration, the
    constructor or the spec. The ``formula`` is the number of trainable parameters, with tied ones
    counted once. It holds where all ``conditions`` are met, and for ``fixed`` letters only at their
    value. ``buffers`` are the names of the buffers, which are never counted. ``evidence`` says how
    the formula was derived, if it was.

    ``spec`` is set if the tensors have the canonical names of a family, and every framework has a
    builder for it; it is None for a derived formula.
    """

    name: str
    sizes: Mapping[str, int]
    fields: Mapping[str, str]
    conditions: tuple[StatedCondition, ...]
    fixed: tuple[str, ...]
    evidence: Evidence
    spec: Spec | None

    @property
    def family(self) -> str:
        """The family whose canonical names the tensors have, or "" for the names of a class."""
        return self.spec.family if self.spec else ""

    @property
    @abstractmethod
    def formula(self) -> Expression:
        """The number of trainable parameters, with tied ones counted once."""

    @property
    def about(self) -> str:
        """A line that names it, with the sizes in its formula: the first line of a report."""
        used = self.formula.letters
        fields = (
            f"{name} = {legible(field)} = {self.sizes[name]}"
            for name, field in self.fields.items()
            if name in used
        )
        return f"{legible(self.name)}, derived, at {', '.join(fields)}"

    @property
    def buffers(self) -> tuple[str, ...]:
        return ()

    @property
    def bound_letters(self) -> frozenset[str]:
        """The letters that conditions relate: they matter even where the formula lacks them."""
        return frozenset[str]().union(*(one.condition.letters for one in self.conditions))

    @property
    @abstractmethod
    def status(self) -> str:
        """How sure the formula is, whatever the sizes are: written, proved or fitted."""

    @property
    def proved_where(self) -> tuple[str, ...] | None:
        """The guards that bound the proof of the formula, as text; None if nothing is proved."""
        return None

    @abstractmethod
    def inventory(self, sizes: Mapping[str, int] | None = None) -> Inventory:
        """Return the parameters as an inventory: symbolic, or in ints at these ``sizes``.

        Raises ``ValueError``, in one line, for sizes at which the formula does not hold.
        """

    @abstractmethod
    def at(self, sizes: Mapping[str, int]) -> Architecture:
        """Return this architecture with other values of some letters. Raises as ``inventory``."""

    def has(self, sizes: Mapping[str, int]) -> bool:
        """Return whether some letters may have other values, for which ``at`` raises nothing."""
        try:
            self.at(sizes)
        except ValueError:
            return False
        return True

    def untied(self, paths: Iterable[str]) -> Architecture:
        """Return this architecture with tensors of their own under these further names."""
        return self

    def reasons_at(self, sizes: Mapping[str, int]) -> tuple[str, ...]:
        """Return why the formula is not proved at these sizes; empty if nothing is in doubt."""
        return ()
