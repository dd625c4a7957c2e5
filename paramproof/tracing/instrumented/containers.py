"""Hooks for containers: symbolic indices and slices, ``in``, stored and carried values."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from paramproof.formulas.expression import Expression, expression, letter
from paramproof.tracing.instrumented.iteration import (
    SymbolicIteration,
    SymRange,
    index_at,
    last_loop,
    symbolic_iteration,
)
from paramproof.tracing.instrumented.lengths import (
    KnownLength,
    element_for_index,
    is_known,
    known_length,
    record_length,
)
from paramproof.tracing.recorder import RUNNING, record_caveat
from paramproof.tracing.run_length import LoopLengthList, RunLengthList
from paramproof.tracing.symbolic.arithmetic import expression_of, unknown_number
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import (
    SymInt,
    new_symint,
    plain_int,
    symint_or_int,
    trusting,
)
from paramproof.tracing.symbolic.symstr import SymStr, has_size
from paramproof.tracing.tensor_groups import Iteration

MAX_RUNS = 16
"""Runs of equal values in a table for which a symbolic index records a guard at each end."""


class SizedSlice:
    """A slice with a symbolic end."""

    def __init__(self, *ends: Any) -> None:
        self.ends = ends
        self.plain = slice(*(plain_int(one) if isinstance(one, int) else one for one in ends))


def make_slice(*ends: Any) -> Any:
    if any(isinstance(one, SymInt) for one in ends):
        return SizedSlice(*ends)
    return slice(*ends)


def get_item(container: Any, index: Any) -> Any:
    if isinstance(index, SizedSlice):
        return _slice(container, index)
    if isinstance(index, SymInt):
        return _at_size(container, index)
    if type(index) is int and isinstance(container, list | tuple):
        return _at_constant(container, index)
    if type(index) is slice:
        return _slice_of(container, index, (index.start, index.stop, index.step))
    if isinstance(index, tuple) and any(isinstance(one, SymInt | SizedSlice) for one in index):
        with trusting():
            return container[
                tuple(one.plain if isinstance(one, SizedSlice) else one for one in index)
            ]
    return container[index]


def _at_constant(container: Any, index: int) -> Any:
    if isinstance(container, RunLengthList):
        for end in container.ends:
            if isinstance(end, SymInt):
                bool(index < end)
    known = known_length(container)
    if known is None:
        return container[index]
    at: Any = index
    if index < 0 and known.length is not None:
        at = symint_or_int(len(container) + index, known.length + index)
    return element_for_index(
        known, at if plain_int(at) >= 0 else new_symint(0, None), container[index]
    )


def _at_size(container: Any, index: SymInt) -> Any:
    if isinstance(container, list | tuple | str | bytes) and type(container) is not RunLengthList:
        return _element_at(container, index)
    kind = type(container)
    if hasattr(kind, "__torch_function__") or hasattr(kind, "named_modules"):
        with trusting():
            return container[index]
    return container[index]


def _element_at(container: Any, index: SymInt) -> Any:
    """Return the element of a list, tuple or string at a symbolic index."""
    number = plain_int(index)
    value = container[number]
    known = known_length(container)
    made = expression_of(index)
    if known is not None:
        if made is None and not _are_alike(container):
            record_caveat(None, " selected an element of a list")
        return element_for_index(known, index, value)
    if isinstance(container, SymStr):
        return SymStr(value, container.expression)
    if _are_alike(container):
        return value
    if made is None:
        record_caveat(None, " selected an element of a list")
        return value
    ends = _ends(container)
    if len(ends) > MAX_RUNS:
        record_caveat(made, " selected an element of a list")
        return value
    if number >= 0:
        any(index < end for end in ends)
    else:
        record_caveat(made, " selected an element of a list")
    return value


def _are_alike(container: Any) -> bool:
    """Return whether all elements are equal, or all are modules or tensors."""
    first = container[0]
    if all(one is first for one in container):
        return True
    if any(map(has_size, container)):
        return False
    kinds = (int, float, str, bytes, bool, type, tuple, type(None))
    if all(not isinstance(one, kinds) for one in container):
        return hasattr(type(first), "named_modules") or hasattr(type(first), "__torch_function__")
    return isinstance(first, int | float | str | bool) and all(one == first for one in container)


def _slice(container: Any, index: SizedSlice) -> Any:
    if hasattr(type(container), "__torch_function__"):
        with trusting():
            return container[index.plain]
    if isinstance(container, SymStr | str) and not isinstance(container, list):
        made = next((expression_of(one) for one in index.ends if isinstance(one, SymInt)), None)
        return SymStr(container[index.plain], made)
    return _slice_of(container, index.plain, index.ends)


def _slice_of(container: Any, index: slice, ends: tuple[Any, ...]) -> Any:
    """Return a slice of a list or tuple, with its length if that is known."""
    found = container[index]
    known = known_length(container)
    sized = any(isinstance(one, SymInt) for one in ends)
    if not isinstance(found, list | tuple) or not (known or sized):
        return found
    start, stop, step = ends
    whole = known.length if known else expression(len(container))
    first = expression_of(0 if start is None else start)
    last = whole if stop is None else expression_of(stop)
    inside = [one is None or plain_int(one) >= 0 for one in (start, stop)]
    if step not in (None, 1) or whole is None or first is None or last is None or not all(inside):
        if sized and not (container and _are_alike(container)):
            record_caveat(
                next(filter(None, map(expression_of, ends)), None), " was the end of a slice"
            )
        return record_length(found)
    # Python cuts a slice off at the end of the list: record whether it does.
    for one in (start, stop):
        if one is not None and not _is_sum_of(one, whole):
            bool(one <= symint_or_int(len(container), whole))
    if plain_int(stop if stop is not None else 0) > len(container):
        last = whole
    own = known.index if known else None
    if not known and container and not _are_alike(container):
        _record_slice_guards(container, (start, stop))
    return record_length(
        found, last - first, own, (known.start if known else expression(0)) + first
    )


def _ends(container: Any) -> list[int]:
    """Return the indices at which runs of equal values end; a symbolic value is a run by itself."""
    pairs = enumerate(pairwise(container), 1)
    return [
        end
        for end, (one, other) in pairs
        if one is not other and (has_size(one) or has_size(other) or one != other)
    ]


def _record_slice_guards(container: Any, sizes: Iterable[Any]) -> None:
    """Record which runs of a table a slice reaches into."""
    ends = _ends(container)
    for size in sizes:
        if isinstance(size, SymInt) and len(ends) > MAX_RUNS:
            record_caveat(expression_of(size), " was the end of a slice")
        elif isinstance(size, SymInt):
            any(size <= end for end in ends)


def _is_sum_of(one: Any, whole: Expression) -> bool:
    made = expression_of(one)
    if made is None:
        return True
    rest = whole - made
    return all(number > 0 for number in rest.terms.values()) and rest.is_polynomial


def contains(container: Any, value: Any) -> Any:
    if (
        isinstance(value, SymInt)
        and type(container) is not SymRange
        and isinstance(container, range)
    ):
        return value in SymRange(container.start, container.stop, container.step)
    if isinstance(value, SymInt) and isinstance(container, set | frozenset | dict):
        numbers = [one for one in container if isinstance(one, int | float)]
        if len(numbers) <= MAX_RUNS and known_length(container) is None:
            # Compare with all of them, so that the guards do not depend on the answers.
            answers = [value == one for one in sorted(numbers)]
            return any(answers)
    if isinstance(value, SymStr) and isinstance(container, str):
        record_caveat(value.expression, " was searched for as text")
    return value in container


def record_growth(container: Any) -> None:
    """Record that a container grew or shrank while a loop over sizes was running."""
    if RUNNING:
        known = known_length(container)
        if known is None or known.length is not None:
            record_length(container)


_stored_in: dict[tuple[int, object], tuple[Any, Any, tuple[Iteration, ...]]] = {}
"""Values by the place where they were stored, with the iterations that stored them."""


def store(value: Any, container: Any, site: object) -> Any:
    """Return ``value``, which is about to be stored in a container or an object.

    A plain value that differs between iterations of a loop over sizes becomes unknown.
    """
    if not RUNNING:
        return value
    if hasattr(type(container), "__len__") and not hasattr(type(container), "__torch_function__"):
        record_growth(container)
    if not isinstance(value, int | float | str) or isinstance(value, bool) or has_size(value):
        return value
    now = tuple(RUNNING)
    _, first, then = _stored_in.setdefault((id(container), site), (container, value, now))
    return value if then == now or first == value else unknown_value(value)


def note_starred(value: Any, site: int) -> Any:
    """Return a value unpacked into a list display, and record whether its length is symbolic."""
    if symbolic_iteration(value) is not None:
        _starred_sites.add(site)
    return value


_starred_sites: set[int] = set()


def starred_display(values: Any, site: int) -> Any:
    """Return a list or tuple display with unpacked values, whose length may be symbolic."""
    if site in _starred_sites:
        _starred_sites.discard(site)
        return record_length(values)
    return values


def starred_arguments(values: Any) -> Any:
    """Return unpacked arguments: the called function may use their number unobserved."""
    known = known_length(values)
    if symbolic_iteration(values) is None or (known is not None and _are_parts(values)):
        return values
    record_caveat(None if known is None else known.length, " decides how many arguments are given")
    return values


def _are_parts(values: Any) -> bool:
    return all(hasattr(type(one), "named_modules") for one in values)


def unpack(values: Any) -> Any:
    """Return a value that is unpacked into names with a starred one, which takes the rest."""
    if symbolic_iteration(values) is not None:
        known = known_length(values)
        length = getattr(values, "length", None) if known is None else known.length
        record_caveat(length, " decides how many names are left")
    return values


def compare(name: str, left: Any, right: Any) -> Any:
    """Return a comparison; lists compare their lengths too, which Python does unobserved."""
    if type(left) in SEQUENCES and type(right) in SEQUENCES:
        one, other = known_length(left), known_length(right)
        lengths = [known.length for known in (one, other) if known is not None]
        if len(lengths) == 2 and None not in lengths:
            # Lists of one length with the same guards compare alike.
            bool(symint_or_int(len(left), lengths[0]) == symint_or_int(len(right), lengths[1]))
        elif lengths:
            record_caveat(lengths[0], " decides how long is a list that was compared")
    return getattr(operator, name)(left, right)


SEQUENCES = (list, tuple, RunLengthList, LoopLengthList)


def add(left: Any, right: Any) -> Any:
    found = left + right
    return _joined(found, left, right) if type(left) in (list, tuple) else found


def iadd(left: Any, right: Any) -> Any:
    known = known_length(left) if isinstance(left, list) else None
    before = KnownLength(left, None) if known is None else known
    number = len(left) if isinstance(left, list) else 0
    found = operator.iadd(left, right)  # type: ignore[no-untyped-call]
    if isinstance(found, list):
        if (
            known is not None
            or known_length(right) is not None
            or type(right) in (SymRange, SymbolicIteration)
        ):
            mine = before.length if known is not None else expression(number)
            other = known_length(right)
            more = other.length if other else None
            record_length(found, None if mine is None or more is None else mine + more)
        record_growth(found)
    return found


def _joined(found: Any, left: Any, right: Any) -> Any:
    one, other = known_length(left), known_length(right)
    if (one is None and other is None) or isinstance(found, RunLengthList | LoopLengthList):
        return found
    lengths = [
        expression(len(part)) if known is None else known.length
        for part, known in ((left, one), (right, other))
    ]
    first, second = lengths
    return record_length(found, None if first is None or second is None else first + second)


def carried_over(value: Any, module: str, number: int, name: str, step: int | None) -> Any:
    """Return a variable that an iteration takes from the previous one.

    In a loop over sizes it is unknown; but if every iteration adds ``step``, it is its first value
    plus ``step`` for each iteration.
    """
    index = index_at((module, number))
    if index is None:
        return value
    if isinstance(value, dict | set) or value is None:
        return value
    key = (index, name)
    if key not in _first_values:
        _first_values[key] = value
        return value if step is None else _counted_so_far(value, value, step, index)
    if isinstance(value, list | tuple | bytes):
        if value is not _first_values[key] and not (value and _are_parts(value)):
            record_caveat(None, f" was carried from one iteration to the next in {name}")
        return value
    if step is not None:
        return _counted_so_far(value, _first_values[key], step, index)
    if _first_values[key] is value:
        return value
    return _of_another_iteration(value, _first_values[key], index)


def _counted_so_far(value: Any, first: Any, step: int, index: str) -> Any:
    """Return ``first`` + ``step``·index, if that is the current value."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    made = expression_of(first)
    running = next((one for one in reversed(RUNNING) if one.letter == index), None)
    if made is None or running is None or not is_known(running.length):
        return unknown_value(value)
    if plain_int(value) != plain_int(first) + step * running.number:
        return unknown_value(value)
    return symint_or_int(plain_int(value), made + step * letter(index))


def value_after_loop(value: Any, module: str, number: int, name: str, step: int) -> Any:
    """Return a variable after a loop whose iterations each added ``step``."""
    loop = last_loop((module, number))
    if loop is None or not isinstance(value, int) or isinstance(value, bool):
        return value
    index, length, total = loop
    first = _first_values.get((index, name))
    made = None if first is None else expression_of(first)
    if made is None or length is None or plain_int(value) != plain_int(first) + step * total:
        return unknown_value(value)
    return symint_or_int(plain_int(value), made + step * length)


_first_values: dict[tuple[str, str], Any] = {}
"""The values of variables when the first iteration of a loop began."""


def forget_values() -> None:
    _first_values.clear()
    _added_in.clear()
    _stored_in.clear()


def _of_another_iteration(value: Any, first: Any, index: str) -> Any:
    if isinstance(value, SymInt | SymFloat):
        made = value.expression
        if made is not None and index in made.letters:
            return unknown_value(value)
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    return value if value == first and type(value) is type(first) else unknown_value(value)


def unknown_value(value: Any) -> Any:
    return SymStr(value, None) if isinstance(value, str) else unknown_number(value)


_added_in: dict[tuple[object, ...], tuple[object, tuple[Iteration, ...]]] = {}
"""The iterations in which something was added, by the object that it was added to."""


def added_value(value: Any, kept: Any, module: str, number: int) -> Any:
    """Return a value that is added to something that outlives an iteration, stored in ``kept``.

    It becomes unknown once a second iteration of a loop over sizes adds to the same object.
    """
    if not RUNNING or has_size(value):
        return value
    key = (id(kept),) if kept is not None else (module, number)
    now = tuple(RUNNING)
    _, before = _added_in.setdefault(key, (kept, now))
    return value if before == now else unknown_value(value)
