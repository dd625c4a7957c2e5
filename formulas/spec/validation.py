"""What is asked of every spec's fields, and how a refusal reads."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any, cast

DERIVED = cast(int, None)
"""Default of a size that follows from the others where it is not given."""


def require(condition: bool, name: str, value: object, wanted: str) -> None:
    """Raise ``ValueError``, in one line that names field and value, unless ``condition``."""
    if not condition:
        raise ValueError(f"{name}={value!r} is not possible: it must be {wanted}")


def require_size(name: str, value: object, lowest: int = 1) -> None:
    """A size is an int, and ``lowest`` or more."""
    require(type(value) is int, name, value, "an int")
    require(cast(int, value) >= lowest, name, value, f"{lowest} or more")


def require_fields(spec: Any, from_zero: Collection[str]) -> None:
    """Every field is a size, from 0 up where named in ``from_zero``, or a flag, a bool."""
    for field in fields(spec):
        name, value = field.name, getattr(spec, field.name)
        if field.type == "bool":
            require(type(value) is bool, name, value, "True or False")
        else:
            require_size(name, value, 0 if name in from_zero else 1)


def require_heads(hidden_size: int, heads: int, where: str = "") -> None:
    """The heads divide the hidden size between them, without a rest."""
    wanted = f"a divisor of hidden_size={hidden_size}{where}"
    require(hidden_size % heads == 0, "num_attention_heads", heads, wanted)


def fill_default(spec: Any, name: str, value: int) -> None:
    """Give the field ``name`` of a frozen spec its ``value`` where it has none."""
    if getattr(spec, name) is None:
        object.__setattr__(spec, name, value)
