"""Symbolic ints: they have a value, and the expression by which it was computed.

A constructor is ordinary Python. Given ``SymInt(768, H)`` in place of 768, it does what it does
with 768, and every size that it computes carries its expression. A comparison has the answer that
plain ints give, and is recorded as a guard.

``SymInt`` is not a subclass of ``int``, because C code would read its digits unobserved. It only
claims to be one (``__class__``), so that ``isinstance`` is true, and C functions have to call
``__index__`` or the like. There the value becomes a plain one, which cannot be followed any
further: a caveat, unless the code that asked is trusted. PyTorch creates tensors from sizes, and
logging decides nothing. ``NativeSymInt`` is a real int, for PyTorch's parser, which accepts nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from paramproof.formulas.expression import Expression, computed
from paramproof.tracing.recorder import calling_file, record_caveat, record_size

TRUSTED_FOLDERS = (
    "/torch/",  # Creates tensors, whose shapes are traced.
    "/transformers/modeling_utils.py",  # Creates no tensors; ties tensors by name.
    "/logging/",
    "/logging.py",
    "/warnings.py",
    "/dataclasses.py",
    "/huggingface_hub/dataclasses.py",  # Checks types, and stores values.
    "/copy.py",
    "/copyreg.py",
    "/pickle.py",
    "/typing.py",
    "/abc.py",
)
"""Files whose code is assumed to decide nothing by the numbers it receives."""

GENERATION_CONFIG = "/transformers/generation/configuration_utils.py"
"""A file that is instrumented, but creates no tensors: it configures text generation."""

_trusted = 0


@contextmanager
def trusting() -> Iterator[None]:
    """Record no caveats for values that become plain inside the context."""
    global _trusted
    _trusted += 1
    try:
        yield
    finally:
        _trusted -= 1


@cache
def is_trusted_file(name: str) -> bool:
    return any(folder in name for folder in TRUSTED_FOLDERS)


def is_asked_by_trusted_code() -> bool:
    """Return whether the code that uses a size now is assumed to decide nothing by it."""
    file = calling_file()
    return is_trusted_file(file) or file.endswith(GENERATION_CONFIG)


def record_escape(made: Expression | None, became: str) -> None:
    """Record what a symbolic value ``became``, unless the code that asked is trusted."""
    if not _trusted and not is_asked_by_trusted_code():
        record_caveat(made, f" {became}")


class SymbolicNumber:
    """A number that carries the expression by which it was computed, None if it is unknown.

    Our own code reads ``_value``; any other code that asks for the plain value is recorded.
    """

    expression: Expression | None
    _value: Any

    if TYPE_CHECKING:
        # ``symbolic.arithmetic`` defines these and the other operators.
        def __eq__(self, other: object) -> bool: ...
        def __lt__(self, other: Any) -> bool: ...
        def __le__(self, other: Any) -> bool: ...
        def __gt__(self, other: Any) -> bool: ...
        def __ge__(self, other: Any) -> bool: ...
        def __neg__(self) -> Any: ...

    def escape(self, became: str) -> None:
        record_escape(self.expression, became)

    def __int__(self) -> int:
        self.escape("became a plain int")
        return int(self._value)

    def __float__(self) -> float:
        self.escape("became a plain float")
        return float(self._value)

    def __complex__(self) -> complex:
        self.escape("became a complex number")
        return complex(self._value)

    def __repr__(self) -> str:
        self.escape("became text")
        return repr(self._value)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        self.escape("became text")
        return format(self._value, spec)

    def __hash__(self) -> int:
        # A dict or set uses the hash for a lookup, whose result depends on the number.
        self.escape("was looked up in a dict or a set")
        return hash(self._value)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


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
        made_int = int.__new__(cls, plain_int(value))
        made_int._value = plain_int(value)
        made_int.expression = made
        made_int.divided = None
        return made_int

    def __repr__(self) -> str:
        return int.__repr__(self._value)

    def __format__(self, spec: str) -> str:
        return format(self._value, spec)


def plain_int(value: Any) -> int:
    return value._value if isinstance(value, SymInt) else int.__add__(value, 0)


def new_symint(value: int, made: Expression | None) -> Any:
    return SymInt(value, made)


def unknown_symint(value: int) -> Any:
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
