"""Text that has a size in it: a name as ``layers.3``, an error, a key of a table.

What is made of such text is such text again. What is decided by it cannot be followed: that is a
caveat with its place. Where the answer is the same for any digits that may stand there, nothing is
decided: a name that ends in a number is never ``head``.
"""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Iterable
from typing import Any

from paramproof.tracing.symbolic.escapes import escaped
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import SymInt

STORES = frozenset({"STORE_SUBSCR", "BUILD_MAP", "MAP_ADD", "BUILD_CONST_KEY_MAP"})
"""Steps of Python that put something under a key, and look nothing up."""

OF_NUMBERS = re.compile(r"[0-9]")

OF_TEXT = frozenset(
    {
        "capitalize", "casefold", "center", "expandtabs", "join", "ljust", "lower", "lstrip",
        "partition", "removeprefix", "removesuffix", "replace", "rjust", "rpartition", "rsplit",
        "rstrip", "split", "splitlines", "strip", "swapcase", "title", "translate", "upper",
        "zfill", "encode", "format", "format_map",
    }
)  # fmt: skip
"""Methods of text that give text."""

ASKING = frozenset({"startswith", "endswith", "find", "count", "index", "rfind", "rindex"})
"""Methods that look for other text."""


class SymStr(str):
    """A string that sizes were written into; ``expression`` is one of these, for a caveat.

    Of one that is ``plain`` it is known that digits alone stand for sizes.
    """

    expression: Any
    plain: bool

    def __new__(cls, text: str, made: Any, plain: bool = False) -> SymStr:
        """Make text in which a size was written that has this expression."""
        written = super().__new__(cls, text)
        written.expression = made
        written.plain = plain
        return written

    def like(self, text: str) -> SymStr:
        """Return other text that was made of this one."""
        return SymStr(text, self.expression, self.plain)

    def is_decided_by(self, other: Any) -> bool:
        """Whether the digits in it may decide how it compares with ``other``."""
        if isinstance(other, tuple):
            return any(map(self.is_decided_by, other))
        return not (self.plain and isinstance(other, str) and not OF_NUMBERS.search(str(other)))

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
            escaped(self, "was looked up as text")
        return str.__hash__(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and self.is_decided_by(other):
            escaped(self, "was compared as text")
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        if isinstance(other, str) and self.is_decided_by(other):
            escaped(self, "was compared as text")
        return str.__ne__(self, other)

    def __lt__(self, other: str) -> bool:
        escaped(self, "was compared as text")
        return str.__lt__(self, other)

    def __gt__(self, other: str) -> bool:
        escaped(self, "was compared as text")
        return str.__gt__(self, other)

    def __le__(self, other: str) -> bool:
        escaped(self, "was compared as text")
        return str.__le__(self, other)

    def __ge__(self, other: str) -> bool:
        escaped(self, "was compared as text")
        return str.__ge__(self, other)

    def __contains__(self, other: Any) -> bool:
        if self.is_decided_by(other):
            escaped(self, "was searched as text")
        return str.__contains__(self, other)

    def __deepcopy__(self, memo: object) -> SymStr:
        return self

    def __reduce__(self) -> Any:
        return SymStr, (str.__str__(self), self.expression, self.plain)


def _of_text(name: str) -> Any:
    own = getattr(str, name)

    def method(self: SymStr, *args: Any, **options: Any) -> Any:
        return in_parts(own(self, *args, **options), self.expression, self.plain)

    return method


def _asking(name: str) -> Any:
    own = getattr(str, name)

    def method(self: SymStr, other: Any, *args: Any) -> Any:
        # Where it is found is decided by how many digits stand before it.
        if self.is_decided_by(other) or "find" in name or "index" in name:
            escaped(self, "was searched as text")
        return own(self, other, *args)

    return method


def _telling(name: str) -> Any:
    own = getattr(str, name)

    def method(self: SymStr, *args: Any) -> Any:
        escaped(self, f"was asked {name}() as text")
        return own(self, *args)

    return method


for _name in OF_TEXT:
    setattr(SymStr, _name, _of_text(_name))
for _name in ASKING:
    setattr(SymStr, _name, _asking(_name))
for _name in dir(str):
    if _name.startswith("is"):
        setattr(SymStr, _name, _telling(_name))


def in_parts(made: Any, expression: Any, plain: bool) -> Any:
    """Return text, or several, made of text with sizes; bytes cannot carry them."""
    if isinstance(made, str):
        return SymStr(made, expression, plain)
    if isinstance(made, list | tuple):
        return type(made)(in_parts(one, expression, plain) for one in made)
    escaped(SymStr("", expression), f"became {type(made).__name__} of its text")
    return made


def written(parts: Iterable[Any], text: str) -> str:
    """Return ``text``, as text with sizes where one of ``parts`` is a size or such text."""
    told = [one for one in parts if has_size(one)]
    if not told:
        return text
    plain = all(one.plain if isinstance(one, SymStr) else isinstance(one, SymInt) for one in told)
    return SymStr(text, told[0].expression, plain)


def all_in(value: Any, depth: int = 3) -> Any:
    """Yield what is in a value, and in the containers in it, of which long ones are left out."""
    if isinstance(value, list | tuple | set | frozenset):
        if depth and len(value) < LONGEST:
            for one in value:
                yield from all_in(one, depth - 1)
    elif isinstance(value, dict):
        if depth:
            for key, one in value.items():
                yield from all_in(key, depth - 1)
                yield from all_in(one, depth - 1)
    else:
        yield value


LONGEST = 10_000
"""Elements of a container in which sizes are looked for."""


def has_size(value: Any) -> bool:
    """Whether a value is a symbolic number, or text that has one in it."""
    if isinstance(value, SymInt | SymStr):
        return True
    return isinstance(value, SymFloat) and not value.is_constant
