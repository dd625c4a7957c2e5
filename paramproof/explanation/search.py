"""Find what a number counts: in one model, or in all that have names.

An exact number is looked up among the ways to count a model, the simplest first: the whole model,
then its parts and its classes, then adapters, then the whole without a part or two. A rounded
number is compared with whole models, and with all ways to count a model that was named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from paramproof.explanation.answer import Explanations, Match, apart
from paramproof.explanation.index import KNOWN, UNDER, Described, PublishedNumber, Way, named
from paramproof.explanation.number import RoundedReading, RoundingMode, WrittenNumber, in_bytes
from paramproof.formulas.parts import TABLES
from paramproof.formulas.path import leaf, lies_in

if TYPE_CHECKING:
    from paramproof.resolver import Model

ACTIVE = "active parameters"
"""The ``of`` of a published number that counts active parameters."""

TOTAL = ("under", "trainable")
PLAIN = ("under", "active", "loaded", "class", "one", "all", "estimate", "wide")
"""The kinds of ways that are complete in themselves."""

NON_EMBEDDING = ("without-embeddings", "without-embeddings, without-heads")
"""Parts of a model that people round even if they name no model."""

MAX_LABELS = 1000
MOST_ROUNDED_AWAY = 4
"""Rounding changes at most one part in so many: nobody writes 671B as 1T."""


def explained(number: WrittenNumber, model: Model | None = None) -> Explanations:
    """Return what explains ``number`` in ``model``, or else in any that has a name.

    If the model does not, the answer has the difference from it, and the totals of other models.
    """
    known = [*named().values()]
    if model is None:
        found = search(number, known, alone=False)
        of_all = (one for of_model in known for one in of_model.published)
        return Explanations(number, found, _written(of_all, number, found))
    # Imported here, since a number alone is looked up in a file, without any formula.
    from paramproof.explanation.ways import describe

    own, described = named().get(model.named.name if model.named else ""), describe(model)
    if own:
        described = replace(own, ways=described.ways, letters=described.letters)
    found = search(number, [described], alone=True)
    published = _written(described.published, number, found)
    if found or published:
        return Explanations(number, found, published)
    totals = [replace(one, ways=one.ways[:1]) for one in known if one is not own]
    elsewhere = search(number, totals, alone=False)
    return Explanations(number, (), (), apart(number, described), elsewhere)


def _written(
    published: Iterable[PublishedNumber], number: WrittenNumber, found: Sequence[Match]
) -> tuple[PublishedNumber, ...]:
    """Return what is published as the number; the matches of a rounded number repeat it."""
    repeated = {name for one in found if one.is_published for name in one.models}
    own = (one for one in published if one.is_written(number))
    return tuple(one for one in own if one.withdrawn or one.model not in repeated)


def search(number: WrittenNumber, models: Sequence[Described], *, alone: bool) -> tuple[Match, ...]:
    """Return the explanations of a number by models, the best first.

    ``alone`` is set if one model was named: everything is then tried.
    """
    for found in _levels(number, models, alone):
        if found:
            return tuple(_joined(found))
    return ()


def _levels(
    number: WrittenNumber, models: Sequence[Described], alone: bool
) -> Iterator[list[Match]]:
    """Yield the explanations, the simplest first, and then those of the number as a rounded one."""
    if (exact := number.exact) is not None:
        equal = [(model, way) for model in models for way in model.ways if way.number == exact]
        yield [Match(model, way) for model, way in equal if way[:2] == TOTAL]
        plain = [Match(model, way) for model, way in equal if way.kind in PLAIN]
        stepped = [one for model in models for one in _stepped(model, exact)]
        yield plain + stepped * alone
        yield stepped
        # Among all models, sums would find much by chance.
        known = [model for model in models if alone or model.has_family]
        for parts in (1, 2):
            yield [one for model in known for one in _sums(model, exact, parts, alone)]
        sizes = [*in_bytes([RoundedReading(Fraction(exact), Fraction(exact + 1), "")])]
        yield _rounded(number, sizes, models, alone=False)
    for several in (True, False):
        readings = [one for one in number.bytes_readings if (one.bytes_each > 1) == several]
        yield _rounded(number, readings, models, alone)
    yield _rounded(number, number.readings, models, alone)


def _stepped(model: Described, number: int) -> Iterator[Match]:
    """Yield classifiers with the number of labels, and adapters of the rank, that give a number."""
    for way in model.ways:
        n, rest = divmod(number - way.number, way.step) if way.step else (0, 1)
        if not rest and (n in KNOWN["ranks"] if way.kind == "adapters" else 1 <= n <= MAX_LABELS):
            yield Match(model, way, n)


def _sums(model: Described, number: int, parts: int, alone: bool) -> Iterator[Match]:
    """Yield components without a part, or the model without two, or with one of another class."""
    whole, *others = model.ways
    beside = [way for way in others if way.kind == "beside"] if parts == 1 else []
    yield from (
        Match(model, whole, beside=way) for way in beside if whole.number + way.number == number
    )
    components = [way for way in others if way.kind in ("one", "all") and UNDER not in way.what]
    # Few people forget a table.
    components.sort(key=lambda way: leaf(way.what) in TABLES)
    large = [way for way in components if alone or way.what.count(".") <= 1]
    for base in [whole, *(way for way in large if parts == 1 and way.number > number)]:
        kind, path = ("all", "") if base is whole else base[:2]
        inside = [way for way in components if way.kind == kind and lies_in(way.what, path)]
        inside = [way for way in inside if parts == 1 or way.what.count(".") <= 2]
        for left_out in combinations(inside, parts):
            if sum(way.number for way in left_out) == base.number - number:
                pairs = permutations((way.what for way in left_out), 2)
                if not any(lies_in(one, other) for one, other in pairs):
                    yield Match(model, base, without=left_out)


def _rounded(
    number: WrittenNumber,
    readings: Sequence[RoundedReading],
    models: Sequence[Described],
    alone: bool,
) -> list[Match]:
    """Return the counts that round to the number, those that were published as it first.

    The others are of the best kind that there is: whole models that round in the usual way, other
    whole models, active parameters, parts.
    """
    found = []
    for model in models:
        for way in model.ways:
            is_whole = way[:2] == TOTAL or way.kind == "active" or way.what in NON_EMBEDDING
            fitting = [one for one in readings if way.number in one and _is_likely(one, way)]
            if fitting and way.kind in PLAIN and (alone or is_whole):
                reading = min(fitting, key=lambda one: one.rounding)
                published, is_number = _published_for(model, way, number)
                found.append(Match(model, way, 0, (), None, reading, published, is_number))
    best = min((_rank(one)[0] for one in found), default=())
    found = [one for one in found if one.is_published or _rank(one)[0] == best]
    return sorted(found, key=lambda one: (not one.is_published, _rank(one)))


def _is_likely(reading: RoundedReading, way: Way) -> bool:
    """Return whether people would write a count like this; one byte is for whole models only."""
    near = abs(way.number - reading.stated) * MOST_ROUNDED_AWAY <= way.number
    return near and (reading.bytes_each != 1 or way[:2] == TOTAL)


def _rank(one: Match) -> tuple[tuple[object, ...], ...]:
    """Return how good a rounded match is, and its sort key among equally good ones."""
    assert one.rounded
    reading, kinds = one.rounded, ("under", "active")
    kind = kinds.index(one.way.kind) if one.way.kind in kinds else len(kinds)
    is_usual = reading.rounding <= RoundingMode.CUT_OFF and not one.model.synthetic
    order = (*one.model.order[:3], reading.rounding, one.way.what.count(","))
    order += (abs(one.count - reading.stated),)
    return (one.way[:2] != TOTAL, kind, not is_usual), order


def _published_for(model: Described, way: Way, number: WrittenNumber) -> tuple[str, bool]:
    """Return what was published for the parameters of a way, and whether it is the number.

    A model's name may be the number, too: llama-7b.
    """
    of = ACTIVE if way.kind == "active" else ""
    if not of and way[:2] != TOTAL:
        return "", False
    own = [one for one in model.published if one.of == of and not one.withdrawn]
    same = [one.published for one in own if one.is_written(number)]
    is_named = not of and number.text.lower() in model.name.lower().split("-")
    return next(iter([*same, *(one.published for one in own)]), ""), bool(same or is_named)


def _joined(found: Iterable[Match]) -> Iterator[Match]:
    """Yield the explanations, with one for all that are the same formula at the same sizes."""
    alike: dict[tuple[object, ...], list[Match]] = {}
    for one in found:
        key = (one.count, one.reading, one.formula_at_sizes, one.published)
        alike.setdefault(key, []).append(one)
    for first, *others in alike.values():
        names = {one.model.name: None for one in (first, *others)}
        texts = [] if first.without or first.beside else [*first.way.equal]
        texts += [one.text if one.without or one.beside else one.way.what for one in others]
        equal = [one for one in dict.fromkeys(texts) if one not in (first.text, first.way.what)]
        yield replace(first, models=tuple(names), equal=tuple(equal))
