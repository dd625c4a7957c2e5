"""Search for the best explanations of a number, by one model or by several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from paramproof.explanation.answer import Explanations, Match
from paramproof.explanation.explanation import TRAINABLE, Explanation, recount
from paramproof.explanation.number import RoundedReading, WrittenNumber, read
from paramproof.explanation.ranking import (
    best_exact,
    best_rounded,
    different,
    is_synthetic,
    joined,
)
from paramproof.explanation.searched import SearchedModel
from paramproof.explanation.sizes import at_unnamed_sizes
from paramproof.formulas.conventions import STORAGE
from paramproof.formulas.models import NamedModel, named_models

NEAR = Fraction(1, 20)
"""The largest difference of a near count, as a share of the number."""

MOST_ROUNDED_AWAY = Fraction(1, 4)
"""The largest share of a count that rounding changes: nobody writes 671B as 1T."""


def explain(number: WrittenNumber, models: Sequence[SearchedModel]) -> Explanations:
    """Return the best explanations of ``number`` by ``models``, or else the nearest count.

    For an exact number, these are the simplest ones and those more complex by one.
    """
    withdrawn = tuple(_retracted(number))
    found = exact(number.exact, models) if number.exact else []
    for readings in _readings(number):
        found = found or rounded(number, readings, models)
    if found:
        return Explanations(number, tuple(found), retracted=withdrawn)
    near = nearest(number, models)
    unnamed = _at_unnamed_sizes(number.exact, models) if number.exact else ()
    return Explanations(number, (), tuple(joined(unnamed)), near, retracted=withdrawn)


def _readings(number: WrittenNumber) -> Iterator[list[RoundedReading]]:
    """Yield readings to try together: of four and two bytes, of one byte, of parameters."""
    yield [one for one in number.bytes_readings if one.bytes_each > 1]
    yield [one for one in number.bytes_readings if one.bytes_each == 1]
    yield [*number.readings]


def _retracted(number: WrittenNumber) -> Iterator[NamedModel]:
    for model in named_models().values():
        if model.retracted and number.rounds_as(read(model.retracted)):
            yield model


def exact(number: int, models: Sequence[SearchedModel]) -> list[Match]:
    """Return the explanations of ``number`` at the models' own sizes, or at a named model's.

    If it is the total of some model, only simple explanations are tried.
    """
    some_total = any(model.total == number for model in models)
    return best_exact(_exactly(number, models, simple=some_total))


def _exactly(number: int, models: Sequence[SearchedModel], *, simple: bool) -> Iterator[Match]:
    for model in models:
        tried = model.simple if simple else model.candidates(number, alone=len(models) == 1)
        found = (explanation for count, explanation in tried if count == number)
        yield from different(_match(explanation, model, number) for explanation in found)


def rounded(
    number: WrittenNumber, readings: Sequence[RoundedReading], models: Sequence[SearchedModel]
) -> list[Match]:
    """Return the counts that round to the number: whole models, and components of a single one."""
    low = min((one.low for one in readings), default=0)
    high = max((one.high for one in readings), default=0)
    found: list[Match] = []
    for model in models:
        of_model = []
        for count, explanation in model.rounded_candidates(alone=len(models) == 1):
            if not low <= count < high:
                continue
            fitting = (one for one in readings if count in one)
            reading = min(fitting, key=lambda one: one.rounding, default=None)
            if reading and _is_likely(reading, count, explanation):
                one = _match(explanation, model, count, reading)
                published = model.is_published(number, explanation)
                of_model.append(replace(one, as_published=published))
        found += different(of_model)
    return best_rounded(found)


def _is_likely(reading: RoundedReading, count: int, explanation: Explanation) -> bool:
    """Return whether people would write ``count`` like this; one byte is for whole models only."""
    if reading.bytes_each == 1 and not explanation.is_total:
        return False
    return abs(count - reading.stated) <= MOST_ROUNDED_AWAY * count


def _at_unnamed_sizes(number: int, models: Sequence[SearchedModel]) -> Iterator[Match]:
    for model in models:
        if model.every_form:
            for explanation in at_unnamed_sizes(model.architecture, number):
                yield _match(explanation, model, number)


def nearest(number: WrittenNumber, models: Sequence[SearchedModel]) -> Match | None:
    """Return the count that is nearest to a number, or None if none is near.

    If there are several models and the number is as large as one of them, only totals count.
    Released models are preferred to synthetic ones.
    """
    reading = None
    if number.exact is None:
        reading = replace((number.bytes_readings or number.readings)[0], says="")
    wanted = int(reading.middle) if reading else number.exact or 0
    known = [*_near(wanted, models)]
    if len(models) > 1 and wanted >= min(model.total for model in models):
        known = [one for one in known if one[2].is_total]
    released = [one for one in known if not is_synthetic(one[3].name)]
    if not known:
        return None
    _, count, explanation, model = min(released or known, key=lambda one: one[0])
    return replace(_match(explanation, model, count), rounded=reading)


def _near(
    wanted: int, models: Sequence[SearchedModel]
) -> Iterator[tuple[int, int, Explanation, SearchedModel]]:
    """Yield the counts near a number: components, whole models, and active parameters."""
    for model in models:
        for count, explanation in model.simple:
            distance = abs(count - wanted)
            plain = explanation.complexity == 1 or (
                explanation.is_whole and explanation.parts[0].conventions[0] in STORAGE_BUT_DEFAULT
            )
            if plain and distance <= NEAR * wanted:
                yield distance, count, explanation, model


STORAGE_BUT_DEFAULT = STORAGE.keys() - {*TRAINABLE}


def _match(
    explanation: Explanation,
    model: SearchedModel,
    number: int,
    rounded: RoundedReading | None = None,
) -> Match:
    """Recount an explanation. Raises ``ArithmeticError`` if the search was wrong."""
    count, tensors = recount(explanation, model.architecture, model.named)
    if count != number:
        raise ArithmeticError(f"{model.name}: {explanation} comes to {count}, not {number}")
    return Match(explanation, count, (model.name,), model.architecture, tensors, rounded)
