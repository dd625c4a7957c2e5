"""Expressions of the unknown values of a configuration.

A term is an operation on terms and constants. Equal terms are one object, so that a condition that
was assumed once is known wherever it occurs. While a class is traced, a term may have objects of
the interpreter as arguments, such as a dictionary that may still change: they leave it when the
program is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from paramproof.catalogue import program

Value: TypeAlias = Any
"""A Python value, or a term for a value that is unknown."""

RESULTS: dict[Any, str] = {
    bool: "not and truth is == < <= > >= in isinstance has any all accepts known has_field",
    int: "len int ceil floor",
    float: "/ float sqrt log2",
    str: "text str",
    list: "list range comp concat replaced enumerate zip sorted",
    dict: "dict merged comp_dict fields from_pairs",
    set: "set",
    object: "new with_fields",
}
"""Operations whose result always has one type; ``object`` is the type of a part."""

KINDS = {op.replace("_", " "): kind for kind, ops in RESULTS.items() for op in ops.split()}

SORTS = {kind.__name__: sort for sort, kind in program.KINDS.items()}
"""The names that ``isinstance`` has for declared types of one kind."""


class Unknown(Exception):
    """The interpreter does not know how to go on with an unknown value; ``place`` is a line."""

    place = ""

    def __str__(self) -> str:
        return super().__str__() + (f" ({self.place})" if self.place else "")


class Term:
    """An operation on terms and constants."""

    __slots__ = ("args", "op")
    op: str
    args: tuple[Value, ...]

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"

    def __bool__(self) -> bool:
        raise Unknown(f"the truth of {self!r:.80}")

    def __iter__(self) -> Iterator[Value]:
        raise Unknown(f"the items of {self!r:.80}")


_TERMS: dict[tuple[Any, ...], Term] = {}


def identity(value: Value) -> Any:
    """Return what is equal for scalars that are the same, and for what is one object."""
    return (type(value), value) if isinstance(value, str | int | float | None) else id(value)


def term(op: str, *args: Value) -> Term:
    """Return the one term of an operation."""
    key = (op, *map(identity, args))
    found = _TERMS.get(key)
    if found is None:
        found = _TERMS[key] = Term()
        found.op, found.args = op, args
    return found


MISSING = term("absent")
"""Stands for the value of a key or an attribute that is absent."""


def is_op(value: Value, *ops: str) -> bool:
    """Return whether a value is a term of one of some operations."""
    return isinstance(value, Term) and value.op in ops


# Conditions


def is_truth(value: Value) -> bool:
    if isinstance(value, Term) and value.op == "if":
        return is_truth(value.args[1]) and is_truth(value.args[2])
    return isinstance(value, bool) or (isinstance(value, Term) and KINDS.get(value.op) is bool)


def negate(value: Value) -> Value:
    if isinstance(value, bool):
        return not value
    return value.args[0] if value.op == "not" else term("not", value)


def both(one: Value, other: Value) -> Value:
    """Return whether two conditions are true; the second is one where the first is true."""
    other = decided(other, facts_of(one))
    if one is False or other is False or decided(one, facts_of(other)) is False:
        return False
    if one is True:
        return other
    return one if other is True else term("and", one, other)


def facts_of(condition: Value) -> dict[Value, bool]:
    """Return what is true and what is false where a condition is true."""
    facts: dict[Value, bool] = {}
    parts = [condition]
    for one in parts:  # It grows: the parts of each come after it.
        if isinstance(one, Term):
            facts |= {one: True, negate(one): False}
            parts += one.args if one.op == "and" else ()
    return facts


def decided(condition: Value, facts: Mapping[Value, bool]) -> Value:
    """Return a condition without what is known of it."""
    if isinstance(condition, bool):
        return condition
    found = facts.get(condition)
    if found is not None:
        return found
    joins: dict[str, Callable[..., Value]] = {"not": negate, "and": both, "if": choose}
    if condition.op not in joins:
        return condition
    args = [decided(one, facts) for one in condition.args]
    is_same = all(new is old for new, old in zip(args, condition.args, strict=True))
    return condition if is_same else joins[condition.op](*args)


def either(one: Value, other: Value) -> Value:
    return negate(both(negate(one), negate(other)))


def choose(condition: Value, one: Value, other: Value) -> Value:
    """Return ``one`` if the condition is true, else ``other``."""
    if condition is True or identity(one) == identity(other):
        return one
    if condition is False:
        return other
    if condition.op == "not":
        return choose(condition.args[0], other, one)
    # On each side it is known what the condition is.
    one, other = one is condition or one, other is not condition and other
    if isinstance(one, bool) and is_truth(other):
        return either(condition, other) if one else both(negate(condition), other)
    if isinstance(other, bool) and is_truth(one):
        return either(negate(condition), one) if other else both(condition, one)
    # An inner choice by the same condition is decided.
    one = one.args[1] if is_op(one, "if") and one.args[0] is condition else one
    other = other.args[2] if is_op(other, "if") and other.args[0] is condition else other
    return one if identity(one) == identity(other) else term("if", condition, one, other)


# Choices and absence


def leaves(value: Value, change: Callable[[Value], Value]) -> Value:
    """Return a value with each of its choices changed."""
    if isinstance(value, Term) and value.op == "if":
        condition, one, other = value.args
        return choose(condition, leaves(one, change), leaves(other, change))
    return change(value)


def present(value: Value) -> Value:
    """Return whether a value is not absent."""
    return leaves(value, lambda one: one is not MISSING)


def instead(value: Value, default: Value) -> Value:
    """Return a value, or the default where it is absent."""
    return leaves(value, lambda one: default if one is MISSING else one)


def there(value: Value) -> Value:
    """Return a value that is known to be there."""
    if not is_op(value, "if"):
        return value
    condition, *sides = value.args
    one, other = map(there, sides)
    if one is MISSING or other is MISSING:
        return other if one is MISSING else one
    return choose(condition, one, other)


def inside(value: Value) -> Iterator[Value]:
    """Yield a value, the items of a tuple, and the arguments of terms at any depth."""
    seen: set[Term] = set()
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, Term):
            if one in seen:
                continue
            seen.add(one)
            left += one.args
        elif isinstance(one, tuple):
            left += one
        yield one


def mentions(value: Value, of: Callable[[Term], bool]) -> bool:
    """Return whether a term, or one among its arguments at any depth, is one that is sought."""
    return any(isinstance(one, Term) and of(one) for one in inside(value))


def varies(value: Value, loop: int, ops: Sequence[str] = ("item", "state", "turn")) -> bool:
    """Return whether a term depends on the turn of a loop, given by the number of its variable."""
    return isinstance(value, Term) and any((op, loop) in turns_in(value) for op in ops)


@cache
def turns_in(one: Term) -> frozenset[tuple[str, Any]]:
    """Return by what a term varies with the turns of loops around it, with their variables."""
    if one.op in ("item", "state", "turn"):
        return frozenset([(one.op, one.args[0])])
    inner = [turns_in(arg) if isinstance(arg, Term) else frozenset() for arg in one.args]
    # The variable of a loop is bound in what each turn makes, and not in where it starts.
    start, end = {"comp": (2, 4), "comp dict": (2, 5), "fold": (3, 4)}.get(one.op, (0, 0))
    bound = frozenset[Any]().union(*inner[start:end])
    free = [{turn for turn in bound if turn[1] != one.args[0]}, *inner[:start], *inner[end:]]
    return frozenset[Any]().union(*free)
