"""Track the lengths of containers that loops over sizes fill, and the iteration of each element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from paramproof.formulas.expression import Expression, expression, letter
from paramproof.tracing.recorder import LOOP_INDEX, MODEL_FILES, RUNNING
from paramproof.tracing.run_length import LoopLengthList, RunLengthList
from paramproof.tracing.symbolic.arithmetic import expression_of
from paramproof.tracing.symbolic.symfloat import SymFloat, plain_float
from paramproof.tracing.symbolic.symint import SymInt, plain_int, symint_or_int, unknown_symint
from paramproof.tracing.symbolic.symstr import SymStr
from paramproof.tracing.tensor_groups import Iteration

ZERO = expression(0)


class KnownLength(NamedTuple):
    """The length of a container that a loop over sizes filled, as far as it is known.

    ``length`` is its symbolic length, None if that could not be followed. If each iteration added
    one element, ``index`` is the symbol of the loop's index, and the element at k was added in
    iteration ``start`` + k.
    """

    container: Any
    length: Expression | None
    index: str | None = None  # type: ignore[assignment]  # A tuple's own method.
    start: Expression = ZERO


_lengths: dict[int, KnownLength] = {}


UNKNOWN_LENGTH = letter(f"{LOOP_INDEX}?")
"""The length of a loop whose length is unknown."""


def is_known(length: Expression) -> bool:
    return length != UNKNOWN_LENGTH


def loops_have_run() -> bool:
    """Return whether a loop over sizes has run or filled something in this trace."""
    return bool(_lengths) or _ran[0]


_ran = [False]


def forget_lengths() -> None:
    RUNNING.clear()
    _lengths.clear()
    _ran[0] = False


def record_length(
    container: Any,
    length: Expression | None = None,
    index: str | None = None,
    start: Expression = ZERO,
) -> Any:
    _lengths[id(container)] = KnownLength(container, length, index, start)
    return container


def known_length(container: Any) -> KnownLength | None:
    """Return what is known about a container that a loop over sizes filled, otherwise None."""
    known = _lengths.get(id(container))
    if known is not None and known.container is container:
        return known
    if isinstance(container, LoopLengthList):
        return KnownLength(container, expression_of(container.length))
    if isinstance(container, RunLengthList) and isinstance(container.length, SymInt):
        return KnownLength(container, container.length.expression)
    return None


def length_of(container: Any) -> Any:
    """Return the length of a container, as a symbolic int if it depends on sizes."""
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
    if isinstance(container, SymStr):
        return unknown_symint(number)
    known = known_length(container)
    if known is None:
        return number
    return symint_or_int(number, known.length)


def element_for_index(known: KnownLength, index: Any, value: Any) -> Any:
    """Return an element as it is at ``index``: the index replaces that of the loop that made it."""
    if isinstance(value, tuple):
        return tuple(element_for_index(known, index, one) for one in value)
    if not (isinstance(value, SymInt | SymFloat) and known.index):
        return value
    made, at = value.expression, expression_of(index)
    sign = value.sign if isinstance(value, SymFloat) else None
    if not any(one is not None and known.index in one.letters for one in (made, sign)):
        return value
    new = None if at is None or made is None else made.substitute({known.index: known.start + at})
    if isinstance(value, SymInt):
        return symint_or_int(plain_int(value), new)
    if value.over and at is not None:
        top, bottom = (one.substitute({known.index: known.start + at}) for one in value.over)
        return SymFloat(plain_float(value), new, (top, bottom), value.exact)
    if sign is not None:
        sign = None if at is None else sign.substitute({known.index: known.start + at})
    return SymFloat(plain_float(value), new, sign=sign)


def length_from_iterations(
    values: list[Any], made_in: list[tuple[Iteration, ...]]
) -> KnownLength | None:
    """Return the length of a list, given the iterations in which its values were made."""
    if not any(made_in):
        return None
    if all(len(one) == 1 for one in made_in):
        loops = [one for (one,) in made_in]
        first = loops[0]
        alike = all(one.letter == first.letter for one in loops) and is_known(first.length)
        in_order = alike and [one.number for one in loops] == list(range(len(loops)))
        if in_order and first.total == len(loops):
            return KnownLength(values, first.length, first.letter)
    return KnownLength(values, None)


def consume(iterator: Any) -> list[Any]:
    """Return a list of what an iterator yields, with its length if a loop decides it."""
    depth, values, made_in = len(RUNNING), [], []
    for value in iterator:
        values.append(value)
        made_in.append(tuple(RUNNING[depth:]))
    known = length_from_iterations(values, made_in)
    if known:
        record_length(values, known.length, known.index)
    return values


def running_iterations(
    length: Expression, index: str, numbers: Iterator[Any], total: int
) -> Iterator[Any]:
    """Yield the numbers of a loop's iterations, each while the iteration is in ``RUNNING``."""
    _ran[0] = True
    for number in numbers:
        iteration = Iteration(length, index, number, total)
        RUNNING.append(iteration)
        try:
            yield number
        finally:
            if iteration in RUNNING:
                RUNNING.remove(iteration)
