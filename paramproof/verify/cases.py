"""The combinations of optional parts that a family's models may have.

A case is found by drawing a spec with every possible answer to each choice that is not a size. So
it respects what a random spec does, that H is A times K and G divides A, and works for families
of plug-ins too. The sizes that were drawn are its free sizes; a spec drawn from symbolic ints gives
the letters of the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from paramproof.algebra.symbols import with_head_size
from paramproof.builders.protocol import Builder
from paramproof.derivation.sampling import primes_from
from paramproof.formulas import Family, FamilyLetters, Spec
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.spec import INDICATOR, LAYERS, RANGES, draw, letter_kinds
from paramproof.tracing.symbolic.symint import SymInt

Sizes = Mapping[str, int]

FEWEST_LAYERS = 2
LEAST_LENGTH = 11
"""Generic sizes are primes: numbers of layers from 2 up, and all others from 11 up, each about
twice the one before."""


class _UnansweredChoice(Exception):
    """Raised for a choice without an answer yet; ``answers`` has all possible ones."""

    def __init__(self, name: str, lowest: int, highest: int) -> None:
        super().__init__(name)
        self.answers = [(name, answer) for answer in range(lowest, highest + 1)]


@dataclass(frozen=True)
class Case:
    """One combination of parts: the ``answers`` to the choices of parts, and the ``free`` sizes."""

    family: Family
    answers: tuple[tuple[str, int], ...]
    free: tuple[str, ...]

    def __str__(self) -> str:
        return " + ".join(name for name, present in self.parts.items() if present) or "bare"

    def spec(self, sizes: Sizes) -> Spec:
        """Return the spec with these free sizes; sizes that are not free are ignored."""
        chosen = {**dict(self.answers), **sizes}
        return draw(self.family.spec, lambda name, *_: chosen[name], {})

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Generic values of the free sizes: primes, all different, few layers."""
        few, length = primes_from(FEWEST_LAYERS), LEAST_LENGTH
        found = {}
        for name in self.free:
            if name in self.layers:
                found[name] = next(few)
            else:
                found[name] = next(primes_from(length))
                length = 2 * found[name] + 1
        return found

    @cached_property
    def layers(self) -> frozenset[str]:
        return frozenset(map(str, self._letters_of(LAYERS).values())) & frozenset(self.free)

    @cached_property
    def parts(self) -> dict[str, int]:
        """The indicators of the family, 0 or 1."""
        return self._letters_of(INDICATOR)

    def _letters_of(self, kind: str) -> dict[str, Any]:
        kinds = letter_kinds(self.family.letters)
        return {n: one for n, one in self._letters._asdict().items() if kinds[n] == kind}

    @cached_property
    def _generic(self) -> Any:
        primes = primes_from(LEAST_LENGTH)
        return self.spec({name: SymInt(next(primes), letter(name)) for name in self.free})

    @cached_property
    def _letters(self) -> FamilyLetters:
        """The family's letters by the free sizes, indicators as the numbers they are."""
        return in_letters(self._generic)

    @cached_property
    def fields(self) -> dict[str, str]:
        """The letter of each size of the spec; sizes that are always equal share a letter.

        A field without a letter of the family keeps its own name.
        """
        names: dict[Expression | None, str] = {
            one: name
            for name, one in reversed(self._letters._asdict().items())
            if isinstance(one, Expression)
        }
        return {
            name: names.get(value.expression, name)
            for name, value in self._fields()
            if isinstance(value, SymInt)
        }

    def in_numbers(self, known: Sizes) -> dict[str, int]:
        generic = self.generic_spec(known)
        return {name: getattr(generic, field) for field, name in self.fields.items()}

    def generic_spec(self, known: Sizes) -> Spec:
        return plain(self.spec({**self.sizes, **known}))

    def symbols(self, known: Sizes) -> FamilyLetters:
        """Return the family's letters as symbols, with H = A·K, and ``known`` fields as numbers.

        Indicators are numbers too, and sizes that are always equal share a letter.
        """
        numbers = {self.fields[name] for name in known}
        sizes = {
            name: size if name in numbers else SymInt(size, letter(name))
            for name, size in self.in_numbers(known).items()
        }
        return with_head_size(in_letters(self.of_fields(sizes)))

    def of_fields(self, sizes: Sizes) -> Any:
        own: Any = self.family.spec
        flags = {name: value for name, value in self._fields() if isinstance(value, bool)}
        return own(**{field: sizes[name] for field, name in self.fields.items()}, **flags)

    def _fields(self) -> list[tuple[str, Any]]:
        return [(one.name, getattr(self._generic, one.name)) for one in fields(self._generic)]


def cases(family: Family) -> Iterator[Case]:
    """Yield every case of a family; those with most free sizes and parts come last."""
    ranges = {**RANGES, **getattr(family.spec, "ranges", {})}
    pending: list[tuple[tuple[str, int], ...]] = [()]
    while pending:
        answers = pending.pop(0)
        sizes: list[str] = []
        try:
            draw(family.spec, _chooser(dict(answers), ranges, sizes), {})
        except _UnansweredChoice as choice:
            pending += [(*answers, answer) for answer in choice.answers]
        else:
            yield Case(family, answers, tuple(dict.fromkeys(sizes)))


def _chooser(
    answers: Mapping[str, int], ranges: Mapping[str, Any], sizes: list[str]
) -> Callable[[str, int, int], int]:
    """Return a function that answers choices of parts, and notes the names of ``sizes``."""

    def choose(name: str, lowest: int, highest: int) -> int:
        if name in ranges:
            sizes.append(name)
            return highest
        if name not in answers:
            raise _UnansweredChoice(name, lowest, highest)
        return answers[name]

    return choose


def supported_cases(builder: Builder, family: Family, known: Sizes) -> list[Case]:
    """Return a case for each combination of parts that ``builder`` can express, the fullest first.

    If several cases have the same parts, the one with most free sizes is returned. ``known`` are
    sizes that the builder cannot vary. Raises ``ValueError`` if it can express none.
    """
    found: dict[tuple[int, ...], Case] = {}
    refusal: object = ""
    for case in sorted(cases(family), key=lambda case: -len(case.free)):
        supported = builder.supports(case.generic_spec(known))
        if supported is True:
            found.setdefault(tuple(case.parts.values()), case)
        else:
            refusal = refusal or supported
    if not found:
        raise ValueError(str(refusal))
    return sorted(found.values(), key=lambda case: (-len(case.free), -sum(case.parts.values())))


def case_of(spec: Spec, among: Iterable[Case]) -> Case:
    """Return the case ``among`` these that has the parts of ``spec``.

    Raises ``ValueError`` if none has.
    """
    own: Any = spec.letters()
    for case in among:
        if case.parts == {name: int(getattr(own, name)) for name in case.parts}:
            return case
    raise ValueError("its combination of parts cannot be expressed at other sizes")


def known_sizes(fixed: Mapping[str, object], family: Family) -> dict[str, int]:
    """Return the sizes of this family that a framework cannot vary, those in ``fixed``."""
    names = family.field_names
    return {n: v for n, v in fixed.items() if n in names and type(v) is int}


def plain(spec: Spec) -> Spec:
    own: Any = type(spec)
    named = ((field.name, getattr(spec, field.name)) for field in fields(own))
    return own(**{name: v if isinstance(v, bool) else int(v) for name, v in named})  # type: ignore[no-any-return]


def in_letters(spec: Any) -> FamilyLetters:
    """Return the letters of a spec of symbolic ints, as expressions."""
    own: Any = spec.letters()
    return own._make(  # type: ignore[no-any-return]
        value.expression if isinstance(value, SymInt) else value for value in own
    )
