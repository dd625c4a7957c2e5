"""The architecture of a family's spec, whose formula was written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from paramproof.algebra.symbols import sizes_as_symbols
from paramproof.formulas import Inventory, closed_form, inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.errors import require_type
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.lookup import no_such
from paramproof.formulas.spec import Spec

WRITTEN = "written"
"""The status of a formula that was written by hand and is compared with every framework."""


@dataclass(frozen=True)
class FamilyArchitecture(Architecture):
    """A model of a family. ``sizes`` has its indicators, too, which are numbers in its formula.

    ``formula`` is the closed form, written apart from the tensors of ``inventory``.
    """

    spec: Spec
    name: str = field(compare=False)
    sizes: Mapping[str, int] = field(compare=False)
    fields: Mapping[str, str] = field(compare=False)

    conditions = ()
    fixed = ()

    @classmethod
    def of(cls, spec: Spec) -> FamilyArchitecture:
        """Return the architecture of a spec."""
        return cls(spec, spec.family, spec.letters()._asdict(), _fields(spec))

    @cached_property
    def formula(self) -> Expression:
        """The closed form of the family, with its indicators as numbers."""
        return expression(closed_form(sizes_as_symbols(self.spec)))

    @property
    def about(self) -> str:
        """The spec as code."""
        return f"spec = {self.spec!r}"

    @property
    def bound_letters(self) -> frozenset[str]:
        """All sizes, because a spec may require anything of them, such as heads that divide H."""
        return frozenset(self.fields)

    def inventory(self, sizes: Mapping[str, int] | None = None) -> Inventory:
        """Return the tensors under their canonical names; see ``Architecture.inventory``."""
        if sizes is None:
            return inventory(sizes_as_symbols(self.spec))
        return inventory(self.at(sizes).spec.letters())

    def at(self, sizes: Mapping[str, int]) -> FamilyArchitecture:
        """Return the family's model at other sizes. Raises ``ValueError`` as its spec does."""
        require_type(sizes, Mapping, "sizes")
        if absent := [name for name in sizes if name not in self.sizes]:
            raise no_such("letter", absent[0], self.sizes)
        changed = {name: size for name, size in sizes.items() if self.sizes[name] != size}
        return self.at_fields({self.fields[name]: size for name, size in changed.items()})

    def at_fields(self, sizes: Mapping[str, int]) -> FamilyArchitecture:
        """Return the family's model with other fields. Raises ``ValueError`` as its spec does."""
        own: Any = self.spec
        return FamilyArchitecture.of(replace(own, **sizes)) if sizes else self

    @property
    def status(self) -> str:
        """It was written by hand."""
        return WRITTEN


def _fields(spec: Spec) -> dict[str, str]:
    """Return the field of each letter, by computing the letters from symbols for the sizes."""
    own = asdict(spec)
    sizes = {name: letter(name) for name, value in own.items() if type(value) is int}
    kind: Any = type(spec)
    letters = kind.letters(SimpleNamespace(**{**own, **sizes}))._asdict()
    return {name: str(size) for name, size in letters.items() if str(size) in sizes}
