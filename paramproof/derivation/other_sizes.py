"""Compare a formula with counts at other sizes that its conditions allow, and restrict it.

A formula may miss what changes only at sizes that no trace had. So it is compared at a few sizes
that are drawn near its own. Where it differs, the sizes to blame may not change any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import TypeAlias

from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation, StatedCondition
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import expression, letter

DRAWS, TRIES = 6, 18
"""How many other sizes are compared, and how many are tried."""

Sizes: TypeAlias = Mapping[str, int]
CountAt: TypeAlias = Callable[[Sizes], int | None]
"""Counts the parameters at sizes; None where the class refuses them."""


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
        is_better = more is not None and agrees(more, differs, count_at(differs))
        found = more if more and is_better else restricted(found, differs, count_at)
    return found


def differing(found: Derivation, moving: list[str], count_at: CountAt) -> Sizes | None:
    """Return sizes at which a formula holds and a count is another one, if there are some."""
    compared = 0
    for sizes in drawn(found, moving):
        if compared < DRAWS and (counted := count_at(sizes)) is not None:
            if not agrees(found, sizes, counted):
                return sizes
            compared += 1
    return None


def agrees(found: Derivation, sizes: Sizes, counted: int | None) -> bool:
    return not is_allowed(found, sizes) or found.formula.value(sizes) == counted


def drawn(found: Derivation, moving: list[str]) -> Iterator[dict[str, int]]:
    """Yield sizes near the own that a formula allows: first most are others, then fewer."""
    asked = {
        name: [one.condition for one in found.conditions if name in one.condition.letters]
        for name in found.sizes
    }
    random = Random(0)
    for number in range(TRIES):
        sizes = dict(found.sizes)
        # Twice: what divides another size may change once that one did.
        for name in filter(sizes.get, random.sample(moving, len(moving)) * 2):
            own = sizes[name]
            if random.random() > 0.8 ** (1 + number):
                continue
            more = (own + 1, own + 2, own + 3, 2 * own, 3 * own)
            less = (own - 1, own // 2, own // 8, 1)
            # A size that divides another would mostly become smaller.
            for other in random.sample(more if number % 3 else less, 4):
                sizes[name] = other
                if other > 0 and all(one.is_met(sizes) for one in asked[name]):
                    break
                sizes[name] = own
        if sizes != found.sizes and is_allowed(found, sizes):
            yield sizes


def is_allowed(found: Derivation, sizes: Sizes) -> bool:
    try:
        found.require(sizes)
    except ValueError:
        return False
    return True


def restricted(found: Derivation, sizes: Sizes, count_at: CountAt) -> Derivation:
    """Return a formula that does not hold at these sizes: those to blame have their own values."""
    moved, blamed = dict(found.sizes), list[str]()
    for name in (name for name, size in sizes.items() if size != found.sizes[name]):
        tried = {**moved, name: sizes[name]}
        counted = count_at(tried) if is_allowed(found, tried) else None
        if counted is not None and agrees(found, tried, counted):
            moved = tried
        elif counted is not None:
            blamed.append(name)
    blamed = blamed or [name for name, size in sizes.items() if size != found.sizes[name]]
    needs = (
        Condition(Relation.EQUAL, letter(name), expression(found.sizes[name]), True)
        for name in blamed
    )
    stated = (StatedCondition(one, Consequence(Outcome.OTHER_COUNT)) for one in needs)
    return replace(found, conditions=(*found.conditions, *stated))
