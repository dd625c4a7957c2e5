"""Record the guards, loops and caveats of a trace, each with the line of the constructor's code.

Two traces with the same guards take the same path through the constructor. A formula therefore
holds wherever the guards of its traces hold. What can decide something and cannot be followed is a
caveat, which costs the word "proved".
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from os.path import basename, dirname, join
from types import FrameType

from paramproof.formulas.condition import Condition, Relation, at_least_one
from paramproof.formulas.expression import Expression, expression, letter, sides
from paramproof.tracing.caveats import Caveat as Caveat
from paramproof.tracing.tensor_groups import Iteration as Iteration
from paramproof.tracing.tensor_groups import IterationStack as IterationStack

RUNNING: list[Iteration] = []
"""The iterations that are running, innermost last."""


_PACKAGE = dirname(dirname(__file__))

OUR_FOLDERS = (join(_PACKAGE, "tracing", ""), join(_PACKAGE, "derivation", ""))
"""The folders whose frames stand between a constructor's code and its sizes."""


MODEL_FILES: set[str] = set()
"""The files whose functions build the model, and may call other code with sizes."""


def model_call_site() -> tuple[str, int]:
    """Return file and line of the innermost frame in the model's own code.

    Falls back to ``call_site`` if no such frame is on the stack.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in MODEL_FILES:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return call_site()


def calling_file() -> str:
    """Return the file of the innermost frame outside of our own folders.

    Frames of generated code are skipped.
    """
    return _asking(*OUR_FOLDERS, "<").f_code.co_filename


def call_site() -> tuple[str, int]:
    """Return file and line of the innermost frame outside of our own folders.

    Frames of generated code, such as a dataclass's ``__eq__``, are skipped.
    """
    frame = _asking(*OUR_FOLDERS, "<string")
    return frame.f_code.co_filename, frame.f_lineno


def _asking(*between: str) -> FrameType:
    """Return the innermost frame whose file name begins with none of these prefixes."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(between):
        frame = frame.f_back
    return frame


CACHE_SIZE = 4096
"""Entries of the caches: every layer, and every trace, computes the same expressions again."""

LOOP_INDEX = "@"
"""Prefix of the symbols of loop indices. Alone it is the index of any loop."""


@dataclass(slots=True)
class Recorder:
    """The guards of a trace, each with its call sites, and what else the trace did with sizes.

    ``computed`` has the expressions of all symbolic ints that were computed, and ``indices`` the
    length of each loop by the symbol of its index. A caveat records an operation on a size that can
    decide something and cannot be followed.
    """

    guards: dict[Condition, set[tuple[str, int]]] = field(default_factory=dict)
    computed: dict[Expression, None] = field(default_factory=dict)
    indices: dict[str, Expression] = field(default_factory=dict)
    caveats: dict[Caveat, None] = field(default_factory=dict)

    @property
    def loop_lengths(self) -> dict[Expression, None]:
        """The lengths of all loops that do not depend on the index of another loop."""
        lengths = dict.fromkeys(self.indices.values())
        return {length: None for length in lengths if not has_loop_index(length.letters)}

    @property
    def size_guards(self) -> list[Condition]:
        """The guards that mention no loop index and do not hold for all sizes."""
        return [c for c in self.guards if not c.is_settled and not has_loop_index(c.letters)]


def has_loop_index(letters: frozenset[str]) -> bool:
    return any(name.startswith(LOOP_INDEX) for name in letters)


def is_running(index: str) -> bool:
    """Return whether the loop with this index is running, so that the index has one meaning."""
    return any(one.letter == index for one in RUNNING)


# Not a context variable: guards of other threads count too.
_RECORDERS: list[Recorder] = []


@contextmanager
def recording() -> Iterator[Recorder]:
    recorder = Recorder()
    _RECORDERS.append(recorder)
    try:
        yield recorder
    finally:
        _RECORDERS.remove(recorder)


def record_loop(length: Expression, index: str) -> None:
    for recorder in _RECORDERS:
        recorder.indices[index] = length


def record_size(made: Expression) -> None:
    for recorder in _RECORDERS:
        recorder.computed[made] = None


def record_caveat(*caveat: str | Expression | None) -> None:
    """Record an operation on a size that cannot be followed.

    ``caveat`` is a sequence of text and expressions. None means a number whose expression is
    unknown.
    """
    if _RECORDERS:
        file, line = model_call_site()
        said = tuple(map(_without_iteration, caveat))
        for recorder in _RECORDERS:
            recorder.caveats[*said, f" ({basename(file)}:{line})"] = None


def _without_iteration(one: str | Expression | None) -> str | Expression:
    """Return a part of a caveat with one symbol for the indices of all loops."""
    if one is None:
        return "a number that sizes decide"
    if isinstance(one, str):
        return one
    return one.substitute(
        {name: letter(LOOP_INDEX) for name in one.letters if name.startswith(LOOP_INDEX)}
    )


def record_guard(condition: Condition) -> None:
    if _RECORDERS:
        where = call_site()
        for recorder in _RECORDERS:
            recorder.guards.setdefault(condition, set()).add(where)


@lru_cache(CACHE_SIZE)
def divisibility_guard(
    top: Expression, bottom: Expression, remainder: int, answer: bool
) -> Condition:
    return Condition(Relation.DIVIDES, bottom, top - remainder, answer)


@lru_cache(CACHE_SIZE)
def comparison_guard(
    relation: Relation, one: Expression, other: Expression, answer: bool
) -> Condition:
    """Return the guard for a comparison of two expressions, in canonical form."""
    if relation is Relation.EQUAL and (pair := _remainder(one - other)):
        return Condition(Relation.DIVIDES, *pair, answer)
    if not other and one:
        # A kernel of width 5 gives 25·x > 0, which is the same guard as x > 0.
        numbers = list(map(Fraction, one.terms.values()))
        one = one * lcm(*(number.denominator for number in numbers))
        one = one / max(1, gcd(*map(int, one.terms.values())))
        if one.has_quotients and (need := _as_bound(relation, one)):
            return replace(need, holds=answer is (relation is Relation.EQUAL))
    return Condition(relation, one, other, answer)


def _as_bound(relation: Relation, one: Expression) -> Condition | None:
    """Rewrite 3·⌊H/A⌋ > 0, or ≠ 0, as A ≤ H.

    Returns None if ``one`` has no such form.
    """
    natural = Condition(Relation.LESS, one, expression(0), False)
    if relation is Relation.MORE or (relation is Relation.EQUAL and natural.is_settled):
        needs = at_least_one(one)
        if len(needs) == 1 and needs[0].left != one:
            return needs[0]
    return None


def _remainder(difference: Expression) -> tuple[Expression, Expression] | None:
    """Return (b, a) if ``difference`` is ±(a − b·⌊a / b⌋), otherwise None."""
    for powers in difference.terms:
        for atom, _ in powers:
            if pair := sides(atom):
                top, bottom = pair
                rest = top - bottom * Expression({((atom, 1),): 1})
                if difference in (rest, -rest):
                    return bottom, top
    return None
