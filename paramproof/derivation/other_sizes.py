"""Compare a formula with counts at other sizes that its conditions allow, and restrict it.

A formula may miss what changes only at sizes that no trace had. So it is compared at a few sizes
that are drawn near its own. Where it differs, the sizes to blame may not change any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from random import Random
from typing import TypeAlias

from paramproof.derivation.sampling import moving_together, sample_sizes
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation, StatedCondition
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import expression, letter

DRAWS, TRIES = 6, 18
"""How many other sizes are compared, and how many are tried."""

Sizes: TypeAlias = Mapping[str, int]
CountAt: TypeAlias = Callable[[Sizes], int | None]
"""Counts the parameters at sizes; None where the class refuses them."""


def sizes_near(
    sizes: Sizes, conditions: Sequence[Condition], moving: Sequence[str]
) -> Iterator[Sizes]:
    """Yield sizes near these that meet conditions: first most of ``moving`` move, then fewer."""
    random = Random(0)
    pinned = {one.only[0] for one in conditions if one.only}
    free = [name for name in moving if sizes[name] and name not in pinned]
    for left in range(TRIES if free else 0, 0, -1):
        some = random.sample(free, ceil(len(free) * left / TRIES))
        ranges = {name: (1 + sizes[name] // 2, 9 + sizes[name] * 3 // 2) for name in some}
        fixed = frozenset(sizes.keys() - ranges.keys())
        if found := sample_sizes(random, sizes, conditions, fixed=fixed, ranges=ranges):
            yield found


def holding_elsewhere(
    found: Derivation,
    moving: list[str],
    count_at: CountAt,
    derived_with: Callable[[Sizes], Derivation | None],
) -> Derivation:
    """Return a formula that counts as the class does, where its conditions allow.

    ``moving`` are the letters that may change, and ``derived_with`` makes a formula from one more
    trace, at sizes at which one differs.
    """
    while differs := differing(found, moving, count_at):
        more = derived_with(differs)
        is_better = more is not None and agrees(more, differs, count_at)
        found = more if more and is_better else restricted(found, differs, count_at)
    return found


def differing(found: Derivation, moving: list[str], count_at: CountAt) -> Sizes | None:
    """Return sizes at which a formula holds and a count is another one, if there are some."""
    conditions = [stated.condition for stated in found.conditions]
    compared = 0
    for sizes in filter(found.has, sizes_near(found.sizes, conditions, moving)):
        if compared < DRAWS and (counted := count_at(sizes)) is not None:
            if found.formula.value(sizes) != counted:
                return sizes
            compared += 1
    return None


def agrees(found: Derivation, sizes: Sizes, count_at: CountAt) -> bool:
    return not found.has(sizes) or found.formula.value(sizes) == count_at(sizes)


def restricted(found: Derivation, sizes: Sizes, count_at: CountAt) -> Derivation:
    """Return a formula that does not hold at these sizes: those to blame have their own values."""
    changed = [name for name, size in sizes.items() if size != found.sizes[name]]

    def is_alike(moving: list[str]) -> bool:
        return agrees(found, {**found.sizes, **{name: sizes[name] for name in moving}}, count_at)

    alike = moving_together(is_alike, changed)
    needs = (
        Condition(Relation.EQUAL, letter(name), expression(found.sizes[name]), True)
        for name in changed
        if name not in alike
    )
    stated = (StatedCondition(one, Consequence(Outcome.OTHER_COUNT)) for one in needs)
    return replace(found, conditions=(*found.conditions, *stated))
