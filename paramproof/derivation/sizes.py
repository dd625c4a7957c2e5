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
from paramproof.formulas.condition import Condition, Relation, at_least_one, is_never_negative
from paramproof.formulas.expression import (
    Computed,
    Expression,
    Operand,
    as_operand,
    computed,
    expression,
    floor,
    letter,
    sides,
)
from paramproof.formulas.path import LAYER

# What a run records


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

    A number whose expression is not known is lost as None.
    """

    guards: dict[Condition, None] = field(default_factory=dict)
    indices: dict[str, Expression] = field(default_factory=dict)
    lost: dict[Expression | None, None] = field(default_factory=dict)

    @property
    def loop_lengths(self) -> dict[Expression, None]:
        """The lengths of all loops that do not depend on the index of another loop."""
        lengths = dict.fromkeys(self.indices.values())
        return {length: None for length in lengths if not has_loop_index(length.letters)}


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
    """Note that something is decided by an expression in a way that is not followed."""
    made = letter(made) if isinstance(made, Computed) else made
    _recorders[-1].lost[made if isinstance(made, Expression) else None] = None


# Numbers


class Number:
    """A symbolic int or float.

    ``made`` is the expression of an int, and of a float the operand that it is in further steps. It
    is None if the number depends on sizes in a way that was not followed. A remainder is
    ``divided`` from a dividend by a divisor, because a guard reads better as "A divides H".
    """

    def __init__(self, value: Any, made: Operand | None) -> None:
        self.value, self.made = value, made
        self.divided: tuple[Expression, Expression] | None = None

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

    def __floor__(self) -> Any:
        return _rounded(self, "floor", math.floor(self.value), floor)

    def __ceil__(self) -> Any:
        return _rounded(self, "ceil", math.ceil(self.value), lambda a, b: -floor(-a, b))

    def __round__(self) -> Any:
        # The nearest integer, ties to even: ⌊(x + ½)/2⌋ + ⌈(x − ½)/2⌉.
        return _rounded(
            self,
            "round",
            round(self.value),
            lambda a, b: floor(2 * a + b, 4 * b) - floor(b - 2 * a, 4 * b),
        )


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Number) else value


def number(value: Any, made: Operand | None) -> Any:
    """Return a number, which is plain if its expression is a constant."""
    is_constant = isinstance(made, Expression | Computed) and not made.letters
    return value if is_constant else Number(value, made)


def expression_of(value: Any) -> Expression | None:
    """Return the expression of an int, None if there is none."""
    made = _operand(value)
    return made if isinstance(made, Expression) else None


def _operand(value: Any) -> Any:
    made = value.made if isinstance(value, Number) else value
    return expression(int(made)) if isinstance(made, int) else made


STEPS = {
    operator.add: "plus",
    operator.sub: "minus",
    operator.mul: "times",
    operator.truediv: "over",
    operator.floordiv: "div",
    operator.mod: "mod",
    operator.pow: "power",
    operator.and_: "and",
}
"""The function of a ``Computed`` number for each operator."""


def _apply(compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the result of an operator, one of whose operands is symbolic."""
    if not (isinstance(plain(left), int | float) and isinstance(plain(right), int | float)):
        return NotImplemented
    if compute in (operator.truediv, operator.floordiv, operator.mod):
        _compare(Relation.EQUAL, right, 0, not plain(right))
    value, one, other = compute(plain(left), plain(right)), _operand(left), _operand(right)
    if one is None or other is None or _are_of_two_turns(one, other):
        return Number(value, None)
    are_whole = isinstance(one, Expression) and isinstance(other, Expression)
    if (made := _followed(compute, one, other, are_whole)) is None:
        return step(value, STEPS[compute], left, right)
    found = number(value, made)
    if compute is operator.mod and isinstance(found, Number):
        found.divided = (one, other)
    return found


@lru_cache(4096)
def _followed(compute: Any, one: Any, other: Any, are_whole: bool) -> Operand | None:
    """Return a result that is a sum of products, or rounded at most once; None for any other."""
    with suppress(ArithmeticError, TypeError):
        if are_whole and compute is operator.pow:
            power = operator.index(other)
            return one**power if power >= 0 else None
        if are_whole and compute not in (operator.truediv, operator.and_):
            return compute(one, other)  # type: ignore[no-any-return]
        (top, under), (over, down) = _exact(one), _exact(other)  # type: ignore[misc]
        if compute is operator.truediv:
            pair = top * down, under * over
        elif compute is operator.mul:
            pair = top * over, under * down
        else:
            pair = compute(top * down, over * under), under * down
        if compute in (operator.add, operator.sub, operator.mul, operator.truediv):
            return Computed("over", pair) if all(map(_fits, pair)) else None
    return None


def _exact(one: Operand) -> tuple[Expression, Expression] | None:
    """Return the quotient of whole numbers that an operand is, if nothing was rounded."""
    if isinstance(one, Expression):
        return one, expression(1)
    if isinstance(one, float):
        top, bottom = one.as_integer_ratio()
        return (expression(top), expression(bottom)) if max(abs(top), bottom) <= 2**20 else None
    pair = rounded_once(one)
    bottom = int(pair[1].constant or 0) if pair else 0
    return pair if bottom and not bottom & (bottom - 1) else None


def rounded_once(one: Operand | None) -> tuple[Expression, Expression] | None:
    """Return the whole numbers whose quotient a float is, if only that was rounded."""
    match one:
        case Computed("over", (Expression() as top, Expression() as bottom)):
            return (top, bottom) if _fits(top) and _fits(bottom) else None
    return None


def _fits(made: Expression) -> bool:
    """Return whether a float holds twice this number exactly, if sizes are at most 2²⁰."""
    return made.is_whole and _bits(made) < 52


@lru_cache(4096)
def _bits(made: Expression) -> float:
    terms = [
        log2(abs(factor)) + sum(n * _bits_of(atom) for atom, n in powers)
        for powers, factor in made.terms.items()
    ]
    return max(terms, default=0.0) + log2(max(1, len(terms)))


def _bits_of(atom: Any) -> float:
    pair = sides(atom)
    return 20.0 if isinstance(atom, str) else _bits(pair[0]) if pair else inf


def step(value: Any, function: str, *operands: Any) -> Any:
    """Return a number that Python computes with a function of ``paramproof.formulas.computed``."""
    parts, made = [*map(_operand, operands)], None
    with suppress(ArithmeticError):
        made = computed(function, *parts) if None not in parts else None
    return _of(value, made)


def _of(value: Any, made: Expression | None) -> Any:
    is_float = isinstance(value, float) and made is not None
    return number(value, as_operand(made) if is_float else made)  # type: ignore[arg-type]


def _rounded(one: Number, name: str, value: int, of_quotient: Any) -> Any:
    if isinstance(one.value, int):
        return one
    with suppress(ArithmeticError, TypeError):
        return number(value, of_quotient(*rounded_once(one.made)))  # type: ignore[misc]
    return step(value, name, one)


def truncated(one: Any) -> Any:
    """Return Python's ``int``."""
    if not (isinstance(one, Number) and isinstance(one.value, float)):
        return one if isinstance(one, Number) else int(one)
    if rounded_once(one.made) is None:
        return step(int(one.value), "int", one)
    return math.floor(one) if one >= 0 else math.ceil(one)


def root(one: Any) -> Any:
    bool(one >= 0)  # A smaller number is an error.
    return step(math.sqrt(plain(one)), "sqrt", one)


def logarithm(one: Any) -> Any:
    bool(one > 0)
    return step(log2(plain(one)), "log2", one)


# Guards


def _are_of_two_turns(one: Operand, other: Operand) -> bool:
    """Return whether both depend on the index of a loop that has ended.

    Then its letter may mean different iterations in the two.
    """
    shared = getattr(one, "letters", frozenset()) & getattr(other, "letters", frozenset())
    return has_loop_index(shared - {turn.letter for turn in RUNNING})


def _compare(relation: Relation, left: Any, right: Any, answer: bool) -> None:
    """Record the guard of a comparison that had this answer."""
    one, other = _operand(left), _operand(right)
    if any(isinstance(side, float) and not isfinite(side) for side in (one, other)):
        return  # All sizes compare alike with it.
    if one is None or other is None or _are_of_two_turns(one, other):
        lose(one if other is None else other)
        return
    for remainder, limit in ((left, right), (right, left)):
        divided = getattr(remainder, "divided", None)
        if relation is Relation.EQUAL and divided and type(limit) is int:
            top, bottom = divided
            # Only for a possible remainder: i mod 3 is 2 if 3 divides i − 2.
            if limit == 0 or 0 <= limit < (bottom.constant or 0):
                guard = Condition(Relation.DIVIDES, bottom, top - limit, answer)
                _recorders[-1].guards.setdefault(guard)
                return
    if guard := _guard(relation, one, other, answer):
        _recorders[-1].guards.setdefault(guard)


@lru_cache(4096)
def _guard(relation: Relation, one: Any, other: Any, answer: bool) -> Condition | None:
    """Return the guard of a comparison, in canonical form, if some sizes may answer otherwise."""
    is_float = not (isinstance(one, Expression) and isinstance(other, Expression))
    parts = [_quotient(one, other), _quotient(other, one)]
    if None in parts:
        one, other = (letter(x) if isinstance(x, Computed) else expression(x) for x in (one, other))
    else:
        (top, under), (over, down) = parts  # type: ignore[misc]
        one, other = top * down, over * under
    if is_float and other.constant is None and one.constant is not None:
        one, other = other, one
        relation = FLIPPED.get(relation, relation)
    if is_float and None not in parts and one.terms and not one.terms.get(()):
        # 2.5·H > 6 is 5·H > 12, and that is H > 2.
        common = gcd(*(int(factor) for factor in one.terms.values()))
        limit = other / common
        if limit.constant is not None:
            if relation is Relation.EQUAL and not limit.is_whole:
                return None
            up = math.floor if relation is Relation.MORE else math.ceil
            one, other = one / common, expression(up(limit.constant))
    difference = one - other
    for atom in {atom for powers in difference.terms for atom, _ in powers}:
        if relation is Relation.EQUAL and (pair := sides(atom)):
            rest = pair[0] - pair[1] * letter(atom)
            if difference in (rest, -rest):
                return Condition(Relation.DIVIDES, pair[1], pair[0], answer)
    if not other and one.is_whole:
        # A kernel of width 5 gives 25·x > 0, which is the same guard as x > 0.
        one = one / max(1, gcd(*map(int, one.terms.values())))
        is_natural = Condition(Relation.LESS, one, expression(0), False).is_settled
        if relation is Relation.MORE or (relation is Relation.EQUAL and is_natural):
            # 3·⌊H/A⌋ > 0 is A ≤ H.
            needs = at_least_one(one) if one.has_quotients else ()
            if len(needs) == 1 and needs[0].left != one:
                return replace(needs[0], holds=answer is (relation is Relation.EQUAL))
    return Condition(relation, one, other, answer)


FLIPPED = {Relation.LESS: Relation.MORE, Relation.MORE: Relation.LESS}


def _quotient(one: Operand, other: Operand) -> tuple[Expression, Expression] | None:
    """Return whole numbers whose quotient compares with ``other`` as an operand does."""
    if isinstance(one, float):
        return tuple(map(expression, one.as_integer_ratio()))  # type: ignore[return-value]
    is_whole = other.is_integer() if isinstance(other, float) else isinstance(other, Expression)
    pair = _exact(one) or (rounded_once(one) if is_whole else None)
    return pair if pair and is_never_negative(pair[1]) else None


def _operator(compute: Callable[[Any, Any], Any]) -> Iterator[Any]:
    yield lambda self, other: _apply(compute, self, other)
    yield lambda self, other: _apply(compute, other, self)


def _comparison(compute: Callable[[Any, Any], bool], relation: Relation, sign: bool) -> Any:
    def method(self: Number, other: Any) -> Any:
        if not isinstance(other, int | float | Number):
            return NotImplemented
        answer = compute(self.value, plain(other))
        _compare(relation, self, other, answer is sign)
        return answer

    return method


for _compute in STEPS:
    _name = _compute.__name__.rstrip("_")
    for _side, _method in zip(("", "r"), _operator(_compute), strict=True):
        setattr(Number, f"__{_side}{_name}__", _method)
for _name, _relation, _sign in (
    ("eq", Relation.EQUAL, True),
    ("ne", Relation.EQUAL, False),
    ("lt", Relation.LESS, True),
    ("ge", Relation.LESS, False),
    ("gt", Relation.MORE, True),
    ("le", Relation.MORE, False),
):
    setattr(Number, f"__{_name}__", _comparison(getattr(operator, _name), _relation, _sign))


_naming: list[bool] = []


@contextmanager
def naming() -> Iterator[None]:
    """Let the indexes of loops be stars in texts."""
    _naming.append(True)
    yield
    _naming.pop()


def text(one: Any) -> str:
    """Return Python's ``str``."""
    if not isinstance(one, Number):
        return str(one)
    is_index = has_loop_index(getattr(one.made, "letters", frozenset()))
    return LAYER if _naming and is_index else Name(one.value)


class Name(str):
    """A text that is a number, as the name of a layer; no other text tells which."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if any(map(str.isdigit, str(other))):
            lose(None)
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        lose(None)
        return str.__hash__(self)


# Lists


class Series(list[Any]):
    """A list of symbolic length, which is None if it is not known.

    If each iteration of a loop made one element, ``index`` is the letter of its index, and the
    element at k was made in iteration ``start`` + k. A list that is a sum has its ``parts``, and a
    range its ``bounds``, the last of which is the step.
    """

    def __init__(
        self, values: Iterable[Any], length: Expression | None, index: str = "", start: Any = 0
    ) -> None:
        super().__init__(values)
        self.length, self.index, self.start = length, index, start
        self.parts, self.bounds = list[Any](), tuple[Any, ...]()

    def element(self, value: Any, at: Expression | None) -> Any:
        """Return a value as it is at an index, which replaces that of the loop that made it."""
        if isinstance(value, tuple):
            return tuple(self.element(one, at) for one in value)
        made = value.made if isinstance(value, Number) else None
        if not isinstance(made, Expression | Computed) or self.index not in made.letters:
            return value
        new = {} if at is None else {self.index: self.start + at}
        made = letter(made) if isinstance(made, Computed) else made
        return _of(value.value, made.substitute(new) if new else None)

    def __add__(self, other: Any) -> Any:
        return _joined(self, other)

    def __radd__(self, other: Any) -> Any:
        return _joined(other, self)


class Unsized(set[Any]):
    """A set of the elements of a list of symbolic length."""


def has_length(items: Any) -> bool:
    """Return whether sizes decide how many items there are."""
    if not isinstance(items, Series):
        return isinstance(items, Unsized)
    return items.length is None or bool(items.length.letters or items.index)


def length_of(items: Any) -> Any:
    if not has_length(items) or isinstance(items, Unsized):
        return Number(len(items), None) if isinstance(items, Unsized) else len(items)
    # A range that ends before it begins is empty.
    if items.bounds and items.length is not None and not is_never_negative(items.length):
        start, stop, every = items.bounds
        if not number(-((plain(start) - plain(stop)) // plain(every)), items.length) >= 0:
            return 0
    return number(len(items), items.length)


def truth(value: Any) -> bool:
    return bool(length_of(value) > 0) if has_length(value) else bool(value)


def turns(items: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the index and the element of each iteration of a loop, while it is running."""
    if not has_length(items) or isinstance(items, Unsized):
        yield from enumerate(items)
        return
    name, length = f"{LOOP_INDEX}{next(_numbers)}", items.length
    if length is not None:
        _recorders[-1].indices[name] = length
    at = None if length is None else letter(name)
    for turn, value in enumerate(items):
        running = Iteration(UNKNOWN_LENGTH if at is None else length, name, turn, len(items))
        RUNNING.append(running)
        try:
            yield Number(turn, at), items.element(value, at)
        finally:
            if running in RUNNING:
                RUNNING.remove(running)


def collected(values: list[Any], made: list[IterationStack]) -> list[Any]:
    """Return values as a list, given the iterations in which each was made."""
    first = made[0][:1] if made else ()
    for one in first:
        if one.length != UNKNOWN_LENGTH and made == [
            (one._replace(number=turn),) for turn in range(one.total)
        ]:
            return Series(values, one.length, one.letter)
    return Series(values, None) if any(made) else values


def range_of(*bounds: Any) -> list[Any]:
    values = bounded(range(*map(plain, bounds)))
    if not any(isinstance(one, Number) for one in bounds):
        return [*values]
    start, stop, every = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    length, first = -((start - stop) // every), expression_of(start)
    name = f"{LOOP_INDEX}{next(_numbers)}"
    number_of, by = expression_of(length), expression_of(every)
    made = None if first is None or by is None or number_of is None else first + by * letter(name)
    found = Series((Number(one, made) for one in values), made and number_of, name)
    found.bounds = (start, stop, every)
    return found


def times(items: Any, many: Any) -> Any:
    """Return a product, which may be a list that is repeated."""
    items, many = (many, items) if isinstance(many, list) else (items, many)
    if not (isinstance(items, list) and (isinstance(many, Number) or has_length(items))):
        return bounded(items, many) * bounded(many, items)
    # Python repeats a list not at all for a negative number.
    if many < 0:
        return []
    length, made = expression_of(length_of(items)), expression_of(many)
    known = None if length is None or made is None else length * made
    return Series([*items] * plain(many), known)


def _joined(*parts: list[Any]) -> Any:
    lengths = [expression_of(length_of(one)) for one in parts]
    known = None if None in lengths else sum(lengths, expression(0))  # type: ignore[arg-type]
    found = Series([one for part in parts for one in part], known)
    found.parts = [x for one in parts for x in (getattr(one, "parts", ()) or [one])]
    return found


def at(items: Any, index: Any) -> Any:
    """Return the element of a list, or the value of an object."""
    is_number = isinstance(index, Number) and isinstance(items, list | tuple | str)
    if not is_number and not (type(index) is int and isinstance(items, Series)):
        return items[index]
    value, place = items[plain(index)], index
    if plain(index) < 0 and (is_number or isinstance(items, Series)):
        length = expression_of(length_of(items))
        place = number(len(items) + plain(index), length and length + (expression_of(index) or 0))
    made = expression_of(place)
    if isinstance(items, Series) and not items.parts:
        if made is None and not _are_alike(items):
            lose(None)
        return items.element(value, made)
    end: Any = 0
    for part in getattr(items, "parts", ()):
        start, end = end, end + length_of(part)
        if place < end:
            return at(part, place - start)
    ends = [i for i, pair in enumerate(pairwise(items), 1) if not _are_alike(pair)]
    if made is None or len(ends) > MAX_RUNS:
        lose(made)
    elif not isinstance(items, Series):
        any(place < one for one in ends)
    return value


MAX_RUNS = 16
"""Runs of equal values in a plain list that a symbolic index is compared with."""


def _are_alike(items: Any) -> bool:
    plain_types = int | float | str | bool
    first, *others = items
    return all(
        one is first or (isinstance(one, plain_types) and isinstance(first, plain_types) and one == first)
        for one in others
    )


def part_of(items: Any, start: Any, stop: Any, every: Any) -> Any:
    """Return a slice."""
    if not has_length(items):
        return items[start:stop:every]
    found = list.__getitem__(items, slice(plain(start), plain(stop), every))
    length, first = items.length, expression_of(start or 0)
    ends = [one for one in (start, stop) if one is not None]
    if length is None or first is None or every not in (None, 1) or any(x < 0 for x in map(plain, ends)):
        return Series(found, None)
    # Python cuts a slice off at the end of the list: record whether it does.
    cut = [bool(one <= length_of(items)) for one in ends]
    last = length if stop is None or not cut[-1] else expression_of(stop)
    return Series(found, last and last - first, items.index, items.start + first)


def zipped(*lists: Any) -> list[Any]:
    if not any(map(has_length, lists)):
        return [*zip(*lists, strict=False)]
    shortest, *lengths = map(length_of, lists)
    for one in lengths:
        is_same = expression_of(one) == expression_of(shortest) is not None
        shortest = one if not is_same and one < shortest else shortest
    found, made, depth = [], [], len(RUNNING)
    for _, index in turns(range_of(shortest)):
        found.append(tuple(at(one, index) for one in lists))
        made.append((*RUNNING[depth:],))
    return collected(found, made)


def contains(items: Any, value: Any) -> bool:
    if isinstance(items, Series) and items.bounds:
        start, stop, every = items.bounds
        inside = start <= value and value < stop
        return bool(inside and (every == 1 or (value - start) % every == 0))
    if isinstance(value, Number) and isinstance(items, set | dict):
        # Compare with all of them, so that the guards do not depend on the answers.
        return any([value == one for one in sorted(x for x in items if isinstance(x, int | float))])
    return value in items


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        known = [items for items in (one, other) if has_length(items)]
        if len(known) == 2:
            # Lists of one length with the same guards compare alike.
            bool(length_of(one) == length_of(other))
        elif known:
            lose(known[0].length)
    return bool(one == other)


def reduced(function: Callable[..., Any], items: Any, *others: Any) -> Any:
    """Return what a function of all elements gives; it is unknown if their number is symbolic."""
    if not has_length(items):
        return function(items, *others)
    if function is sum and all(type(one) is int and one == 1 for one in items):
        return length_of(items)
    found = function(map(plain, items), *others)
    return Series(found, None) if isinstance(found, list) else Number(found, None)


def in_order(items: Any) -> list[Any]:
    for one in items:
        if isinstance(one, Number) and has_loop_index(getattr(one.made, "letters", frozenset())):
            lose(one.made)
    found = sorted(items)
    known = None if isinstance(items, Unsized) else getattr(items, "length", None)
    return Series(found, known) if has_length(items) else found


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
    "isfinite": lambda one: isfinite(plain(one)),
    "sqrt": root,
    "log2": logarithm,
    "range": range_of,
    "zip": zipped,
    "slice": part_of,
    "set": lambda *of: (Unsized if any(map(has_length, of)) else set)(*of),
    "sorted": in_order,
    **{one.__name__: partial(reduced, one) for one in (max, min, sum, math.prod)},
}
"""The operations of programs that differ with symbolic sizes."""
