"""The specs of a family: random ones from a seed, and one for each combination of optional parts.

A case is found by drawing a spec with every possible answer to each choice that is not a size. So
it respects what a random spec does, that H is A times K and G divides A, and works for families of
plug-ins too. Generic sizes are primes: numbers of layers from 2 up, and all others from 11 up,
each about twice the one before. So only sizes that are always equal are equal, and share a letter.

Random specs do not come from Hypothesis, whose examples depend on its version, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any

from paramproof.algebra.symbols import FamilyArchitecture, with_head_size
from paramproof.builders.protocol import Builder
from paramproof.derivation.sampling import primes_from
from paramproof.formulas import FAMILIES, Family, FamilyLetters, Spec
from paramproof.formulas.expression import letter
from paramproof.formulas.spec import INDICATOR, LAYERS, RANGES, draw, letter_kinds

FEWEST_LAYERS = 2
LEAST_LENGTH = 11


def random_spec(random: Random, family: str = "encoder", **fixed: Any) -> Any:
    return draw(FAMILIES[family].spec, lambda name, *range_: random.randint(*range_), fixed)


def random_specs(
    builder: Builder, number: int, seed: int, family: str = "encoder", **fixed: Any
) -> list[Any]:
    """Return ``number`` specs that ``builder`` can express, the same for each seed."""
    random = Random(seed)
    drawn = (random_spec(random, family, **fixed) for _ in range(1000 * number))
    specs = [*islice((spec for spec in drawn if builder.supports(spec) is True), number)]
    if len(specs) < number:
        raise ValueError(f"hardly any random spec can be expressed: {refusal(builder, family)}")
    return specs


def refusal(builder: Builder, family: str) -> str:
    """Return why ``builder`` cannot express any model of ``family``, or "" if it can."""
    random = Random(0)
    reasons = (builder.supports(random_spec(random, family)) for _ in range(100))
    first = next(reasons)
    return "" if first is True or True in reasons else first


def fixed_in(family: str, fixed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a framework's fixed fields, which apply only to encoders, for ``family``."""
    return fixed if family == "encoder" else {}


@dataclass(frozen=True)
class Case:
    """One combination of parts: a ``generic`` spec that has them, and how many sizes are free.

    ``fields`` has the letter of each size, or else its name. ``known`` sizes cannot be varied.
    """

    generic: Spec
    free: int
    fields: Mapping[str, str]
    known: Mapping[str, int]

    def __str__(self) -> str:
        return " + ".join(name for name, present in self.parts.items() if present) or "bare"

    @cached_property
    def parts(self) -> dict[str, int]:
        return indicators_of(self.generic)

    @cached_property
    def spec(self) -> Spec:
        spec: Spec = self.at(self.sizes)
        return spec

    @property
    def sizes(self) -> dict[str, int]:
        own = {name: getattr(self.generic, field) for field, name in self.fields.items()}
        return {name: size for name, size in own.items() if name not in self.known}

    def at(self, sizes: Mapping[str, int]) -> Any:
        """Return the spec with these sizes by letter."""
        generic: Any = self.generic
        chosen = {**sizes, **self.known}
        return replace(generic, **{field: chosen[name] for field, name in self.fields.items()})

    @cached_property
    def letters(self) -> FamilyLetters:
        """The family's letters as symbols, with H = A·K; known sizes and parts are numbers."""
        # Each size is another prime, so that a value says which one it is.
        names: dict[int, Any] = {
            getattr(self.generic, field): self.known.get(name, letter(name))
            for field, name in self.fields.items()
        }
        own: Any = self.generic.letters()
        symbolic = (names.get(one, one) if type(one) is int else one for one in own)
        letters: FamilyLetters = with_head_size(own._make(symbolic))
        return letters


def indicators_of(spec: Spec) -> dict[str, int]:
    own = spec.letters()
    kinds = letter_kinds(type(own))
    return {n: int(one) for n, one in own._asdict().items() if kinds[n] == INDICATOR}


def cases(family: Family, known: Mapping[str, int] = {}) -> Iterator[Case]:
    """Yield every case of a family; ``known`` are fields that a builder cannot vary."""
    highest = FamilyArchitecture.of(draw(family.spec, lambda name, *range_: range_[1], {}))
    kinds = letter_kinds(family.letters)
    layers = {field for name, field in highest.fields.items() if kinds[name] == LAYERS}
    pending: list[dict[str, int]] = [{}]
    while pending:
        spec, sizes = _drawn(family, pending.pop(), pending, layers)
        names = {size: name for name, size in reversed(spec.letters()._asdict().items())}
        values = {name: getattr(spec, name) for name in family.field_names}
        letters = {n: names.get(size, n) for n, size in values.items() if type(size) is int}
        yield Case(spec, len(sizes), letters, {letters[n]: size for n, size in known.items()})


def _drawn(
    family: Family, answers: dict[str, int], pending: list[dict[str, int]], layers: Collection[str]
) -> tuple[Spec, Mapping[str, int]]:
    """Return a spec and its generic sizes; ``pending`` takes the other answers to open choices."""
    ranges = {**RANGES, **getattr(family.spec, "ranges", {})}
    few, lengths = primes_from(FEWEST_LAYERS), _lengths()
    sizes: dict[str, int] = {}

    def choose(name: str, lowest: int, highest: int) -> int:
        if name in ranges:
            if name not in sizes:
                sizes[name] = next(few if name in layers else lengths)
            return sizes[name]
        if name not in answers:
            pending.extend(answers | {name: answer} for answer in range(highest, lowest, -1))
            answers[name] = lowest
        return answers[name]

    return draw(family.spec, choose, {}), sizes


def _lengths() -> Iterator[int]:
    length = LEAST_LENGTH
    while True:
        yield (prime := next(primes_from(length)))
        length = 2 * prime + 1


def supported_cases(builder: Builder, family: Family, fixed: Mapping[str, object]) -> list[Case]:
    """Return a case for each combination of parts that ``builder`` can express, the fullest first.

    If several cases have the same parts, the one with the most free sizes is returned.
    """
    names = family.field_names
    known = {n: size for n, size in fixed.items() if n in names and type(size) is int}
    found: dict[tuple[int, ...], Case] = {}
    refusal: object = ""
    for case in sorted(cases(family, known), key=lambda case: -case.free):
        supported = builder.supports(case.spec)
        if supported is True:
            found.setdefault(tuple(case.parts.values()), case)
        else:
            refusal = refusal or supported
    if not found:
        raise ValueError(str(refusal))
    return sorted(found.values(), key=lambda case: (-case.free, -sum(case.parts.values())))
