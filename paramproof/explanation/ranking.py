"""Order explanations, join equal ones, and drop those that are too many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from paramproof.explanation.answer import Match
from paramproof.explanation.explanation import Explanation
from paramproof.explanation.number import RoundingMode
from paramproof.formulas.models import named_models
from paramproof.formulas.parts import TABLES


def different(found: Iterable[Match]) -> Iterator[Match]:
    """Yield the simplest of the explanations by one model that count the same tensors."""
    seen = set()
    for one in sorted(found, key=_rank):
        key = (one.tensors, one.explanation.sizes, one.explanation.as_estimate)
        if key not in seen:
            seen.add(key)
            yield one


def _rank(found: Match) -> tuple[object, ...]:
    """Return the sort key: totals first, then released models, then simpler and nearer counts.

    Among equals, those that leave out no embedding table come first: few people forget one.
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
    """Return how many of the parts that ``explanation`` leaves out are embedding tables."""
    left_out = (part.component for part in explanation.parts if part.times < 0)
    return sum(level in TABLES for path in left_out for level in path.split("."))


def joined(found: Iterable[Match]) -> list[Match]:
    """Return explanations by rank, with one for all models with the same words and count."""
    groups: dict[tuple[str, int, str], list[Match]] = {}
    for one in sorted(found, key=_rank):
        groups.setdefault((one.text, one.count, one.reading), []).append(one)
    return [
        replace(own[0], models=tuple(name for one in own for name in one.models))
        for own in groups.values()
    ]


def best_exact(found: Iterable[Match]) -> list[Match]:
    """Return, in order, those that exceed the least complexity by at most one.

    If one of them is the total of a model, return only the simplest.
    """
    found = joined(found)
    more = 0 if any(one.explanation.is_total for one in found) else 1
    return _simplest(found, more)


def best_rounded(found: Iterable[Match]) -> list[Match]:
    """Return, in order, the simplest explanations that round to a number, and the published ones.

    If a released model's count rounds to the number in the usual way, those that do so in 2³⁰ or to
    fewer digits are left out. If some model's total is among them, components are left out.
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
    """Yield for each model the best count that was published as the number."""
    by_model: dict[tuple[str, ...], Match] = {}
    for one in sorted(found, key=_rank):
        if one.as_published:
            by_model.setdefault(one.models, one)
    yield from by_model.values()


def _simplest(found: list[Match], more: int) -> list[Match]:
    least = min((one.explanation.complexity for one in found), default=0)
    return [one for one in found if one.explanation.complexity <= least + more]
