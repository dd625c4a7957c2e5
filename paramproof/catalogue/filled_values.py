"""Values that a configuration class computes from other keys, and that files repeat.

LFM2's class fills in ``full_attn_idxs`` with the numbers of all layers, and Gemma 4's fills in
``per_layer_config`` for every sixth layer. A file that has the value that the class would fill in
is read as one without the key. A value without a pattern is known for the type's own sizes alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paramproof.catalogue.value_kinds import default_layers, equal
from paramproof.formulas.parsing import expression_in

if TYPE_CHECKING:
    from paramproof.catalogue.configuration import GivenKeys

POSITIONS = "positions"
"""The form of a list with the numbers of some layers, such as ``moe_layers``."""

OVERRIDES = "overrides"
"""The form of an object with fields for some layers, such as ``per_layer_config``."""


def drop_filled_in(given: GivenKeys) -> None:
    """Remove each key with the value that the class fills in for the other keys."""
    for path, rule in given.file.filled.items():
        if path in given.values and _is_filled_in(given, rule, given.values[path]):
            del given.values[path]


def _is_filled_in(given: GivenKeys, rule: Mapping[str, Any], value: object) -> bool:
    if not all(equal(_value_of(given, path, own), own) for path, own in rule["at"].items()):
        return False
    if not all(is_own_list(given, path) for path in rule.get("lists", ())):
        return False
    if "value" in rule:
        return equal(value, rule["value"])
    expression = expression_in(rule["long"])
    (letter,) = expression.letters
    depth = _value_of(given, given.file.letters[letter].path, given.file.letters[letter].default)
    if isinstance(depth, str) and depth.isdecimal():
        depth = int(depth)
    if type(depth) is not int or depth < rule.get("from", 1):
        return False
    long = expression.evaluate({letter: depth})
    return equal(by_layer(value, rule.get("as", ""), long), default_layers(rule, long))


def _value_of(given: GivenKeys, path: str, own: object) -> object:
    """Return the value of a key, or ``own`` if it is absent and has no other default."""
    if path in given.late:
        return given.late[path]
    if path in given.sized_lists:
        return given.sized_lists[path]
    return given.values[path] if path in given.values else given.default(path, own)


def is_own_list(given: GivenKeys, path: str) -> bool:
    """Return whether a list is absent, or the one that the type has by default."""
    value = given.values.get(path)
    rule = given.file.layers.get(path, {})
    if isinstance(value, list) and "repeats" in rule:
        return equal(value, default_layers(rule, len(value)))
    return value is None or (path in given.file.fields and equal(value, given.file.fields[path]))


def by_layer(value: object, form: str, long: int) -> list[Any] | None:
    """Return a value as a list with an item for each of ``long`` layers, or None if it is none.

    The items are true or false for a list of positions, and null for a layer without overrides.
    """
    if form == OVERRIDES and isinstance(value, Mapping):
        found = {int(one): fields for one, fields in value.items() if one.isdecimal()}
        is_complete = len(found) == len(value) and all(one < long for one in found)
        return [found.get(one) for one in range(long)] if is_complete else None
    if not isinstance(value, list):
        return None
    if form != POSITIONS:
        return value
    is_sorted = all(type(one) is int for one in value) and value == sorted(set(value))
    inside = is_sorted and all(0 <= one < long for one in value)
    return [one in value for one in range(long)] if inside else None
