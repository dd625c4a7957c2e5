"""Expressions of the unknown values of a configuration.

A term is an operation on terms and constants. Equal terms are one object, so that a condition that
was assumed once is known wherever it occurs. A term may have values that the interpreter keeps,
such as a configuration object: they leave it when the program is written.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Value: TypeAlias = Any
"""A Python value, or a term for a value that is unknown."""

MISSING = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
"""Stands for the value of a key or an attribute that is absent."""

TRUTHS = frozenset(
    "not and or is == != < <= > >= in isinstance has truth any all accepts known".split()
)
"""The operations that give true or false."""


class Term:
    __slots__ = ("__weakref__", "args", "op")
    op: str
    args: tuple[Value, ...]

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"

    def __bool__(self) -> bool:
        raise Unknown(f"the truth of {self!r:.200}")

    def __iter__(self) -> Any:
        raise Unknown(f"the items of {self!r:.200}")


class Unknown(Exception):
    """The interpreter does not know how to go on with an unknown value."""


_TERMS: dict[tuple[Any, ...], Term] = {}


def _identity(value: Value) -> Any:
    if isinstance(value, str | int | float | bool | None):
        return type(value), value
    return id(value)


def term(op: str, *args: Value) -> Term:
    """Return the one term of an operation."""
    key = (op, *map(_identity, args))
    found = _TERMS.get(key)
    if found is None:
        found = _TERMS[key] = Term()
        found.op, found.args = op, args
    return found


def is_truth(value: Value) -> bool:
    return isinstance(value, bool) or (isinstance(value, Term) and value.op in TRUTHS)


def negate(value: Value) -> Value:
    if isinstance(value, bool):
        return not value
    return value.args[0] if value.op == "not" else term("not", value)


def both(one: Value, other: Value) -> Value:
    if one is False or other is False or one is negate(other):
        return False
    if one is True or one is other:
        return other
    return one if other is True else term("and", one, other)


def either(one: Value, other: Value) -> Value:
    return negate(both(negate(one), negate(other)))


def same(one: Value, other: Value) -> bool:
    return one is other or (
        isinstance(one, str | int | float) and type(one) is type(other) and bool(one == other)
    )


def choose(condition: Value, one: Value, other: Value) -> Value:
    """Return ``one`` if the condition is true, else ``other``."""
    if condition is True or same(one, other):
        return one
    if condition is False:
        return other
    if condition.op == "not":
        return choose(condition.args[0], other, one)
    if is_truth(one) and is_truth(other):
        if one is True or other is False or other is True or one is False:
            first = either(negate(condition), one)
            return both(first, either(condition, other))
    # An inner choice by the same condition is decided.
    if isinstance(one, Term) and one.op == "if" and one.args[0] is condition:
        one = one.args[1]
    if isinstance(other, Term) and other.op == "if" and other.args[0] is condition:
        other = other.args[2]
    return one if same(one, other) else term("if", condition, one, other)


def present(value: Value) -> Value:
    """Return whether a value is not absent."""
    if isinstance(value, Term) and value.op == "if":
        condition, one, other = value.args
        return choose(condition, present(one), present(other))
    return value is not MISSING


def instead(value: Value, default: Value) -> Value:
    """Return a value, or the default where it is absent."""
    if isinstance(value, Term) and value.op == "if":
        condition, one, other = value.args
        return choose(condition, instead(one, default), instead(other, default))
    return default if value is MISSING else value


def there(value: Value) -> Value:
    """Return a value that is known to be there."""
    if isinstance(value, Term) and value.op == "if":
        condition, one, other = value.args
        one, other = there(one), there(other)
        if one is MISSING or other is MISSING:
            return other if one is MISSING else one
        return choose(condition, one, other)
    return value
