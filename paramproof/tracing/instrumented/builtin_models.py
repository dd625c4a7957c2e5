"""Models of Python's builtin functions for symbolic arguments."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

from paramproof.formulas.expression import Expression
from paramproof.tracing.instrumented.containers import contains, get_item
from paramproof.tracing.instrumented.iteration import (
    SymbolicIteration,
    SymRange,
    make_list,
    symbolic_enumerate,
    symbolic_iteration,
    symbolic_parts,
    symbolic_range,
    symbolic_reversed,
)
from paramproof.tracing.instrumented.lengths import (
    consume,
    known_length,
    length_of,
    record_length,
)
from paramproof.tracing.recorder import RUNNING, has_loop_index, record_caveat
from paramproof.tracing.symbolic.arithmetic import expression_of, plain_number, unknown_number
from paramproof.tracing.symbolic.symfloat import SymFloat, computed_symfloat, exact_symfloat
from paramproof.tracing.symbolic.symint import (
    SymInt,
    plain_int,
    symint_or_int,
    trusting,
    unknown_symint,
)
from paramproof.tracing.symbolic.symstr import SymStr, has_size, with_sizes

_function: Any
MODELS: dict[Any, Callable[..., Any]] = {}
"""Functions written in C, and what is called in their place.

Those that call other code are in ``calls``.
"""


def _models(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(model: Callable[..., Any]) -> Callable[..., Any]:
        MODELS.update(dict.fromkeys(functions, model))
        return model

    return register


@_models(int)
def _int(*args: Any, **options: Any) -> Any:
    if len(args) == 1 and not options:
        (value,) = args
        if isinstance(value, SymInt):
            return value
        if isinstance(value, SymFloat):
            return value.__trunc__()
        if isinstance(value, SymStr):
            return unknown_symint(int(str.__str__(value)))
        if hasattr(type(value), "__torch_function__"):
            return _int(value.item())
        for name in ("__int__", "__index__", "__trunc__"):
            own: Any = getattr(type(value), name, None)
            if hasattr(own, "__code__"):
                return _int(own(value))
    return int(*args, **options)


@_models(float)
def _float(*args: Any) -> Any:
    if len(args) == 1:
        (value,) = args
        if isinstance(value, SymInt):
            number = float(plain_int(value))
            if value.expression is None:
                return SymFloat(number, None)
            # A product may need more than 53 bits, and is rounded then.
            products = any(
                sum(power for _, power in powers) > 1 for powers in value.expression.terms
            )
            return (
                computed_symfloat(number, "float", value)
                if products
                else exact_symfloat(number, value.expression)
            )
        if isinstance(value, SymFloat):
            return value
        if isinstance(value, SymStr):
            return SymFloat(float(str.__str__(value)), None)
        if hasattr(type(value), "__torch_function__"):
            return _float(value.item())
        own: Any = getattr(type(value), "__float__", None)
        if hasattr(own, "__code__"):
            return _float(own(value))
    return float(*args)


@_models(bool)
def _bool(*args: Any) -> bool:
    if len(args) == 1 and known_length(args[0]) is not None:
        return bool(length_of(args[0]) != 0)
    return bool(*args)


@_models(str)
def _str(*args: Any, **options: Any) -> Any:
    if len(args) == 1 and not options:
        return format_parts((args[0], 115, ""))
    return str(*args, **options)


@_models(repr, ascii)
def _repr(value: Any) -> Any:
    return format_parts((value, 114, ""))


@_models(format)
def _format(value: Any, spec: Any = "") -> Any:
    return format_parts((value, -1, spec))


for _base in (hex, oct, bin):

    def _written_in(value: Any, function: Any = _base) -> Any:
        if isinstance(value, SymInt):
            return SymStr(function(plain_int(value)), value.expression)
        return function(value)

    MODELS[_base] = _written_in


@_models(chr)
def _chr(value: Any) -> Any:
    return (
        SymStr(chr(plain_int(value)), value.expression) if isinstance(value, SymInt) else chr(value)
    )


@_models(ord)
def _ord(value: Any) -> Any:
    return unknown_symint(ord(value)) if isinstance(value, SymStr) else ord(value)


MODELS[len] = length_of
MODELS[range] = symbolic_range
MODELS[enumerate] = symbolic_enumerate
MODELS[reversed] = symbolic_reversed


@_models(zip)
def symbolic_zip(*iterables: Any, strict: bool = False) -> Any:
    """Return Python's ``zip``; a guard records which iterable is the shortest."""
    found = [symbolic_iteration(one) for one in iterables]
    if not any(found):
        return zip(*iterables, strict=strict)
    lengths: list[Any] = []
    for one, iterable in zip(found, iterables, strict=True):
        if one is not None:
            lengths.append(symint_or_int(one.total, one.length))
        elif hasattr(iterable, "__len__"):
            lengths.append(len(iterable))
        else:
            length = next(each.length for each in found if each is not None)
            record_caveat(length, " decides how often next() was called")
            return zip(*iterables, strict=strict)
    shortest = lengths[0]
    for other in lengths[1:]:
        if expression_of(other) == expression_of(shortest) and expression_of(other) is not None:
            continue
        if strict and other != shortest:
            raise ValueError("zip() arguments have different lengths")
        shortest = other if other < shortest else shortest
    parts = [_value_maker(one, it) for one, it in zip(found, iterables, strict=True)]
    return SymbolicIteration(
        expression_of(shortest),
        plain_int(shortest),
        lambda number, index: tuple(make(number, index) for make in parts),
    )


def _value_maker(
    one: SymbolicIteration | None, iterable: Any
) -> Callable[[int, Expression | None], Any]:
    if one is not None:
        return one.make
    if type(iterable) is range:
        return lambda number, index: SymRange(iterable.start, iterable.stop, iterable.step).at(
            index, iterable[number]
        )
    values = iterable if isinstance(iterable, list | tuple | str | bytes) else list(iterable)
    return lambda number, index: get_item(values, symint_or_int(number, index))


@_models(list)
def _list(*args: Any) -> Any:
    return make_list(*args)


@_models(tuple)
def _tuple(*args: Any) -> Any:
    if not args:
        return ()
    values = make_list(args[0])
    found = tuple(values)
    known = known_length(values)
    return found if known is None else record_length(found, known.length, known.index, known.start)


@_models(set)
def make_set(*args: Any, kind: Any = set) -> Any:
    """Return Python's ``set``, with unknown length if a loop over sizes filled it."""
    values = make_list(*args)
    found = kind(values)
    return record_length(found) if known_length(values) is not None else found


@_models(frozenset)
def _frozenset(*args: Any) -> Any:
    return make_set(*args, kind=frozenset)


@_models(sorted)
def _sorted(iterable: Any, **options: Any) -> Any:
    values = make_list(iterable)
    _note_order(values, "was sorted")
    _note_key(values, options)
    found = sorted(values, **options)
    known = known_length(values)
    return found if known is None else record_length(found, known.length)


@_models(type)
def _type(*args: Any) -> Any:
    if len(args) == 1:
        if isinstance(args[0], SymInt):
            return int
        if type(args[0]) is SymFloat:
            return float
        if type(args[0]) is SymStr:
            return str
        if type(args[0]) is SymRange:
            return range
    return type(*args)


@_models(sum)
def _sum(iterable: Any, /, start: Any = 0) -> Any:
    values = make_list(iterable)
    known = known_length(values)
    total = start
    for value in values:
        total = total + value
    if known is None:
        return total
    if isinstance(total, list | tuple):
        return record_length(total)
    if known.length is not None and values and all(type(one) is int for one in values):
        first = values[0]
        if all(one == first for one in values) and first == 1:
            return (
                SymInt(plain_number(total), known.length + expression_of(start))
                if isinstance(start, int)
                else total
            )
    return unknown_number(total)


for _function in (min, max):

    def _least_or_most(*args: Any, function: Any = _function, **options: Any) -> Any:
        if len(args) == 1:
            values = make_list(args[0])
            known = known_length(values)
            _note_key(values, options)
            if known is not None:
                return (
                    unknown_number(function(map(_plain, values), **options))
                    if values
                    else function(values, **options)
                )
            return function(values, **options)
        return function(*args, **options)

    MODELS[_function] = _least_or_most


def _plain(value: Any) -> Any:
    return plain_number(value) if isinstance(value, SymInt | SymFloat) else value


for _function in (any, all):

    def _any_or_all(iterable: Any, function: Any = _function) -> bool:
        found = symbolic_iteration(iterable)
        return bool(function(iterable if found is None else iter(found)))

    MODELS[_function] = _any_or_all


def _note_key(values: list[Any], options: dict[str, Any]) -> None:
    """Record a caveat if a sort key written in C reads a symbolic string or length."""
    key: Any = options.get("key")
    for one in values if key is not None and not hasattr(key, "__code__") else ():
        if isinstance(one, SymStr) or known_length(one) is not None:
            record_caveat(getattr(one, "expression", None), f" was asked its {key.__name__}")
            return


def _note_order(values: list[Any], what: str) -> None:
    """Record a caveat if values of several iterations of one loop are compared."""
    for one in values:
        made = getattr(one, "expression", None)
        if isinstance(one, SymInt | SymFloat) and made is not None and has_loop_index(made.letters):
            record_caveat(made, f" {what}")
            return


@_models(iter)
def _iter(value: Any, *sentinel: Any) -> Any:
    found = None if sentinel else symbolic_iteration(value)
    return iter(value, *sentinel) if found is None else iter(found)


@_models(itertools.count)
def _count(start: Any = 0, step: Any = 1) -> Any:
    number = start
    while True:
        yield unknown_number(number) if RUNNING else number
        number = number + step


@_models(operator.index)
def _index(value: Any) -> Any:
    return value if isinstance(value, SymInt) else operator.index(value)


MODELS[operator.getitem] = get_item
MODELS[operator.contains] = contains


# They call a method of the symbolic number, or do not read it.
AS_THEY_ARE = (math.floor, math.ceil, math.trunc, abs, divmod, pow, round, isinstance, id)
MODELS.update({one: one for one in AS_THEY_ARE})


@_models(math.prod)
def _prod(iterable: Any, /, *, start: Any = 1) -> Any:
    values = make_list(iterable)
    product = start
    for value in values:
        product = product * value
    return product if known_length(values) is None else unknown_number(product)


STEPS = {
    math.sqrt: "sqrt",
    math.log2: "log2",
    math.log10: "log10",
    math.exp: "exp",
    math.sin: "sin",
    math.cos: "cos",
    math.isqrt: "isqrt",
    math.gcd: "gcd",
    math.log: "log",
}
"""Functions that a ``Computed`` expression can have as a step."""


for _function, _name in STEPS.items():

    def _step(*args: Any, function: Any = _function, name: str = _name) -> Any:
        if not any(isinstance(one, SymInt | SymFloat) for one in args):
            return function(*args)
        if name in ("sqrt", "isqrt"):
            # A smaller number is an error.
            bool(args[0] >= 0)
        elif name.startswith("log"):
            bool(args[0] > 0)
        return computed_symfloat(function(*map(plain_number, args)), name, *args)

    MODELS[_function] = _step


@_models(math.pow)
def _pow(base: Any, power: Any) -> Any:
    if not any(isinstance(one, SymInt | SymFloat) for one in (base, power)):
        return math.pow(base, power)
    return computed_symfloat(
        math.pow(plain_number(base), plain_number(power)), "power", _float(base), _float(power)
    )


@_models(math.fabs)
def _fabs(value: Any) -> Any:
    return abs(_float(value)) if isinstance(value, SymInt | SymFloat) else math.fabs(value)


for _function in (math.isfinite, math.isnan, math.isinf):

    def _is_a_number(value: Any, function: Any = _function) -> bool:
        # Sizes are far below the largest float.
        return bool(
            function(plain_number(value) if isinstance(value, SymInt | SymFloat) else value)
        )

    MODELS[_function] = _is_a_number


CONVERSIONS: dict[int, Callable[[Any], str]] = {114: repr, 97: ascii, 115: str}
"""The functions of ``!r``, ``!a`` and ``!s``, by character code."""


def format_parts(*parts: Any) -> str:
    """Return the f-string of these parts, text or (value, conversion, format spec)."""
    written_parts, told = [], []
    for part in parts:
        if not isinstance(part, tuple):
            written_parts.append(part)
            continue
        value, conversion, spec = part
        found = _part(value, conversion, spec)
        if isinstance(value, SymInt) and spec not in ("", "d"):
            found = SymStr(str.__str__(found), value.expression)
        written_parts.append(found)
        told += [found, spec] if not isinstance(value, SymInt) or spec else [value]
    joined = "".join(str.__str__(one) for one in written_parts)
    return with_sizes([one for one in told if has_size(one)], joined)


def _part(value: Any, conversion: int, spec: Any) -> Any:
    spec = str.__str__(spec)
    if isinstance(value, SymInt | SymFloat) and has_size(value):
        number = plain_number(value)
        shown = CONVERSIONS[conversion](number) if conversion in CONVERSIONS else number
        return SymStr(format(shown, spec), value.expression, plain=isinstance(value, SymInt))
    if isinstance(value, SymStr):
        return value.like(format(str.__str__(value), spec))
    inside = _sizes_in(value)
    if hasattr(type(value), "named_modules"):
        return SymStr(format(repr(value), spec), None)
    convert = CONVERSIONS.get(conversion)
    found = format(convert(value) if convert else value, spec) if not inside else None
    if found is not None:
        return found
    with trusting():
        found = format(convert(value) if convert else value, spec)
    return SymStr(str.__str__(found), inside[0].expression)


def _sizes_in(value: Any) -> list[Any]:
    return list(symbolic_parts(value.args if isinstance(value, BaseException) else value))


def percent_format(left: Any, right: Any) -> Any:
    if not isinstance(left, str):
        return left % right
    told = list(symbolic_parts(right))
    if not told:
        return left % right
    values = tuple(map(_plain, right)) if isinstance(right, tuple) else _plain(right)
    if isinstance(values, dict):
        values = {key: _plain(one) for key, one in values.items()}
    made = str.__mod__(str.__str__(left), values)
    return SymStr(made, told[0].expression)


def make_dict(pairs: Any) -> Any:
    values = consume(pairs)
    with trusting():
        found = dict(values)
    known = known_length(values)
    if known is None:
        return found
    return record_length(found, known.length if len(found) == len(values) else None)
