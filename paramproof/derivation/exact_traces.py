"""Count the tensors of traces in which every shape is an expression.

The loops that created a tensor, and the guards on their indices, determine how often it occurs.
All traces must agree. If no number fits them all, the length of the outermost loop is pinned.

A formula may still miss a change that happens only at sizes that no trace had, so it is compared
with counts at a few random sizes near its own. If it differs, the sizes to blame are pinned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from math import ceil
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from paramproof.derivation.guard_probing import exact_division
from paramproof.derivation.loops import GuardedCount, counts_in_loops
from paramproof.derivation.sampling import Sizes, moving_together, sample_sizes
from paramproof.derivation.sizes import IterationStack, Recorder, has_loop_index
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation, StatedCondition
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, expression, letter

if TYPE_CHECKING:
    from paramproof.derivation.letters import Trace

DRAWS, TRIES = 6, 18
"""How many other sizes are compared, and how many are tried."""

CountAt: TypeAlias = Callable[[Sizes], int | None]
"""Counts the parameters at sizes; None where the class refuses them."""
DerivedWith: TypeAlias = Callable[[Sizes], Derivation | None]
"""Makes a formula from one more trace, at sizes at which one differs."""


class Rows(dict[tuple[Any, ...], list[IterationStack]]):
    """The iterations in which the tensors of a path, shape, role and storage were made."""

    def add(self, rows: Rows, where: IterationStack, name: str = "") -> None:
        """Add the tensors of a module, which iterations made or which has a name."""
        for (path, *key), made in rows.items():
            whole = f"{name}.{path}" if name and path else name or path
            self.setdefault((whole, *key), []).extend(where + stack for stack in made)


def stored_once(rows: Rows) -> dict[Any, list[IterationStack]]:
    """Return the iterations in which each tensor was made, with its other paths."""
    stored: dict[Any, list[Any]] = {}
    for (path, shape, role, storage), made in rows.items():
        own = storage or (None, path, shape, role)
        stored.setdefault(own, []).append((path, shape, role, made))
    found: dict[Any, list[IterationStack]] = {}
    for storage, ((path, shape, role, made), *others) in stored.items():
        names = {name for name, *_ in others}
        if storage[0] is not None:
            names |= {path} if len(made) > 1 else set()
            made = [tuple(one for one in made[0] if one.letter in storage[0])]
        found.setdefault((path, shape, role, (*sorted(names),)), []).extend(made)
    return found


class Conditions:
    """The conditions of a formula, with what happens where they are violated."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes, self.found, self.caveats = sizes, dict[Condition, Outcome](), tuple[str, ...]()

    def add(self, one: Condition, outcome: Outcome) -> None:
        if has_loop_index(one.letters):
            return
        is_settled = one.is_settled and all(self.sizes[name] for name in one.letters)
        one = one.normalized()
        if not is_settled and not any(known.implies(one) for known in self.found):
            self.found[one] = outcome

    def add_refusal(self, recorder: Recorder, strictly: bool) -> None:
        """Add the guards of a check that refused nothing; ``strictly`` each of them."""
        guards = [one for one in recorder.guards if not one.is_settled]
        outcome = Outcome.REFUSED if len(guards) == 1 else Outcome.NOT_TRIED
        for one in guards:
            # Among several guards, an equation only selects where the others are evaluated.
            if strictly or len(guards) == 1 or not (one.holds and one.relation is Relation.EQUAL):
                self.add(one, outcome)

    def add_guards(self, recorder: Recorder) -> None:
        """Add the guards of a trace, and the sizes that were read in a way not followed."""
        lost = [one for one in recorder.lost if one is not None]
        names = dict.fromkeys(name for one in lost for name in sorted(one.letters))
        if None in recorder.lost or has_loop_index(frozenset(names)):
            # A number that depends on a loop was lost: every loop must keep its length.
            asked = [one.letters for one in recorder.guards if has_loop_index(one.letters)]
            asked += [one.letters for one in recorder.loop_lengths]
            names |= dict.fromkeys(sorted(frozenset[str]().union(*asked)))
        for one in (*recorder.guards, *unchanged_sizes(names, self.sizes)):
            self.add(one, Outcome.OTHERS)


def unchanged_sizes(names: Iterable[str], sizes: Sizes) -> Iterator[Condition]:
    """Yield conditions under which those of these letters that are sizes have their values."""
    for name in filter(sizes.__contains__, names):
        yield Condition(Relation.EQUAL, letter(name), expression(sizes[name]), True)


def sizes_near(
    sizes: Sizes, conditions: Sequence[Condition], moving: Sequence[str], least: float = 0.5
) -> Iterator[Sizes]:
    """Yield sizes near these that meet conditions: first most of ``moving`` move, then fewer.

    They are drawn from above ``least`` times their own values.
    """
    random = Random(0)
    pinned = {one.only[0] for one in conditions if one.only}
    free = [name for name in moving if name not in pinned]
    for left in range(TRIES if free else 0, 0, -1):
        some = random.sample(free, ceil(len(free) * left / TRIES))
        ranges = {name: (1 + int(sizes[name] * least), 9 + sizes[name] * 3 // 2) for name in some}
        fixed = frozenset(sizes.keys() - ranges.keys())
        if found := sample_sizes(random, sizes, conditions, fixed=fixed, ranges=ranges):
            yield found


def other_sizes(trace: Trace, conditions: Conditions) -> Iterator[Sizes]:
    """Yield other sizes of what the indexes of loops were compared with, and of short loops."""
    recorder, sizes = trace.recorder, trace.sizes
    asked = [one.letters for one in recorder.guards if has_loop_index(one.letters)]
    loops = [one.letters for one in recorder.loop_lengths]
    # A loop of one or two turns does not show what changes from turn to turn.
    short = [one for one in recorder.loop_lengths if one.value(sizes) < 3]
    if asked or short:
        names = frozenset[str]().union(*asked, *loops) & sizes.keys()
        moving = sorted(names - recorder.lengths_of_kinds.keys())
        longer = tuple(
            Condition(Relation.MORE, one, expression(one.value(sizes)), True)
            for one in short
            if {*moving} & one.letters
        )
        for more in dict.fromkeys((longer, ())):
            yield from sizes_near(sizes, [*conditions.found, *more], moving, least=1)


def counted(traces: Sequence[Trace], conditions: Conditions) -> Iterator[DerivedTensor]:
    """Yield the tensor groups of traces, the first of which is at the sizes of the model."""
    fixed = {one.only[0] for one in conditions.found if one.only}
    number_at = cache(lambda *places: number_of(traces, places, fixed))
    chosen = {
        key: number_at(*(tuple(one.groups.get(key, ())) for one in traces))
        for key in dict.fromkeys(key for one in traces for key in one.groups)
        if key[1] is not None
    }
    for need in dict.fromkeys(need for one in chosen.values() for need in one.needs):
        conditions.add(need, Outcome.OTHER_COUNT)
    fold = exact_division(conditions.found)
    for (path, shape, role, aliases), found in chosen.items():
        if number := fold(found.number):
            yield DerivedTensor(path, tuple(map(fold, shape)), number, role, aliases, True, True)


def number_of(traces: Sequence[Trace], places: tuple[Any, ...], fixed: set[str]) -> GuardedCount:
    """Return the simplest number of tensors that agrees with all traces."""
    needs: list[Condition] = []
    lengths = dict.fromkeys(one.length for place in places for made in place for one in made)
    loops = [length for length in lengths if not length.letters <= fixed]
    while True:
        there = [
            ([(*(one for one in made if one.length in loops),) for made in place], one)
            for place, one in zip(places, traces, strict=True)
            if all(need.is_met(one.sizes) for need in needs)
        ]
        made, first = there[0]
        asked = next(((made, one.recorder, one.sizes) for made, one in there if made), None)
        possible = counts_in_loops(*asked) if asked else ()
        if found := next((one for one in possible if agrees(one, there)), None):
            return found._replace(needs=(*needs, *found.needs))
        if not loops:
            return GuardedCount(expression(len(made)), tuple(needs))
        # The outermost loop that may have another length may not.
        needs += unchanged(first, loops.pop(0))


def agrees(found: GuardedCount, there: Sequence[tuple[Sequence[IterationStack], Trace]]) -> bool:
    """Return whether all traces that meet the needs of a count have it, the first among them."""
    names = found.number.letters.union(*(need.letters for need in found.needs))
    if not all(names <= one.sizes.keys() for _, one in there):
        return False  # A trace did not meet a size.
    inside = [pair for pair in there if all(need.is_met(pair[1].sizes) for need in found.needs)]
    counts = (found.number.value(one.sizes) == len(made) for made, one in inside)
    return inside[:1] == there[:1] and all(counts)


def unchanged(trace: Trace, length: Expression) -> Iterator[Condition]:
    """Yield conditions under which a loop has this length, and its answers are as in a trace."""
    if length.letters <= trace.sizes.keys():  # No index of a loop, and no size it did not meet.
        yield Condition(Relation.EQUAL, length, expression(length.value(trace.sizes)), True)
    own = {index for index, other in trace.recorder.indices.items() if other == length}
    asked = [one.letters for one in trace.recorder.guards if one.letters & own]
    yield from unchanged_sizes(sorted(frozenset[str]().union(*asked)), trace.sizes)


def holding_elsewhere(
    found: Derivation, moving: list[str], count_at: CountAt, derived_with: DerivedWith
) -> Derivation:
    """Return a formula that counts as the class does where ``moving`` sizes meet its conditions."""
    while differs := differing(found, moving, count_at):
        more = derived_with(differs)
        is_better = more and is_right(more, differs, count_at)
        found = more if more and is_better else restricted(found, differs, count_at)
    return found


def differing(found: Derivation, moving: list[str], count_at: CountAt) -> Sizes | None:
    """Return sizes at which a formula holds and a count is another one, if there are some."""
    conditions = [stated.condition for stated in found.conditions]
    near = filter(found.has, sizes_near(found.sizes, conditions, moving))
    counts = ((sizes, count) for sizes in near if (count := count_at(sizes)) is not None)
    compared = islice(counts, DRAWS)
    return next((sizes for sizes, count in compared if found.formula.value(sizes) != count), None)


def is_right(found: Derivation, sizes: Sizes, count_at: CountAt) -> bool:
    # The traces may have met a size that these sizes lack.
    is_inside = found.sizes.keys() <= sizes.keys() and found.has(sizes)
    return not is_inside or found.formula.value(sizes) == count_at(sizes)


def restricted(found: Derivation, sizes: Sizes, count_at: CountAt) -> Derivation:
    """Return a formula that does not hold at these sizes: those to blame have their own values."""
    changed = [name for name, size in sizes.items() if size != found.sizes[name]]

    def is_alike(moving: list[str]) -> bool:
        return is_right(found, {**found.sizes, **{name: sizes[name] for name in moving}}, count_at)

    alike = moving_together(is_alike, changed)
    needs = unchanged_sizes((name for name in changed if name not in alike), found.sizes)
    stated = (StatedCondition(one, Consequence(Outcome.OTHER_COUNT)) for one in needs)
    return replace(found, conditions=(*found.conditions, *stated))
