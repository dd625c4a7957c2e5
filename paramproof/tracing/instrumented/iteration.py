"""Loops over sizes: ``range``, and iteration over containers that such a loop filled.

The index of an iteration is a symbolic int with the loop's own symbol, and so are elements that
depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from paramproof.formulas.condition import is_never_negative
from paramproof.formulas.expression import Expression, letter
from paramproof.tracing.instrumented.lengths import (
    UNKNOWN_LENGTH,
    KnownLength,
    consume,
    element_for_index,
    is_known,
    known_length,
    record_length,
    running_iterations,
)
from paramproof.tracing.recorder import LOOP_INDEX, RUNNING, record_loop
from paramproof.tracing.symbolic.arithmetic import expression_of
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import (
    SymInt,
    plain_int,
    symint_or_int,
    unknown_symint,
)
from paramproof.tracing.symbolic.symstr import MAX_ELEMENTS, SymStr, has_size

_numbers = count()

_indices: dict[object, str] = {}
"""The index symbol of the loop that runs at each ``for`` statement over sizes."""


class SymRange:
    """A range with symbolic bounds, whose indices are symbolic too."""

    __class__ = property(lambda self: range)

    def __init__(self, *args: Any) -> None:
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        self.numbers = range(plain_int(start), plain_int(stop), plain_int(step))
        self.start, self.stop, self.step = start, stop, step
        length = -((start - stop) // step)
        self.counted = plain_int(length)
        self.length: Expression | None = expression_of(length)
        first, every = expression_of(start), expression_of(step)
        # If one of them is unknown, so are the length and the indices.
        self.first, self.every = first, every
        if self.length is None or first is None or every is None:
            self.length = None

    def sized(self) -> Any:
        """Return the length as a symbolic int."""
        may_be_empty = self.length is not None and not is_never_negative(self.length)
        # A range that ends before it begins is empty.
        if may_be_empty and not symint_or_int(self.counted, self.length) >= 0:
            return 0
        return symint_or_int(len(self.numbers), self.length)

    def at(self, index: Expression | None, number: int) -> Any:
        if self.length is None or index is None:
            return unknown_symint(number)
        assert self.first is not None
        assert self.every is not None
        # The index counts iterations from 0: index 2 of range(2, L, 3) is 2 + 3·2.
        return symint_or_int(number, self.first + self.every * index)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.run())

    def run(self) -> SymbolicIteration:
        numbers = self.numbers
        return SymbolicIteration(
            self.length, len(numbers), lambda n, index: self.at(index, numbers[n])
        )

    def __len__(self) -> int:
        return len(self.numbers)

    def __bool__(self) -> bool:
        return bool(self.sized() > 0)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            ends = (index.start, index.stop, index.step)
            plain = slice(*(plain_int(one) if isinstance(one, int) else one for one in ends))
            return record_length([unknown_symint(number) for number in self.numbers[plain]])
        if isinstance(index, SymInt) or self.length is not None:
            # An index beyond the end is an error.
            bool(index < self.sized()) if plain_int(index) >= 0 else bool(-index <= self.sized())
        value = self.numbers[plain_int(index)]
        at = expression_of(index)
        if at is not None and plain_int(index) < 0:
            at = None if self.length is None else self.length + at
        return self.at(at, value)

    def __contains__(self, item: Any) -> bool:
        if not isinstance(item, int | float):
            return False
        first, stop, step = self.start, self.stop, self.step
        if plain_int(step) < 0:
            first, stop, step = stop + 1, first + 1, -step
        inside = first <= item and item < stop
        return bool(inside and (step == 1 or (item - self.start) % step == 0))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, range) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reversed__(self) -> Iterator[Any]:
        return iter(symbolic_reversed(self))

    def index(self, item: Any) -> Any:
        return (item - self.start) // self.step

    def count(self, item: Any) -> int:
        return int(item in self)


def run_loop(
    length: Expression | None, total: int, site: object
) -> Iterator[tuple[int, Expression | None]]:
    """Yield the number of each iteration of a loop with this length, and its index.

    If the length is unknown, the index is None.
    """
    index = f"{LOOP_INDEX}{next(_numbers)}"
    known = UNKNOWN_LENGTH if length is None else length
    if length is not None:
        record_loop(length, index)
    for number in running_iterations(known, index, iter(range(total)), total):
        if site is not None:
            _indices[site] = index
            _last[site] = index, length, total
        yield number, (letter(index) if length is not None else None)


def last_loop(site: object) -> tuple[str, Expression | None, int] | None:
    return _last.get(site)


_last: dict[object, tuple[str, Expression | None, int]] = {}
"""The loop over sizes that ran last at each ``for`` statement."""


def index_at(site: object) -> str | None:
    return _indices.get(site)


class SymbolicIteration:
    """An iteration of symbolic length; ``make`` returns the value of each iteration."""

    def __init__(self, length: Expression | None, total: int, make: Callable[..., Any]) -> None:
        self.length, self.total, self.make = length, total, make
        self._running: Iterator[Any] | None = None

    def run(self, site: object) -> Iterator[Any]:
        for number, index in run_loop(self.length, self.total, site):
            yield self.make(number, index)

    def __iter__(self) -> Iterator[Any]:
        return self.run(None)

    def __next__(self) -> Any:
        if self._running is None:
            self._running = self.run(None)
        return next(self._running)


def symbolic_iteration(container: Any) -> SymbolicIteration | None:
    """Return an iteration over a container of symbolic length, None for other containers."""
    if isinstance(container, SymbolicIteration):
        return container
    if type(container) is SymRange:
        return container.run()
    if hasattr(type(container), "__torch_function__"):
        return _rows(container)
    if type(container) is SymStr:
        letters = list(container)
        return SymbolicIteration(None, len(letters), lambda n, _: letters[n])
    known = known_length(container)
    if known is None:
        return None
    values = list(container)
    if isinstance(container, dict) and not values:
        return None
    return SymbolicIteration(
        known.length, len(values), lambda n, index: element_at(known, values, n, index)
    )


def symbolic_parts(value: Any, depth: int = 3) -> Iterator[Any]:
    """Yield what the text of a value depends on: symbolic numbers and strings, and lengths.

    A container whose length a size decides yields a string that contains this size.
    """
    # Not isinstance: it would call an object's own ``__getattribute__``, which may end up here.
    kind = type(value)
    if issubclass(kind, SymbolicIteration):
        yield SymStr("", value.length)
    elif kind is SymRange:
        yield SymStr("", None)
    elif issubclass(kind, list | tuple | set | frozenset | dict):
        if (known := known_length(value)) is not None:
            yield SymStr("", known.length)
        if depth and len(value) < MAX_ELEMENTS:
            values = [*value, *value.values()] if issubclass(kind, dict) else value
            for one in values:
                yield from symbolic_parts(one, depth - 1)
    elif issubclass(kind, SymInt | SymFloat | SymStr) and has_size(value):
        yield value


ROW_READERS: list[Callable[[Any, int, Expression | None], Any]] = []
"""Functions that return a row of a tensor in an iteration; the last one is used."""


def _rows(tensor: Any) -> SymbolicIteration | None:
    length = tensor.shape[0] if tensor.dim() else None
    if not ROW_READERS or not isinstance(length, SymInt):
        return None
    return SymbolicIteration(
        length.expression, plain_int(length), lambda n, index: ROW_READERS[-1](tensor, n, index)
    )


def element_at(known: KnownLength, values: list[Any], number: int, index: Expression | None) -> Any:
    return element_for_index(known, symint_or_int(number, index), values[number])


def iterate(iterable: Any, module: str, number: int) -> Any:
    """Return the iterable of a ``for`` statement; iterations over sizes are tracked."""
    site = (module, number)
    _indices.pop(site, None)
    _last.pop(site, None)
    found = symbolic_iteration(iterable)
    return iterable if found is None else found.run(site)


def symbolic_enumerate(iterable: Any, start: Any = 0) -> Any:
    """Return Python's ``enumerate``, with symbolic numbers in a loop over sizes."""
    found = symbolic_iteration(iterable)
    if found is None:
        return _counted_iteration(iterable, start)
    own = found

    def make(number: int, index: Expression | None) -> Any:
        return symint_or_int(number, index) + start, own.make(number, index)

    return SymbolicIteration(found.length, found.total, make)


def _counted_iteration(iterable: Any, start: Any) -> Iterator[Any]:
    depth = len(RUNNING)
    for number, value in enumerate(iterable):
        ran = RUNNING[depth:]
        if len(ran) == 1 and ran[0].number == number and is_known(ran[0].length):
            yield start + symint_or_int(number, letter(ran[0].letter)), value
        else:
            yield start + (unknown_symint(number) if ran else number), value


def symbolic_reversed(container: Any) -> Any:
    found = symbolic_iteration(container)
    if found is None:
        return reversed(container)
    own, length = found, found.length

    def make(number: int, index: Expression | None) -> Any:
        back = None if index is None or length is None else length - 1 - index
        return own.make(own.total - 1 - number, back)

    return SymbolicIteration(length, found.total, make)


def make_list(iterable: Any = ()) -> list[Any]:
    """Return Python's ``list``, with its length if a loop over sizes filled it."""
    found = symbolic_iteration(iterable)
    if found is None:
        if hasattr(iterable, "__next__"):
            return consume(iterable)
        return list(iterable)
    return consume(iter(found))


def symbolic_range(*args: Any) -> Any:
    """Return Python's ``range``, or a ``SymRange`` if an argument is symbolic."""
    args = tuple(map(_index_of, args))
    return SymRange(*args) if any(isinstance(one, SymInt) for one in args) else range(*args)


def _index_of(value: Any) -> Any:
    """Return what an object's own ``__index__`` returns, which may be symbolic."""
    own: Any = getattr(type(value), "__index__", None)
    return own(value) if hasattr(own, "__code__") and not isinstance(value, SymInt) else value
