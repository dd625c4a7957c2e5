"""How long containers are that loops over sizes filled, and which iteration made which element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from paramproof.derivation.iterations import RUNNING, Iteration
from paramproof.derivation.places import MODEL_FILES
from paramproof.derivation.questions import LOOP
from paramproof.derivation.runs import Grown, Runs
from paramproof.derivation.symbolic.arithmetic import made_by
from paramproof.derivation.symbolic.ratio import Ratio, plain_float
from paramproof.derivation.symbolic.size import Size, plain, unknown
from paramproof.derivation.symbolic.text import Text
from paramproof.formulas.expression import Expression, expression, letter

NOTHING = expression(0)


class Filled(NamedTuple):
    """A container that a loop over sizes filled.

    ``length`` is how long it is in letters, None where that was not followed. Where each iteration
    put one element into it, ``index`` is the letter of the loop, and the element at k is that of
    the iteration ``start`` + k.
    """

    container: Any
    length: Expression | None
    index: str | None = None  # type: ignore[assignment]  # A tuple's own method.
    start: Expression = NOTHING


_filled: dict[int, Filled] = {}


NOBODY_KNOWS = letter(f"{LOOP}?")
"""The length of a loop whose length nobody knows."""


def is_known(length: Expression) -> bool:
    """Whether the length of a loop is one in letters."""
    return length != NOBODY_KNOWS


def have_run() -> bool:
    """Whether a loop over sizes has filled something in this trace."""
    return bool(_filled) or _ran[0]


_ran = [False]


def forget_all() -> None:
    """Forget every container: a new trace begins."""
    RUNNING.clear()
    _filled.clear()
    _ran[0] = False


def note_filled(
    container: Any,
    length: Expression | None = None,
    index: str | None = None,
    start: Expression = NOTHING,
) -> Any:
    """Remember how long ``container`` is, and return it."""
    _filled[id(container)] = Filled(container, length, index, start)
    return container


def filled(container: Any) -> Filled | None:
    """Return what is known of a container that a loop over sizes filled, None for any other."""
    known = _filled.get(id(container))
    if known is not None and known.container is container:
        return known
    if isinstance(container, Grown):
        return Filled(container, made_by(container.length))
    if isinstance(container, Runs) and isinstance(container.length, Size):
        return Filled(container, container.length.expression)
    return None


def length_of(container: Any) -> Any:
    """Return how long a container is: a symbolic int where sizes decide it."""
    if hasattr(type(container), "__torch_function__"):
        return container.shape[0] if container.dim() else len(container)
    sized = getattr(type(container), "sized", None)
    if sized is not None:
        return sized(container)
    if type(container) in (list, tuple, dict, set):
        number = len(container)
    else:
        own: Any = type(container).__len__ if hasattr(type(container), "__len__") else None
        if hasattr(own, "__code__") and own.__code__.co_filename in MODEL_FILES:
            return own(container)
        number = len(container)
    if isinstance(container, Text):
        return unknown(number)
    known = filled(container)
    if known is None:
        return number
    return number_of(known.length, number)


def number_of(made: Expression | None, number: int) -> Any:
    """Return a number with its expression, where it is that."""
    if made is None:
        return unknown(number)
    return number if made.constant == number else Size(number, made)


def element(known: Filled, index: Any, value: Any) -> Any:
    """Return an element with the letter of its own index in place of the loop's."""
    if isinstance(value, tuple):
        return tuple(element(known, index, one) for one in value)
    if not (isinstance(value, Size | Ratio) and known.index):
        return value
    made, at = value.expression, made_by(index)
    sign = value.sign if isinstance(value, Ratio) else None
    if not any(one is not None and known.index in one.letters for one in (made, sign)):
        return value
    new = None if at is None or made is None else made.substitute({known.index: known.start + at})
    if isinstance(value, Size):
        return number_of(new, plain(value))
    if value.over and at is not None:
        top, bottom = (one.substitute({known.index: known.start + at}) for one in value.over)
        return Ratio(plain_float(value), new, (top, bottom), value.exact)
    if sign is not None:
        sign = None if at is None else sign.substitute({known.index: known.start + at})
    return Ratio(plain_float(value), new, sign=sign)


def from_iterations(values: list[Any], made_in: list[tuple[Iteration, ...]]) -> Filled | None:
    """Return how long a list is by the iterations that ran when each of its values was made."""
    if not any(made_in):
        return None
    if all(len(one) == 1 for one in made_in):
        loops = [one for (one,) in made_in]
        first = loops[0]
        alike = all(one.letter == first.letter for one in loops) and is_known(first.length)
        in_order = alike and [one.number for one in loops] == list(range(len(loops)))
        if in_order and first.total == len(loops):
            return Filled(values, first.length, first.letter)
    return Filled(values, None)


def consumed(iterator: Any) -> list[Any]:
    """Return what an iterator yields as a list, whose length is known where a loop decides it."""
    depth, values, made_in = len(RUNNING), [], []
    for value in iterator:
        values.append(value)
        made_in.append(tuple(RUNNING[depth:]))
    known = from_iterations(values, made_in)
    if known:
        note_filled(values, known.length, known.index)
    return values


def iterations(length: Expression, index: str, numbers: Iterator[Any], total: int) -> Iterator[Any]:
    """Yield the numbers of a loop's iterations, each while it runs."""
    _ran[0] = True
    for number in numbers:
        iteration = Iteration(length, index, number, total)
        RUNNING.append(iteration)
        try:
            yield number
        finally:
            if iteration in RUNNING:
                RUNNING.remove(iteration)
