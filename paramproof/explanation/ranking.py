"""Which of several explanations is the first, which are one and the same, which are too many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from paramproof.explanation.answer import Match
from paramproof.explanation.explanation import Explanation
from paramproof.explanation.number import RoundingMode
from paramproof.formulas.models import named_models
from paramproof.formulas.parts import TABLES


def different(found: Iterable[Match]) -> Iterator[Match]:
    """Of the explanations by one model that count the same tensors, the simplest."""
    seen = set()
    for one in sorted(found, key=_rank):
        key = (one.tensors, one.explanation.sizes, one.explanation.as_estimate)
        if key not in seen:
            seen.add(key)
            yield one


def _rank(found: Match) -> tuple[object, ...]:
    """Totals first, then released models, then what is simpler and nearer to the number.

    Of equals, those are first that leave out no table: few people forget one.
    """
    explanation = found.explanation
    return (
        not explanation.is_total,
        all(map(is_synthetic, found.models)),
        explanation.complexity,
        not explanation.active,
        not found.as_published,
        found.rounding,
        found.distance,
        tables_left_out(explanation),
    )


def is_synthetic(name: str) -> bool:
    """Return whether this is a named model that was never released."""
    model = named_models().get(name)
    return model is not None and model.synthetic


def tables_left_out(explanation: Explanation) -> int:
    """Return how many of the parts that ``explanation`` leaves out are tables."""
    left_out = (part.component for part in explanation.parts if part.times < 0)
    return sum(level in TABLES for path in left_out for level in path.split("."))


def joined(found: Iterable[Match]) -> list[Match]:
    """By rank, with one for all models of which words and count are the same."""
    groups: dict[tuple[str, int, str], list[Match]] = {}
    for one in sorted(found, key=_rank):
        groups.setdefault((one.text, one.count, one.reading), []).append(one)
    return [
        replace(own[0], models=tuple(name for one in own for name in one.models))
        for own in groups.values()
    ]


def best_exact(found: Iterable[Match]) -> list[Match]:
    """Return, in order, those more complex than the simplest by at most one.

    Beside the total of a model nothing that is more complex.
    """
    found = joined(found)
    more = 0 if any(one.explanation.is_total for one in found) else 1
    return _simplest(found, more)


def best_rounded(found: Iterable[Match]) -> list[Match]:
    """Return, in order, the simplest of those that round to a number, and those published so.

    Where a released model's count rounds to the number in the usual way, those that do so in
    2³⁰ or to fewer digits are left out; where some model's total does, components are.
    """
    found = list(found)
    best = _simplest(found, more=0)
    usual = [one for one in best if one.rounding <= RoundingMode.CUT_OFF]
    if any(not is_synthetic(name) for one in usual for name in one.models):
        best = usual
    if totals := [one for one in best if one.explanation.is_total]:
        best = totals
    chosen = {id(one) for one in (*best, *_published(found))}
    return joined(one for one in found if id(one) in chosen)


def _published(found: Iterable[Match]) -> Iterator[Match]:
    """Yield for each model the count that was published as the number, rounded as usual."""
    by_model: dict[tuple[str, ...], Match] = {}
    for one in sorted(found, key=_rank):
        if one.as_published:
            by_model.setdefault(one.models, one)
    yield from by_model.values()


def _simplest(found: list[Match], more: int) -> list[Match]:
    least = min((one.explanation.complexity for one in found), default=0)
    return [one for one in found if one.explanation.complexity <= least + more]
