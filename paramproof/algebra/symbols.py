"""The symbols of a family that was written by hand, and its architecture in them.

Builders refuse a hidden size that is not a multiple of the number of heads. So where H varies, it
is the product A·K of heads and head size, and printing folds A·K into H again. LLaMA has a symbol
for each of the three, and nothing is folded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any, TypeVar

from paramproof.formulas import FamilyLetters, Inventory, Spec, closed_form, inventory
from paramproof.formulas.architecture import Architecture, Evidence
from paramproof.formulas.errors import no_such, require_type
from paramproof.formulas.expression import Expression, expression, letter, text
from paramproof.formulas.spec import INDICATOR, head_size_of, letter_kinds

AnyLetters = TypeVar("AnyLetters", bound=FamilyLetters)


def symbols(letters: type[AnyLetters]) -> AnyLetters:
    return letters._make(map(letter, letters._fields))


def sizes_as_symbols(spec: Spec) -> FamilyLetters:
    """Return the letters of ``spec``: sizes as symbols, indicators as the numbers they are."""
    letters = spec.letters()
    return letters._replace(**{name: letter(name) for name in size_letters(type(letters))})


def size_letters(letters: type[FamilyLetters]) -> tuple[str, ...]:
    return tuple(name for name, kind in letter_kinds(letters).items() if kind != INDICATOR)


def with_head_size(letters: AnyLetters) -> AnyLetters:
    """Return ``letters`` with H written as A·K, if a family has heads and no letter K."""
    if "A" not in letters._fields or "K" in letters._fields:
        return letters
    return letters._replace(H=letters._asdict()["A"] * letter("K"))


def folded(one: Expression | int) -> Expression:
    hidden = letter("H") / (letter("A") * letter("K"))
    total = Expression()
    for powers, number in expression(one).terms.items():
        own = dict(powers)
        times = min(own.get("A", 0), own.get("K", 0))
        total += Expression({powers: number}) * hidden**times
    return total


def folded_text(one: Expression, letters: type[FamilyLetters]) -> str:
    """Return ``one`` as text, with H for A·K unless K is a letter of the family."""
    return text(one if "K" in letters._fields else folded(one))


def sizes_of(spec: Spec) -> dict[str, int]:
    """Return the sizes of ``spec`` by letter, including the head size K if it has heads."""
    own = spec.letters()._asdict()
    sizes = {name: own[name] for name in size_letters(type(spec.letters()))}
    return sizes | {"K": head_size_of(spec)} if "A" in own else sizes


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
    status = WRITTEN
    evidence = Evidence(0, 0, 0, 0.0, {})

    @classmethod
    def of(cls, spec: Spec) -> FamilyArchitecture:
        # The letters of symbols for the sizes give the field of each letter.
        own = asdict(spec)
        symbolic = {name: letter(name) for name, value in own.items() if type(value) is int}
        kind: Any = type(spec)
        letters = kind.letters(SimpleNamespace(**{**own, **symbolic}))._asdict()
        fields = {name: str(size) for name, size in letters.items() if str(size) in symbolic}
        return cls(spec, spec.family, spec.letters()._asdict(), fields)

    @cached_property
    def formula(self) -> Expression:
        return expression(closed_form(sizes_as_symbols(self.spec)))

    @property
    def about(self) -> str:
        return f"spec = {self.spec!r}"

    @property
    def bound_letters(self) -> frozenset[str]:
        """All sizes, because a spec may require anything of them, such as heads that divide H."""
        return frozenset(self.fields)

    def inventory(self, sizes: Mapping[str, int] | None = None) -> Inventory:
        if sizes is None:
            return inventory(sizes_as_symbols(self.spec))
        return inventory(self.at(sizes).spec.letters())

    def at(self, sizes: Mapping[str, int]) -> FamilyArchitecture:
        require_type(sizes, Mapping, "sizes")
        if absent := [name for name in sizes if name not in self.sizes]:
            raise no_such("letter", absent[0], self.sizes)
        changed = {name: size for name, size in sizes.items() if self.sizes[name] != size}
        own: Any = self.spec
        fields = {self.fields[name]: size for name, size in changed.items()}
        return FamilyArchitecture.of(replace(own, **fields)) if fields else self


def in_symbols(model: Architecture) -> tuple[Inventory, dict[str, int]]:
    """Return the tensors of a model in letters, with H as A·K, and the value of each letter."""
    if isinstance(model, FamilyArchitecture):
        letters = with_head_size(sizes_as_symbols(model.spec))
        return inventory(letters), sizes_of(model.spec)
    return model.inventory(), dict(model.sizes)
