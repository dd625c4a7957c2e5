"""Arguments of constructors as data: sizes by name, and objects made of other arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from math import prod
from typing import Any


def sizes_named(value: Any, names: Set[str]) -> set[str]:
    """Return which of these sizes an argument names."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list):
        return {name for one in value for name in sizes_named(one, names)}
    return {*names} & set(value.split("·")) if isinstance(value, str) else set()


def filled(value: Any, sizes: Mapping[str, int], find: Callable[[str], Any]) -> Any:
    """Return an argument with the sizes that it names.

    A text is a size or a product, ``r·G``, or itself if it names none; a list is a tuple. A table
    with a ``class`` is what that class makes of the table's other arguments, ``of`` being those
    without a name; one with ``each`` is a list of as many as ``times`` says.
    """
    if isinstance(value, str):
        parts = value.split("·")
        if not any(one in sizes for one in parts):
            return find(value[1:]) if value.startswith("@") else value
        return prod(sizes[one] if one in sizes else int(one) for one in parts)
    if isinstance(value, list):
        return tuple(filled(one, sizes, find) for one in value)
    if not isinstance(value, Mapping):
        return value
    if "each" in value:
        return [value["each"]] * filled(value["times"], sizes, find)
    own = {name: filled(one, sizes, find) for name, one in value.items() if name != "class"}
    return find(value["class"])(*own.pop("of", ()), **own) if "class" in value else own
