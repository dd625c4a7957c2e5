"""Validate the fields of a spec, with errors that name field and value."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any, cast

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import shown

DERIVED = cast(int, None)
"""The default of a size that is computed from other sizes if it is omitted."""


def require(condition: bool, name: str, value: object, wanted: str) -> None:
    """Raise ``ValueError``, in one line with field and value, unless ``condition`` is true."""
    if not condition:
        raise InvalidInput(f"{name}={shown(value)} is not possible: it must be {wanted}")


def require_size(name: str, value: object, lowest: int = 1) -> None:
    """Require that a size is an int, and ``lowest`` or more."""
    # A symbolic int is a subclass of int and passes; a bool is refused.
    require(isinstance(value, int) and not isinstance(value, bool), name, value, "an int")
    require(cast(int, value) >= lowest, name, value, f"{lowest} or more")


def require_fields(spec: Any, from_zero: Collection[str]) -> None:
    """Require that every field is a bool or a size; only sizes in ``from_zero`` may be 0."""
    for field in fields(spec):
        name, value = field.name, getattr(spec, field.name)
        if field.type == "bool":
            require(type(value) is bool, name, value, "True or False")
        else:
            require_size(name, value, 0 if name in from_zero else 1)


def require_heads(hidden_size: int, heads: int, where: str = "") -> None:
    """Require that ``hidden_size`` is divisible by ``num_attention_heads``."""
    wanted = f"a divisor of hidden_size={hidden_size}{where}"
    require(hidden_size % heads == 0, "num_attention_heads", heads, wanted)


def fill_default(spec: Any, name: str, value: int) -> None:
    """Set the field ``name`` of a frozen spec to ``value`` if it was omitted."""
    if getattr(spec, name) is None:
        object.__setattr__(spec, name, value)
