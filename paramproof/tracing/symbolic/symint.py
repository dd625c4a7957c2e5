"""Symbolic ints: they have a value, and the expression by which it was computed.

A constructor is ordinary Python. Given ``SymInt(768, H)`` in place of 768, it does what it does
with 768, and every size that it computes carries its expression. A comparison has the answer that
plain ints give, and is recorded as a guard.

``SymInt`` is not a subclass of ``int``, because C code would read its digits unobserved. It only
claims to be one (``__class__``), so that ``isinstance`` is true, and C functions have to call
``__index__`` or the like, which ``symbolic.escapes`` records. ``NativeSymInt`` is a real int, for
frameworks that accept nothing else: what they do with it cannot be observed, and nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paramproof.formulas.computed import computed
from paramproof.formulas.expression import Expression
from paramproof.tracing.recorder import record_size
from paramproof.tracing.symbolic.number import SymbolicNumber


class SymInt(SymbolicNumber):
    """A symbolic int: its value in this trace, and the expression by which it was computed.

    An expression of None means that the value depends on sizes in a way that could not be followed.
    Arithmetic still works, and a comparison is a caveat. ``divided`` holds dividend and divisor of
    a remainder, because a guard reads better as "A divides H".
    """

    divided: tuple[Expression, Expression] | None
    _value: int

    __class__ = property(lambda self: int)

    def __new__(cls, value: int, made: Expression | None) -> Any:
        """Create a symbolic int with this value."""
        made_int = object.__new__(cls)
        made_int._value = plain_int(value)
        made_int.expression = made
        made_int.divided = None
        return made_int

    def __index__(self) -> int:
        return int(self)

    def __getattr__(self, name: str) -> Any:
        if name in ("real", "numerator"):
            return self
        if name.startswith("__") or not hasattr(int, name):
            raise AttributeError(f"'int' object has no attribute {name!r}")
        if name in ("imag", "denominator"):
            return getattr(self._value, name)
        if name == "bit_length":
            return lambda: _bits(self)
        if name in ("conjugate", "is_integer"):
            return (lambda: self) if name == "conjugate" else (lambda: True)
        self.escape(f"was asked for its {name}")
        return getattr(self._value, name)

    def __reduce__(self) -> Any:
        return type(self), (self._value, self.expression)

    def __pos__(self) -> Any:
        return self

    def __round__(self, digits: Any = None) -> Any:
        if digits is None or digits >= 0:
            return self
        self.escape("became a rounded int")
        return round(self._value, digits)

    def __trunc__(self) -> Any:
        return self

    __floor__ = __ceil__ = __trunc__


class NativeSymInt(SymInt, int):
    """A symbolic int that is a real ``int``: C code reads its digits unobserved."""

    def __new__(cls, value: int, made: Expression | None) -> Any:
        """Create a symbolic int with this value."""
        made_int = int.__new__(cls, plain_int(value))
        made_int._value = plain_int(value)
        made_int.expression = made
        made_int.divided = None
        return made_int

    def __repr__(self) -> str:
        return int.__repr__(self._value)

    def __format__(self, spec: str) -> str:
        return format(self._value, spec)


_KIND: list[type[SymInt]] = [SymInt]


@contextmanager
def using_symint_class(kind: type[SymInt]) -> Iterator[None]:
    """Use this class for every symbolic int that is created inside the context."""
    _KIND.append(kind)
    try:
        yield
    finally:
        _KIND.pop()


def uses_native_symints() -> bool:
    """Return whether new symbolic ints are real ints, and symbolic floats real floats."""
    return _KIND[-1] is NativeSymInt


def plain_int(value: Any) -> int:
    """Return the value of an int in this trace, without recording anything."""
    return value._value if isinstance(value, SymInt) else int.__add__(value, 0)


def new_symint(value: int, made: Expression | None) -> Any:
    """Return a symbolic int of the class that this trace uses."""
    return _KIND[-1](value, made)


def unknown_symint(value: int) -> Any:
    """Return a symbolic int whose expression is unknown."""
    return new_symint(value, None)


def symint_or_int(value: int, made: Expression | None) -> Any:
    """Return ``value`` with its expression, or as a plain int if that is a constant."""
    if made is not None:
        if made.constant is not None:
            return value
        record_size(made)
    return new_symint(value, made)


def _bits(one: SymInt) -> Any:
    made = None if one.expression is None else computed("bits", one.expression)
    return symint_or_int(one._value.bit_length(), made)
