"""Find where a number comes from: its simplest explanations, by one model or all named ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from paramproof.explain.explanation import Explanation, recount
from paramproof.explain.grammar import (
    MIN_COUNT_BY_COMPLEXITY,
    components,
    explanations,
    whole_under,
    with_classifier,
)
from paramproof.explain.number import RoundedReading, WrittenNumber
from paramproof.explain.sizes import at_known_sizes, at_unnamed_sizes
from paramproof.explain.tree import Tree
from paramproof.explain.words import words
from paramproof.formulas import inventory
from paramproof.formulas.conventions import TABLES
from paramproof.formulas.spec import Spec

Models = Mapping[str, Spec]


@dataclass(frozen=True, slots=True)
class Match:
    """An explanation with the number that it comes to, and the models that it holds for.

    ``reading`` says how that number was rounded to the one in question, "" where it was
    not. ``spec`` is the first model's.
    """

    explanation: Explanation
    count: int
    models: tuple[str, ...]
    spec: Spec = field(repr=False)
    reading: str = ""

    @property
    def text(self) -> str:
        """The explanation in words."""
        return words(self.explanation)


@dataclass(frozen=True, slots=True)
class Explanations:
    """The explanations of a number that were ``found``, the simplest first.

    Where there is none: those that rest on an ``unnamed`` size, and the ``nearest`` count.
    ``none_in`` are the models asked about, where only others explain the number.
    """

    number: WrittenNumber
    found: tuple[Match, ...]
    unnamed: tuple[Match, ...] = ()
    nearest: Match | None = None
    none_in: tuple[str, ...] = ()


def explain(number: WrittenNumber, models: Models, others: Models | None = None) -> Explanations:
    """Return the simplest explanations of ``number`` by ``models``, or else by ``others``.

    Explanations more complex by one than the simplest are included.
    """
    for chosen in filter(None, (models, others)):
        found = exact(number.exact, chosen) if number.exact else []
        found = found or rounded(number.readings, chosen, whole=chosen is others or len(models) > 1)
        if found:
            none_in = tuple(models) if chosen is others else ()
            return Explanations(number, tuple(found), none_in=none_in)
    if number.exact is None:
        middle = int(number.readings[0].middle)
        return Explanations(number, (), nearest=nearest(middle, models))
    solved = (
        _match(explanation, name, spec, number.exact)
        for name, spec in models.items()
        for explanation in at_unnamed_sizes(spec, number.exact)
    )
    return Explanations(number, (), tuple(_joined(solved)), nearest(number.exact, models))


def exact(number: int, models: Models) -> list[Match]:
    """Return what explains ``number`` at the models' own sizes, or at those of a named model."""
    found: list[Match] = []
    for name, spec in models.items():
        of_model = [
            explanation
            for count, explanation in candidates(spec, alone=len(models) == 1, number=number)
            if count == number
        ]
        found += _different(_match(explanation, name, spec, number) for explanation in of_model)
    return _simplest(_joined(found))


def candidates(
    spec: Spec, *, alone: bool = False, number: int | None = None
) -> Iterator[tuple[int, Explanation]]:
    """Yield every explanation by a model that an exact number may have, with its count.

    Where the ``number`` is given, the labels of a classifier are solved for.
    """
    found = (
        *with_classifier(spec, number),
        *explanations(spec),
        *at_known_sizes(spec, alone=alone),
    )
    for count, explanation in found:
        if count >= MIN_COUNT_BY_COMPLEXITY[explanation.complexity]:
            yield count, explanation


def rounded(readings: Sequence[RoundedReading], models: Models, *, whole: bool) -> list[Match]:
    """Return what was rounded to the number: counts of ``whole`` models, or components too."""
    found: dict[tuple[str, Explanation], Match] = {}
    for reading in readings:
        for name, spec in models.items():
            tree = Tree(inventory(spec.letters()))
            for count, explanation in [*components(tree), *whole_under(tree, most=2)]:
                if count in reading and not (whole and explanation.parts[0].component):
                    one = _match(explanation, name, spec, count, reading.says)
                    found.setdefault((name, explanation), one)
    return _simplest(_joined(found.values()), more=0)


def nearest(number: int, models: Models) -> Match:
    """Return the component whose number of trainable parameters is nearest.

    Of several models only the whole counts, where the number is as large as some model.
    """
    counts = [
        (abs(count - number), count, name, explanation)
        for name, spec in models.items()
        for count, explanation in components(Tree(inventory(spec.letters())))
        if explanation.complexity == 1
    ]
    wholes = [known for known in counts if not known[-1].parts[0].component]
    if len(models) > 1 and number >= min(count for _, count, *_ in wholes):
        counts = wholes
    _, count, name, explanation = min(counts, key=lambda known: known[0])
    return _match(explanation, name, models[name], count)


def _match(
    explanation: Explanation, name: str, spec: Spec, number: int, reading: str = ""
) -> Match:
    """The explanation, recounted. Raises ``ArithmeticError`` where the search was wrong."""
    count, _ = recount(explanation, spec)
    if count != number:
        raise ArithmeticError(f"{name}: {explanation} comes to {count}, not {number}")
    return Match(explanation, count, (name,), spec, reading)


def _different(found: Iterable[Match]) -> Iterator[Match]:
    """Of the explanations by one model that count the same tensors, the simplest."""
    seen = set()
    for one in sorted(found, key=_rank):
        _, tensors = recount(one.explanation, one.spec)
        key = (tensors, one.explanation.sizes, one.explanation.as_estimate)
        if key not in seen:
            seen.add(key)
            yield one


def _rank(found: Match) -> tuple[int, int]:
    """The simpler first; of equals, the one that leaves out no table: few people forget one."""
    return found.explanation.complexity, tables_left_out(found.explanation)


def tables_left_out(explanation: Explanation) -> int:
    """Return how many of the parts that ``explanation`` leaves out are tables."""
    left_out = (part.component for part in explanation.parts if part.times < 0)
    return sum(level in TABLES for path in left_out for level in path.split("."))


def _joined(found: Iterable[Match]) -> list[Match]:
    """By rank, with one for all models of which words and count are the same."""
    groups: dict[tuple[str, int, str], list[Match]] = {}
    for one in sorted(found, key=_rank):
        groups.setdefault((one.text, one.count, one.reading), []).append(one)
    return [
        replace(own[0], models=tuple(name for one in own for name in one.models))
        for own in groups.values()
    ]


def _simplest(found: list[Match], more: int = 1) -> list[Match]:
    """Those more complex than the first by at most ``more``."""
    return [
        one for one in found if one.explanation.complexity <= found[0].explanation.complexity + more
    ]
