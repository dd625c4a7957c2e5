"""The base of symbolic ints and floats, which records when C code reads the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from paramproof.formulas.expression import Expression
from paramproof.tracing.symbolic.escapes import record_escape


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
        """Record that something read the plain value."""
        record_escape(self, became)

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
