"""Which of several explanations is the first, which are one and the same, which are too many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from paramproof.explanation.answer import Match
from paramproof.explanation.explanation import Explanation, recount
from paramproof.formulas.models import named_models
from paramproof.formulas.parts import TABLES


def different(found: Iterable[Match]) -> Iterator[Match]:
    """Of the explanations by one model that count the same tensors, the simplest."""
    seen = set()
    for one in sorted(found, key=_rank):
        _, tensors = recount(one.explanation, one.spec)
        key = (tensors, one.explanation.sizes, one.explanation.as_estimate)
        if key not in seen:
            seen.add(key)
            yield one


def _rank(found: Match) -> tuple[int, bool, int]:
    """The simpler first; of equals, that of a model which was released, and one with its tables.

    Few people forget a table.
    """
    synthetic = all(map(is_synthetic, found.models))
    return found.explanation.complexity, synthetic, tables_left_out(found.explanation)


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


def simplest(found: list[Match], more: int = 1) -> list[Match]:
    """Those more complex than the first by at most ``more``."""
    return [
        one for one in found if one.explanation.complexity <= found[0].explanation.complexity + more
    ]
