"""Symbolic sizes for the reader: numbers with an expression, and lists with a length.

The reader computes with them as it does with plain values. A ``Number`` has its value, and the
expression by which it was computed. A comparison gives the answer of the values, and the recorder
notes it as a guard. A loop over a ``Series`` has a length, and its index is a letter of its own.
Where Python reads a number in a way that no expression can follow, as the index of a plain list or
as the key of a dict, the recorder notes it as lost: those sizes may not change.

Floats round, and a formula must not ignore that. A quotient that is rounded once, as H / A, stays
on the same side of every integer, because sizes are far below 2⁵³. Any other float keeps the steps
by which Python computes it (``paramproof.formulas.computed``).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count, pairwise
from math import gcd, inf, isfinite, log2
from typing import Any, NamedTuple, TypeAlias

from paramproof.catalogue.program import bounded
from paramproof.formulas.computed import FUNCTIONS, WHOLE_OF_WHOLE
from paramproof.formulas.condition import Condition, Relation, at_least_one, is_never_negative
from paramproof.formulas.expression import (
    Computed,
    Expression,
    Operand,
    as_operand,
    ceiling,
    computed,
    expression,
    floor,
    letter,
    sides,
)
from paramproof.formulas.path import LAYER

LOOP_INDEX = "@"
"""Prefix of the letters of loop indices. Alone it is the index of any loop."""

UNKNOWN_LENGTH = letter(f"{LOOP_INDEX}?")


class Iteration(NamedTuple):
    """One of the ``total`` iterations of a loop, with the letter of its index, and the index."""

    length: Expression
    letter: str
    number: int
    total: int = 0


IterationStack: TypeAlias = tuple[Iteration, ...]
"""The iterations in which a tensor was created, innermost last."""

RUNNING: list[Iteration] = []
"""The iterations that are running, innermost last."""


@dataclass(slots=True)
class Recorder:
    """The guards of a run, the lengths of its loops by index, and the expressions that it lost.

    A number whose expression is not known is lost as None. ``kinds`` are lists of kinds of layers,
    by path: the number of each kind is a size, ``layer_types[full_attention]``.
    """

    guards: dict[Condition, None] = field(default_factory=dict)
    indices: dict[str, Expression] = field(default_factory=dict)
    lost: dict[Expression | Computed | None, None] = field(default_factory=dict)
    kinds: dict[str, list[str]] = field(default_factory=dict)
    pinned: bool = False
    """Whether the length of a loop may have no other value."""
    has_stars: bool = False
    """Whether the indexes of loops are stars in texts."""

    @property
    def loop_lengths(self) -> list[Expression]:
        """The lengths of all loops that do not depend on the index of another loop."""
        return [one for one in self.indices.values() if not has_loop_index(one.letters)]

    @property
    def lengths_of_kinds(self) -> dict[str, int]:
        """The lengths of the lists of kinds, by the size that is the number of a kind there."""
        return {f"{path}[{one}]": len(texts) for path, texts in self.kinds.items() for one in texts}


_recorders, _numbers = [Recorder()], count()


@contextmanager
def recording() -> Iterator[Recorder]:
    RUNNING.clear()
    _recorders.append(Recorder())
    try:
        yield _recorders[-1]
    finally:
        _recorders.pop()


def has_loop_index(letters: frozenset[str]) -> bool:
    return any(name.startswith(LOOP_INDEX) for name in letters)


def lose(made: Operand | None) -> None:
    """Note that an expression decides something in a way that is not followed."""
    _recorders[-1].lost[made if isinstance(made, Expression | Computed) else None] = None


# Numbers


def _operator(name: str) -> tuple[Any, Any]:
    """Return the methods of an operator, which has this name in a ``Computed`` number."""
    return (
        lambda self, other: result(name, self, other),
        lambda self, other: result(name, other, self),
    )


def _comparison(compute: Callable[[Any, Any], bool], relation: Relation, sign: bool) -> Any:
    def method(self: Number, other: Any) -> Any:
        if not isinstance(other, int | float | Number):
            return NotImplemented
        answer = compute(self.value, plain(other))
        _compare(relation, self, other, answer is sign)
        return answer

    return method


class Number:
    """A symbolic int or float.

    ``made`` is its expression, None if it depends on sizes in a way that was not followed. A
    remainder is ``divided`` from a dividend by a divisor, because a guard reads better as "A
    divides H".
    """

    def __init__(self, value: Any, made: Expression | None) -> None:
        self.value, self.made = value, made
        self.divided: tuple[Any, Any] | None = None

    def read(self) -> Any:
        """Return the value to code that may decide by it unobserved."""
        lose(self.made)
        return self.value

    def __index__(self) -> int:
        return operator.index(self.read())

    def __hash__(self) -> int:
        return hash(self.read())

    def __str__(self) -> str:
        return str(self.read())

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __neg__(self) -> Any:
        return -1 * self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __round__(self) -> Any:
        return result("round", self)

    __add__, __radd__ = _operator("plus")
    __sub__, __rsub__ = _operator("minus")
    __mul__, __rmul__ = _operator("times")
    __truediv__, __rtruediv__ = _operator("over")
    __floordiv__, __rfloordiv__ = _operator("div")
    __mod__, __rmod__ = _operator("mod")
    __pow__, __rpow__ = _operator("power")
    __and__, __rand__ = _operator("and")

    __eq__ = _comparison(operator.eq, Relation.EQUAL, True)
    __ne__ = _comparison(operator.ne, Relation.EQUAL, False)
    __lt__ = _comparison(operator.lt, Relation.LESS, True)
    __ge__ = _comparison(operator.ge, Relation.LESS, False)
    __gt__ = _comparison(operator.gt, Relation.MORE, True)
    __le__ = _comparison(operator.le, Relation.MORE, False)


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Number) else value


def number(value: Any, made: Expression | None) -> Any:
    """Return a number, which is plain if its expression is a constant."""
    return Number(value, made) if made is None or made.letters else value


def expression_of(value: Any) -> Expression | None:
    """Return the expression of an int, None if there is none."""
    made = _operand(value)
    return made if isinstance(made, Expression) else None


def _operand(value: Any) -> Any:
    """Return what a number is in further steps: a float is a float or ``Computed``."""
    if isinstance(value, Number):
        return as_operand(value.made) if isinstance(value.value, float) else value.made  # type: ignore[arg-type]
    return expression(int(value)) if isinstance(value, int) else value


def result(name: str, *operands: Any) -> Any:
    """Return what Python computes with a function of ``paramproof.formulas.computed``."""
    values, parts = [*map(plain, operands)], [*map(_operand, operands)]
    if not all(isinstance(one, int | float) for one in values):
        return NotImplemented
    if name in ("over", "div", "mod"):
        _compare(Relation.EQUAL, operands[1], 0, not values[1])
    if name in ("sqrt", "log2"):
        bool(operands[0] > 0)  # A smaller number is an error.
    value = FUNCTIONS[name](*values)
    if None in parts or _are_of_two_turns(*parts):
        return Number(value, None)
    if name == "div" and isinstance(value, int) and parts[1] == expression(1):
        return operands[0]
    found = number(value, _made(name, *parts))
    if name == "mod" and isinstance(found, Number) and isinstance(value, int):
        found.divided = operands
    return found


OF_QUOTIENTS: dict[str, Any] = {
    "floor": floor,
    "ceil": ceiling,
    # The nearest integer, ties to even: ⌊(x + ½)/2⌋ + ⌈(x − ½)/2⌉.
    "round": lambda a, b: floor(2 * a + b, 4 * b) - floor(b - 2 * a, 4 * b),
    "plus": lambda a, b, c, d: _over(a * d + c * b, b * d),
    "minus": lambda a, b, c, d: _over(a * d - c * b, b * d),
    "times": lambda a, b, c, d: _over(a * c, b * d),
    "over": lambda a, b, c, d: _over(a * d, b * c),
}
"""What functions make of quotients of whole numbers, a / b and c / d."""


# By type, because a float and an expression may be equal.
@lru_cache(4096, typed=True)
def _made(name: str, *operands: Any) -> Expression:
    """Return a result: a sum of products, what is rounded at most once, or else a step."""
    with suppress(ArithmeticError, TypeError):
        if all(isinstance(one, Expression) for one in operands):
            if name in WHOLE_OF_WHOLE:
                return FUNCTIONS[name](*operands)  # type: ignore[no-any-return]
            if name == "power" and int(operands[1]) >= 0:
                return operands[0] ** int(operands[1])  # type: ignore[no-any-return]
        if name in OF_QUOTIENTS:
            pairs: Any = [_quotient(one, may_round=len(operands) == 1) for one in operands]
            if (made := OF_QUOTIENTS[name](*(side for pair in pairs for side in pair))) is not None:
                return made  # type: ignore[no-any-return]
    return computed(name, *operands)


def _over(top: Expression, bottom: Expression) -> Expression | None:
    """Return a quotient that is rounded once: a float holds both sides exactly, and twice them."""
    is_exact = max(_bits(top), _bits(bottom)) < 52
    return letter(Computed("over", (top, bottom))) if is_exact else None


@lru_cache(4096)
def _bits(made: Any) -> float:
    """Return a bound for the binary digits of a number, if sizes are at most 2²⁰."""
    match made:
        case str():
            return 20.0
        case Computed("power"):
            return inf
        case Computed("over", (top, Expression() as bottom)) if bottom.is_whole:
            return max(0.0, _bits(top))
        case Computed():
            pair = sides(made)
            return _bits(pair[0]) if pair else 1 + sum(abs(_bits(x)) for x in made.operands)
    made = expression(made)
    terms = [
        log2(abs(factor)) + sum(power * _bits(atom) for atom, power in powers if power > 0)
        for powers, factor in made.terms.items()
    ]
    return max(terms, default=0.0) + log2(max(1, len(terms)))


def _quotient(one: Any, may_round: bool = False) -> tuple[Expression, Expression] | None:
    """Return the quotient of whole numbers that an operand is, or that it is if rounded once."""
    match one:
        case Expression():
            return one, expression(1)
        case float():
            return tuple(map(expression, one.as_integer_ratio()))  # type: ignore[return-value]
        case Computed("over", (Expression() as top, Expression() as bottom)) if _over(top, bottom):
            divisor = int(bottom.constant or 0)
            return (top, bottom) if may_round or (divisor and not divisor & (divisor - 1)) else None
    return None


def truncated(one: Any) -> Any:
    """Return Python's ``int``."""
    if not (isinstance(one, Number) and isinstance(one.value, float)):
        return one if isinstance(one, Number) else int(one)
    if _quotient(_operand(one), True) is None:
        return result("int", one)
    return result("floor" if one >= 0 else "ceil", one)


# Guards


def _are_of_two_turns(one: Operand, other: Operand = 0) -> bool:
    """Return whether both depend on the index of a loop that has ended.

    Then its letter may mean different iterations in the two.
    """
    none = frozenset[str]()
    shared = getattr(one, "letters", none) & getattr(other, "letters", none)
    return has_loop_index(shared - {turn.letter for turn in RUNNING})


def _compare(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    """Record the guard of a comparison that had this answer."""
    one, other = _operand(left), _operand(right)
    if any(isinstance(side, float) and not isfinite(side) for side in (one, other)):
        return  # All sizes compare alike with it.
    if one is None or other is None or _are_of_two_turns(one, other):
        lose(one if other is None else other)
        return
    guard = _guard(relation, one, other, answer)
    divided: Any = getattr(left, "divided", None)
    rest = expression_of(right)
    is_of_remainder = relation is Relation.EQUAL and divided and rest is not None
    # Only for a possible remainder: i mod 3 is 2 if 3 divides i − 2.
    if is_of_remainder and (rest == 0 or 0 <= right < divided[1]):
        top, bottom = map(_operand, divided)
        guard = Condition(Relation.DIVIDES, bottom, top - rest, answer)
    if guard:
        _recorders[-1].guards.setdefault(guard)


@lru_cache(4096, typed=True)
def _guard(  # noqa: C901 - a case for each form
    relation: Relation, one: Any, other: Any, answer: bool
) -> Condition | None:
    """Return the guard of a comparison, None if all sizes answer alike."""
    match one:
        case Computed("sqrt" | "over", (inner, *by)) if other == 0 and all(map(is_natural, by)):
            one = inner  # It has the same sign.
    pairs: list[Any] = [_compared(one, other), _compared(other, one)]
    if None in pairs:
        if isinstance(other, float) and not other.is_integer():
            one, other = computed("minus", one, other), 0
        one, other = (letter(x) if isinstance(x, Computed) else expression(x) for x in (one, other))
    else:
        (top, under), (over, down) = pairs
        one, other = top * down, over * under
    for atom in (atom for powers in (one - other).terms for atom, _ in powers):
        if relation is Relation.EQUAL and (pair := sides(atom)):
            rest = pair[0] - pair[1] * letter(atom)
            if one - other in (rest, -rest):
                return Condition(Relation.DIVIDES, pair[1], pair[0], answer)
    if not (one and one.is_whole and other.constant is not None) or () in one.terms:
        return Condition(relation, one, other, answer)
    # 5·H > 12 is H > 2.
    factor = gcd(*map(int, one.terms.values()))
    one, limit = one / factor, other / factor
    if relation is Relation.EQUAL and not limit.is_whole:
        return None
    nearest = math.floor if relation is Relation.MORE else math.ceil
    found = Condition(relation, one, expression(nearest(limit.constant)), answer)
    is_positive = relation is Relation.EQUAL and is_never_negative(one)
    if one.has_quotients and found.right == 0 and (is_positive or relation is Relation.MORE):
        # 3·⌊H/A⌋ > 0 is A ≤ H.
        need, *others = at_least_one(one)
        if not others and need.left != one:
            return replace(need, holds=answer is (relation is Relation.EQUAL))
    return found


def _compared(one: Any, other: Any) -> tuple[Expression, Expression] | None:
    """Return whole numbers whose quotient compares with ``other`` as an operand does."""
    is_whole = other.is_integer() if isinstance(other, float) else isinstance(other, Expression)
    pair = _quotient(one, is_whole)
    return pair if pair and is_natural(pair[1]) else None


def is_natural(one: Any) -> bool:
    return isinstance(one, Expression) and is_never_negative(one, one.letters)


# Lists


def pin(length: Expression | None, number: int) -> None:
    """Let a length have no other value."""
    _recorders[-1].pinned = True
    bool(Number(number, length) == number)


def text(one: Any) -> str:
    """Return Python's ``str``."""
    if not isinstance(one, Number):
        return str(one)
    is_index = has_loop_index(getattr(one.made, "letters", frozenset()))
    return Name(LAYER if is_index and _recorders[-1].has_stars else one.value)


class Name(str):
    """A text that is a number, as the name of a layer; only another number tells which."""

    def __eq__(self, other: object) -> bool:
        if any(map(str.isdigit, str(other))):
            lose(None)
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        lose(None)
        return str.__hash__(self)


class Series(list[Any]):
    """A list of symbolic length, which is None if it is not known.

    If each iteration of a loop made one element, ``turn`` is the letter of its index. A list that
    is a sum has its ``parts``, and a range its ``bounds``, the last of which is the step.
    """

    def __init__(self, values: Any, length: Any, turn: str = "", parts: Any = (), bounds: Any = ()):
        super().__init__(values)
        self.length, self.turn, self.parts, self.bounds = length, turn, parts, bounds

    def element(self, value: Any, at: Expression | None) -> Any:
        """Return a value as it is at an index, which replaces that of the loop that made it."""
        if isinstance(value, tuple):
            return tuple(self.element(one, at) for one in value)
        made = value.made if isinstance(value, Number) else None
        if made is None or self.turn not in made.letters:
            return value
        return number(value.value, None if at is None else made.substitute({self.turn: at}))

    def __add__(self, other: Any) -> Any:
        parts = [part for x in (self, other) for part in (getattr(x, "parts", ()) or [x])]
        length = expression_of(length_of(self) + length_of(other))
        return Series([*self, *other], length, parts=parts)

    def __radd__(self, other: Any) -> Any:
        return Series.__add__(other, self)


class Unsized(set[Any]):
    """A set of the elements of a list of symbolic length."""


def has_length(items: Any) -> bool:
    """Return whether sizes decide how many items there are."""
    if not isinstance(items, Series):
        return isinstance(items, Unsized)
    return items.length is None or bool(items.length.letters or items.turn)


def has_sizes(items: Any) -> bool:
    return has_length(items) or any(isinstance(one, Number) for one in items)


def length_of(items: Any) -> Any:
    if not isinstance(items, Series):
        return Number(len(items), None) if isinstance(items, Unsized) else len(items)
    # A range that ends before it begins is empty.
    if items.bounds and items.length is not None and not is_never_negative(items.length):
        start, stop, every = map(plain, items.bounds)
        if not number(-((start - stop) // every), items.length) >= 0:
            return 0
    return number(len(items), items.length)


def truth(value: Any) -> bool:
    return bool(length_of(value) > 0) if has_length(value) else bool(value)


def turns(items: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the index and the element of each iteration of a loop, while it is running."""
    if not has_length(items) or isinstance(items, Unsized):
        yield from enumerate(items)
        return
    name, length, place = f"{LOOP_INDEX}{next(_numbers)}", items.length, None
    if length is None:
        _recorders[-1].pinned, length = True, UNKNOWN_LENGTH
    else:
        _recorders[-1].indices[name], place = length, letter(name)
    for turn in range(len(items)):
        running = Iteration(length, name, turn, len(items))
        RUNNING.append(running)
        try:
            index, is_known = Number(turn, place), place or items.parts
            yield index, at(items, index) if is_known else items.element(items[turn], None)
        finally:
            if running in RUNNING:
                RUNNING.remove(running)


def in_turns(values: Iterable[Any]) -> tuple[list[Any], list[IterationStack]]:
    """Return values, and for each the iterations that made it."""
    depth = len(RUNNING)
    pairs = [(one, (*RUNNING[depth:],)) for one in values]
    return [one for one, _ in pairs], [where for _, where in pairs]


def collected(values: list[Any], made: list[IterationStack]) -> list[Any]:
    """Return values as a list, whose length may not change if not each iteration made one."""
    for one in made[0][:1] if made else ():
        every = [(one._replace(number=turn),) for turn in range(one.total)]
        if one.length != UNKNOWN_LENGTH and made == every:
            return Series(values, one.length, one.letter)
    for one in (one for where in made for one in where):
        pin(one.length, one.total)
    return values


def range_of(start: Any, stop: Any, every: Any = 1) -> list[Any]:
    values = bounded(range(plain(start), plain(stop), plain(every)))
    if not any(isinstance(one, Number) for one in (start, stop, every)):
        return [*values]
    length, name = expression_of(-((start - stop) // every)), f"{LOOP_INDEX}{next(_numbers)}"
    made = expression_of(start + every * Number(1, letter(name)))
    numbers = (Number(one, made) for one in values)
    return Series(numbers, length, name, bounds=(start, stop, every))


def times(items: Any, many: Any) -> Any:
    """Return a product, which may be a list that is repeated."""
    items, many = (many, items) if isinstance(many, list) else (items, many)
    if not (isinstance(items, list) and (isinstance(many, Number) or has_length(items))):
        return bounded(items, many) * bounded(many, items)
    # Python repeats a list not at all for a negative number.
    if many < 0:
        return []
    return Series([*items] * plain(many), expression_of(length_of(items) * many))


MAX_RUNS = 16
"""Runs of equal values in a plain list that a symbolic index is compared with."""


def at(items: Any, index: Any) -> Any:
    """Return the element of a list, or the value of an object."""
    is_read = isinstance(index, Number) and isinstance(items, list | tuple | str)
    if not is_read and not (type(index) is int and isinstance(items, Series)):
        return items[index]
    place = index if is_at_least_zero(index) else length_of(items) + index
    return element_at(items, items[plain(index)], place)


def element_at(items: Any, value: Any, place: Any) -> Any:
    """Return the value at a place of a list; record what else may be there at other sizes."""
    made = expression_of(place)
    if isinstance(items, Series) and not items.parts:
        if made is None and not _are_alike(items):
            lose(None)
        return items.element(value, made)
    start: Any = 0
    for part in getattr(items, "parts", ()):
        if place < start + length_of(part):
            is_single = len(part) == 1 and not has_length(part)
            return value if is_single else element_at(part, value, place - start)
        start = start + length_of(part)
    ends = [end for end, pair in enumerate(pairwise(items), 1) if not _are_alike(pair)]
    loops = [one for one in RUNNING if made is None or one.letter in made.letters]
    if loops and not has_length(items) and has_sizes(items):
        # Layers of different sizes: there are as many as the list has.
        for one in loops:
            pin(one.length, one.total)
    elif ends and (made is None or len(ends) > MAX_RUNS):
        lose(made)
    else:
        any(place < end for end in ends)
    return value


def is_at_least_zero(index: Any) -> bool:
    """Return whether an index counts from the beginning of a list."""
    made = expression_of(index)
    return bool(plain(index) >= 0 if made is None or is_natural(made) else index >= 0)


def _are_alike(items: Any) -> bool:
    first, are_plain = items[0], all(isinstance(one, int | float | str) for one in items)
    return all(one is first or (are_plain and one == first) for one in items)


def part_of(items: Any, start: Any, stop: Any, every: Any) -> Any:
    """Return a slice."""
    if not has_length(items):
        return items[start:stop:every]
    found = list.__getitem__(items, slice(plain(start), plain(stop), every))
    length, first = items.length, expression_of(start or 0)
    ends = [one for one in (start, stop) if one is not None]
    is_plain = every in (None, 1) and all(map(is_at_least_zero, ends))
    if length is None or first is None or not is_plain:
        return Series(found, None)
    # Python cuts a slice off at the end of the list: record whether it does.
    is_inside = [is_natural(length - expression_of(x)) or x <= length_of(items) for x in ends]
    last = expression_of(stop) if stop is not None and is_inside[-1] else length
    found = [items.element(one, letter(items.turn) + first) for one in found]
    return Series(found, last and last - first, items.turn)


def zipped(*lists: Any) -> list[Any]:
    if not any(map(has_length, lists)):
        return [*zip(*lists, strict=False)]
    indices = (index for index, _ in turns(range_of(0, min(map(length_of, lists)))))
    return collected(*in_turns(tuple(at(one, index) for one in lists) for index in indices))


def contains(items: Any, value: Any) -> bool:
    if isinstance(items, Series) and items.bounds:
        start, stop, every = items.bounds
        is_between = start <= value and value < stop
        return bool(is_between and (every == 1 or (value - start) % every == 0))
    if isinstance(value, Number) and isinstance(items, set | dict):
        items = [*items]  # Each element is compared, and none is looked up.
    return value in items


def unique(items: Any = ()) -> Any:
    """Return Python's ``set``, or a list if numbers are compared to tell which are alike."""
    if has_length(items) or not any(isinstance(one, Number) for one in items):
        return Unsized(items) if has_length(items) else set(items)
    found: list[Any] = []
    for one in items:
        if one not in found:
            found.append(one)
    return found


def equal(one: Any, other: Any) -> bool:
    lists = [x for x in (one, other) if isinstance(one, list) and isinstance(other, list)]
    lengths = [length_of(x) for x in lists if has_length(x)]
    if len(lengths) == 2:
        bool(lengths[0] == lengths[1])  # Lists of one length with the same guards compare alike.
    elif lengths:
        lose(expression_of(lengths[0]))
    return bool(one == other)


def reduced(function: Callable[..., Any], items: Any, *others: Any) -> Any:
    """Return what a function of all elements gives; it is unknown if their number is symbolic."""
    if not has_length(items):
        if function is not sum:
            return function(items, *others)
        # What loops made is taken as if a file had it: a text is a kind of layer, a number a size.
        made = [isinstance(x, Series) and bool(x.turn or x.length is None) for x in items]
        return function([[*x] if y else x for x, y in zip(items, made, strict=True)], *others)
    found = function([one.read() if isinstance(one, Number) else one for one in items], *others)
    return Series(found, None) if isinstance(found, list) else Number(found, None)


SIZED: dict[str, Any] = {
    "==": equal,
    "truth": truth,
    "not": lambda one: not truth(one),
    "len": length_of,
    "*": times,
    "**": operator.pow,
    "in": lambda value, items: contains(items, value),
    "int": truncated,
    "float": lambda one: one / 1 if isinstance(one, Number) else float(one),
    "str": text,
    "get": at,
    "isfinite": lambda one: isfinite(plain(one)),
    **{one: partial(result, one) for one in ("ceil", "floor", "sqrt", "log2")},
    "range": range_of,
    "zip": zipped,
    "slice": part_of,
    "set": unique,
    **{one.__name__: partial(reduced, one) for one in (max, min, sum, math.prod, sorted)},
}
"""The operations of programs that differ with symbolic sizes."""
