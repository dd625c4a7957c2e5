"""What a constructor asks about its sizes, and what it was told.

While every question is answered the same, a constructor goes the same way: the answers are the
conditions under which what was seen is the whole truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from os.path import basename

from paramproof.formulas.condition import Condition, Relation, at_least_one
from paramproof.formulas.division import Quotient
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.tracing.call_sites import call_site, model_call_site
from paramproof.tracing.caveats import Caveat
from paramproof.tracing.iterations import RUNNING

EXPRESSIONS_REMEMBERED = 4096
"""What was computed and asked: the layers of a model, and its traces, do the same again."""

LOOP_INDEX = "@"
"""A letter that begins so is the index of a loop, and no size."""


@dataclass(slots=True)
class Recorder:
    """What was asked since it was made: each condition, with the places that asked.

    ``made`` are the sizes that were computed, ``indices`` the loops' lengths by their index.
    ``doubts`` are what was done with sizes that can decide, and cannot be followed.
    """

    asked: dict[Condition, set[tuple[str, int]]] = field(default_factory=dict)
    made: dict[Expression, None] = field(default_factory=dict)
    indices: dict[str, Expression] = field(default_factory=dict)
    doubts: dict[Caveat, None] = field(default_factory=dict)

    @property
    def loops(self) -> dict[Expression, None]:
        """The lengths of the loops that ran, but of those that the index of another one has."""
        lengths = dict.fromkeys(self.indices.values())
        return {length: None for length in lengths if not has_loop_index(length.letters)}

    @property
    def conditions(self) -> list[Condition]:
        """What was asked of sizes, without what is settled and without what loops ask."""
        return [c for c in self.asked if not c.is_settled and not has_loop_index(c.letters)]


def has_loop_index(letters: frozenset[str]) -> bool:
    """Whether one of ``letters`` is the index of a loop."""
    return any(name.startswith(LOOP_INDEX) for name in letters)


def is_running(index: str) -> bool:
    """Whether the loop with this index runs: its letter means the iteration that it is in."""
    return any(one.letter == index for one in RUNNING)


# Not a context variable: what another thread asks counts too.
_RECORDERS: list[Recorder] = []


@contextmanager
def recording() -> Iterator[Recorder]:
    """Record what is asked inside."""
    recorder = Recorder()
    _RECORDERS.append(recorder)
    try:
        yield recorder
    finally:
        _RECORDERS.remove(recorder)


OF_ARRAYS = ("/jax/", "/tensorflow/", "/numpy/", "/ml_dtypes/")
"""Folders of packages that compute with arrays, and whose questions are not the model's."""

_DEAF: list[str] = []


@contextmanager
def ignoring_array_code() -> Iterator[None]:
    """Record nothing inside that code of ``OF_ARRAYS`` asks.

    It asks of shapes what it asks of every array, and compares them with those of arrays that it
    keeps.
    """
    _DEAF.extend(OF_ARRAYS)
    try:
        yield
    finally:
        del _DEAF[-len(OF_ARRAYS) :]


def record_loop(length: Expression, index: str) -> None:
    """Tell whoever records that a loop of this length began, whose index is this letter."""
    for recorder in _RECORDERS:
        recorder.indices[index] = length


def record_size(made: Expression) -> None:
    """Tell whoever records that a size was computed so."""
    for recorder in _RECORDERS:
        recorder.made[made] = None


def record_caveat(*caveat: str | Expression | None) -> None:
    """Tell whoever records that something was done with a size that cannot be followed.

    None stands for a number that depends on sizes in a way that was not followed.
    """
    if _RECORDERS:
        file, line = model_call_site()
        if any(folder in file for folder in _DEAF):
            return
        said = tuple(map(_of_any_iteration, caveat))
        for recorder in _RECORDERS:
            recorder.doubts[*said, f" ({basename(file)}:{line})"] = None


def _of_any_iteration(one: str | Expression | None) -> str | Expression:
    """Return part of a caveat without the numbers of iterations: each loop has the same one."""
    if one is None:
        return "a number that sizes decide"
    if isinstance(one, str):
        return one
    return one.substitute(
        {name: letter(LOOP_INDEX) for name in one.letters if name.startswith(LOOP_INDEX)}
    )


def record_guard(condition: Condition) -> None:
    """Record a question, with its answer and the place that asks."""
    if _RECORDERS:
        where = call_site()
        if any(folder in where[0] for folder in _DEAF):
            return
        for recorder in _RECORDERS:
            recorder.asked.setdefault(condition, set()).add(where)


@lru_cache(EXPRESSIONS_REMEMBERED)
def divisibility_guard(
    top: Expression, bottom: Expression, remainder: int, answer: bool
) -> Condition:
    """Return the question whether a remainder is this number."""
    return Condition(Relation.DIVIDES, bottom, top - remainder, answer)


@lru_cache(EXPRESSIONS_REMEMBERED)
def comparison_guard(
    relation: Relation, one: Expression, other: Expression, answer: bool
) -> Condition:
    """Return the question how two expressions compare, in the form that it has everywhere."""
    if relation is Relation.EQUAL and (pair := _remainder(one - other)):
        return Condition(Relation.DIVIDES, *pair, answer)
    if not other and one:
        # 25·x > 0 is asked where a kernel is 5 wide, and says of x what x > 0 does.
        numbers = list(map(Fraction, one.terms.values()))
        one = one * lcm(*(number.denominator for number in numbers))
        one = one / max(1, gcd(*map(int, one.terms.values())))
        if one.has_quotients and (need := _as_bound(relation, one)):
            return replace(need, holds=answer is (relation is Relation.EQUAL))
    return Condition(relation, one, other, answer)


def _as_bound(relation: Relation, one: Expression) -> Condition | None:
    """Return what 3·⌊H/A⌋ > 0 says, or that it is not 0: that A is no more than H."""
    natural = Condition(Relation.LESS, one, expression(0), False)
    if relation is Relation.MORE or (relation is Relation.EQUAL and natural.is_settled):
        needs = at_least_one(one)
        if len(needs) == 1 and needs[0].left != one:
            return needs[0]
    return None


def _remainder(difference: Expression) -> tuple[Expression, Expression] | None:
    """Return (b, a) where ``difference`` is ±(a − b·⌊a / b⌋), None where it is no remainder."""
    for powers in difference.terms:
        for atom, _ in powers:
            if isinstance(atom, Quotient):
                top, bottom = atom.numerator, atom.denominator
                rest = top - bottom * Expression({((atom, 1),): 1})
                if difference in (rest, -rest):
                    return bottom, top
    return None
