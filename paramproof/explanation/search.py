"""Find where a number comes from: its simplest explanations, by one model or all named ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from paramproof.explanation.answer import Explanations, Match
from paramproof.explanation.explanation import (
    Counted,
    Explanation,
    inventory_of,
    recount,
)
from paramproof.explanation.grammar import (
    MIN_COUNT_BY_COMPLEXITY,
    MODELS_REMEMBERED,
    components,
    explanations,
    whole_under,
    with_classifier,
    with_other_heads,
)
from paramproof.explanation.number import RoundedReading, WrittenNumber, read
from paramproof.explanation.ranking import different, is_synthetic, joined, simplest
from paramproof.explanation.sizes import at_known_sizes, at_unnamed_sizes, with_labels
from paramproof.explanation.tree import Tree
from paramproof.formulas.derivation import Derivation, Described
from paramproof.formulas.models import NamedModel, named_models
from paramproof.formulas.spec import Spec

Models = Mapping[str, Described]


def explain(number: WrittenNumber, models: Models, others: Models | None = None) -> Explanations:
    """Return the simplest explanations of ``number`` by ``models``, or else by ``others``.

    Explanations more complex by one than the simplest are included.
    """
    withdrawn = tuple(_retracted(number))
    for chosen in filter(None, (models, others)):
        found = exact(number.exact, chosen) if number.exact else []
        for readings in (number.bytes_readings, number.readings):
            found = found or rounded(readings, chosen, whole=chosen is others or len(models) > 1)
        if found:
            none_in = tuple(models) if chosen is others else ()
            return Explanations(number, tuple(found), none_in=none_in, retracted=withdrawn)
    if number.exact is None:
        reading = (number.bytes_readings or number.readings)[0]
        near = nearest(int(reading.middle), models)
        near = replace(near, reading=replace(reading, says="").of(near.count))
        return Explanations(number, (), nearest=near, retracted=withdrawn)
    solved = (
        _match(explanation, name, spec, number.exact)
        for name, spec in models.items()
        for explanation in at_unnamed_sizes(spec, number.exact)
    )
    near = nearest(number.exact, models)
    return Explanations(number, (), tuple(joined(solved)), near, retracted=withdrawn)


def _retracted(number: WrittenNumber) -> Iterator[NamedModel]:
    for model in named_models().values():
        if model.retracted and number.rounds_as(read(model.retracted)):
            yield model


def exact(number: int, models: Models) -> list[Match]:
    """Return what explains ``number`` at the models' own sizes, or at those of a named model."""
    found: list[Match] = []
    for name, spec in models.items():
        of_model = [
            explanation
            for count, explanation in candidates(spec, alone=len(models) == 1, number=number)
            if count == number
        ]
        found += different(_match(explanation, name, spec, number) for explanation in of_model)
    return simplest(joined(found))


def candidates(
    described: Described, *, alone: bool = False, number: int | None = None
) -> Iterator[tuple[int, Explanation]]:
    """Yield every explanation by a model that an exact number may have, with its count.

    Where the ``number`` is given, the labels of a classifier are solved for.
    """
    if isinstance(described, Derivation):
        found = (*explanations(described), *with_labels(described, number))
    else:
        found = (
            *with_classifier(described, number),
            *_of_any_number(described, alone),
        )
    for count, explanation in found:
        if count >= MIN_COUNT_BY_COMPLEXITY[explanation.complexity]:
            yield count, explanation


@lru_cache(MODELS_REMEMBERED)
def _of_any_number(spec: Spec, alone: bool) -> tuple[tuple[int, Explanation], ...]:
    return (*explanations(spec), *at_known_sizes(spec, alone=alone))


def rounded(readings: Sequence[RoundedReading], models: Models, *, whole: bool) -> list[Match]:
    """Return what was rounded to the number: counts of ``whole`` models, or components too."""
    counts = [
        (name, spec, count, explanation)
        for name, spec in models.items()
        for count, explanation in _short_of(spec)
        if readings and not (whole and explanation.parts[0].component)
    ]
    found: dict[tuple[str, Explanation], Match] = {}
    for reading in readings:
        for name, spec, count, explanation in counts:
            if count in reading:
                one = _match(explanation, name, spec, count, reading)
                found.setdefault((name, explanation), one)
    return simplest(joined(found.values()), more=0)


def _short_of(described: Described) -> Counted:
    if isinstance(described, Derivation):
        return _short(described)
    return iter(_short_of_spec(described))


@lru_cache(MODELS_REMEMBERED)
def _short_of_spec(spec: Spec) -> tuple[tuple[int, Explanation], ...]:
    return tuple(_short(spec))


def _short(described: Described) -> Counted:
    """What a rounded number may be: a component, or the whole model, perhaps with other heads."""
    tree = Tree(inventory_of(described))
    yield from components(tree)
    if not isinstance(described, Derivation):
        yield from with_other_heads(described)
    yield from whole_under(tree, most=2)


def nearest(number: int, models: Models) -> Match:
    """Return the component whose number of trainable parameters is nearest.

    Of several models only the whole counts, where the number is as large as some model, and
    models that were released come before synthetic ones.
    """
    counts = [
        (abs(count - number), count, name, explanation)
        for name, spec in models.items()
        for count, explanation in components(Tree(inventory_of(spec)))
        if explanation.complexity == 1
    ]
    wholes = [known for known in counts if not known[-1].parts[0].component]
    if len(models) > 1 and number >= min(count for _, count, *_ in wholes):
        counts = wholes
    released = [known for known in counts if not is_synthetic(known[2])]
    _, count, name, explanation = min(released or counts, key=lambda known: known[0])
    return _match(explanation, name, models[name], count)


def _match(
    explanation: Explanation,
    name: str,
    spec: Described,
    number: int,
    reading: RoundedReading | None = None,
) -> Match:
    """The explanation, recounted. Raises ``ArithmeticError`` where the search was wrong."""
    count, _ = recount(explanation, spec)
    if count != number:
        raise ArithmeticError(f"{name}: {explanation} comes to {count}, not {number}")
    found = Match(explanation, count, (name,), spec)
    if reading is None:
        return found
    return replace(found, reading=reading.of(count), bytes_each=reading.bytes_each)
