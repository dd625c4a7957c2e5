"""Strings that contain sizes: names such as ``layers.3``, error messages, keys of tables.

A string made from such a string is one, too. A decision based on one cannot be followed and is a
caveat, unless every number would lead to the same answer: a name that ends in digits never equals
``head``.
"""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Iterable
from typing import Any

from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import SymInt, record_escape

STORES = frozenset({"STORE_SUBSCR", "BUILD_MAP", "MAP_ADD", "BUILD_CONST_KEY_MAP"})
"""Bytecode instructions that store a value under a key, and look nothing up."""

DIGITS = re.compile(r"[0-9]")

STR_METHODS = frozenset(
    {
        "capitalize", "casefold", "center", "expandtabs", "join", "ljust", "lower", "lstrip",
        "partition", "removeprefix", "removesuffix", "replace", "rjust", "rpartition", "rsplit",
        "rstrip", "split", "splitlines", "strip", "swapcase", "title", "translate", "upper",
        "zfill", "encode", "format", "format_map",
    }
)  # fmt: skip
"""Methods of ``str`` that return strings."""

SEARCH_METHODS = frozenset({"startswith", "endswith", "find", "count", "index", "rfind", "rindex"})
"""Methods of ``str`` that search for another string."""


class SymStr(str):
    """A string that contains sizes; ``expression`` is one of them, for caveats.

    ``plain`` means that every size in it is written in digits only.
    """

    expression: Any
    plain: bool

    def __new__(cls, text: str, made: Any, plain: bool = False) -> SymStr:
        written = super().__new__(cls, text)
        written.expression = made
        written.plain = plain
        return written

    def like(self, text: str) -> SymStr:
        return SymStr(text, self.expression, self.plain)

    def is_decided_by(self, other: Any) -> bool:
        """Return whether its digits may decide how it compares with ``other``."""
        if isinstance(other, tuple):
            return any(map(self.is_decided_by, other))
        return not (self.plain and isinstance(other, str) and not DIGITS.search(str(other)))

    def __add__(self, other: Any) -> Any:
        return self.like(str.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return self.like(str.__add__(other, self))

    def __mod__(self, other: Any) -> Any:
        return self.like(str.__mod__(self, other))

    def __mul__(self, other: Any) -> Any:
        return self.like(str.__mul__(self, other))

    def __str__(self) -> str:
        return self

    def __format__(self, spec: str) -> str:
        return self.like(str.__format__(self, spec))

    def __iter__(self) -> Any:
        return (self.like(one) for one in str.__iter__(self))

    def __getitem__(self, index: Any) -> Any:
        return self.like(str.__getitem__(self, index))

    def __hash__(self) -> int:
        frame = sys._getframe(1)
        step = dis.opname[frame.f_code.co_code[frame.f_lasti]]
        if step not in STORES:
            record_escape(self.expression, "was looked up as text")
        return str.__hash__(self)

    def __contains__(self, other: Any) -> bool:
        if self.is_decided_by(other):
            record_escape(self.expression, "was searched as text")
        return str.__contains__(self, other)

    def __deepcopy__(self, memo: object) -> SymStr:
        return self

    def __reduce__(self) -> Any:
        return SymStr, (str.__str__(self), self.expression, self.plain)


def _str_method(name: str) -> Any:
    own = getattr(str, name)

    def method(self: SymStr, *args: Any, **options: Any) -> Any:
        return mark_parts(own(self, *args, **options), self.expression, self.plain)

    return method


def _search_method(name: str) -> Any:
    own = getattr(str, name)

    def method(self: SymStr, other: Any, *args: Any) -> Any:
        # The position depends on the number of digits before it.
        if self.is_decided_by(other) or "find" in name or "index" in name:
            record_escape(self.expression, "was searched as text")
        return own(self, other, *args)

    return method


def _test_method(name: str) -> Any:
    own = getattr(str, name)

    def method(self: SymStr, *args: Any) -> Any:
        record_escape(self.expression, f"was asked {name}() as text")
        return own(self, *args)

    return method


def _comparison(name: str) -> Any:
    own = getattr(str, name)

    def method(self: SymStr, other: object) -> Any:
        is_order = name not in ("__eq__", "__ne__")
        if is_order or (isinstance(other, str) and self.is_decided_by(other)):
            record_escape(self.expression, "was compared as text")
        return own(self, other)

    return method


for _name in ("__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__"):
    setattr(SymStr, _name, _comparison(_name))
for _name in STR_METHODS:
    setattr(SymStr, _name, _str_method(_name))
for _name in SEARCH_METHODS:
    setattr(SymStr, _name, _search_method(_name))
for _name in dir(str):
    if _name.startswith("is"):
        setattr(SymStr, _name, _test_method(_name))


def mark_parts(made: Any, expression: Any, plain: bool) -> Any:
    """Return a string, or several, as made from a string with sizes. Bytes cannot carry sizes."""
    if isinstance(made, str):
        return SymStr(made, expression, plain)
    if isinstance(made, list | tuple):
        return type(made)(mark_parts(one, expression, plain) for one in made)
    record_escape(expression, f"became {type(made).__name__} of its text")
    return made


def with_sizes(parts: Iterable[Any], text: str) -> str:
    """Return ``text`` as a ``SymStr`` if one of ``parts`` is symbolic."""
    sized = [one for one in parts if has_size(one)]
    if not sized:
        return text
    plain = all(one.plain if isinstance(one, SymStr) else isinstance(one, SymInt) for one in sized)
    return SymStr(text, sized[0].expression, plain)


def walk(value: Any, depth: int = 3) -> Any:
    """Yield the leaves of a value and of the containers inside it, except very long ones."""
    if isinstance(value, list | tuple | set | frozenset):
        if depth and len(value) < MAX_ELEMENTS:
            for one in value:
                yield from walk(one, depth - 1)
    elif isinstance(value, dict):
        if depth:
            for key, one in value.items():
                yield from walk(key, depth - 1)
                yield from walk(one, depth - 1)
    else:
        yield value


MAX_ELEMENTS = 10_000
"""Longer containers are not searched for sizes."""


def has_size(value: Any) -> bool:
    """Return whether a value is a symbolic number or a string that contains one."""
    if isinstance(value, SymInt | SymStr):
        return True
    return isinstance(value, SymFloat) and not value.is_constant
