"""Say why a class refuses a configuration: which keys, with which values, and what would be right.

The reader names the keys on which the refusal depends. What would be right is told by the last
comparison of such a value, before the class refuses it: that it is no multiple of another size, or
not in a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from paramproof.catalogue.names import FOLDER, release
from paramproof.catalogue.program import ABSENT, OPERATIONS, Catalogue, Refused
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.models import sizes_by_name
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import legible, shown, some_of

MAX_SIZE = 10**9
"""The largest size that is accepted: larger than any model's."""

LOOKS_LIKE_SIZE = re.compile(
    r"(n|num|d|dim)_.+|.+_(size|dim|dims|layers|heads|rank|channels|depth)"
)

REMEDIES = {
    ("%", True): ("a multiple of {}", "a divisor of {}"),
    ("in", False): ("one of {}", ""),
    ("<", True): ("at least {}", "at most {}"),
    ("<", False): ("less than {}", "more than {}"),
    (">", True): ("at most {}", "at least {}"),
    (">", False): ("more than {}", "less than {}"),
    ("<=", True): ("more than {}", "less than {}"),
    ("<=", False): ("at most {}", "at least {}"),
    (">=", True): ("less than {}", "more than {}"),
    (">=", False): ("at least {}", "at most {}"),
}
"""What a value on the left must be, and what one on the right, by a comparison and its result."""


def refusal(error: Refused, class_name: str, keys: Mapping[str, Any]) -> ValueError:
    """Return the error that says why a class refuses the keys of a configuration."""
    model_type = str(keys["model_type"])
    values = {path: _at(keys, path) for path in error.keys}
    given = {path: value for path, value in values.items() if value is not ABSENT}
    for path, value in given.items():
        is_small = type(value) is int and value < 1 and looks_like_size(path)
        if is_small or is_too_large(value):
            return impossible(path, value)
    key, what = next(iter(given), ""), " and ".join(_shown(*one) for one in given.items())
    about: dict[str, Any] = {"model_type": model_type, "key": key}
    if error.is_kind:
        return InvalidInput(f"{what} is not possible: {error.reason}", key=key)
    if error.reason is None or any(leaf(path) == "model_type" for path in given):
        problem = f"{model_type}: there is no formula of {class_name} for {what or 'this file'}"
        return NotInCatalogue(problem, **about)
    if found := _remedy(class_name, keys, given):
        path, due = found
        problem = f"{model_type}: {_shown(path, given[path])} is not supported: it must be {due}"
        return NotInCatalogue(problem, **about | {"key": path}, is_refused=True)
    problem = f"{model_type}: {class_name} of transformers {release()} refuses "
    return NotInCatalogue(f"{problem}{what or 'this file'}", **about, is_refused=True)


def impossible(path: str, size: object) -> InvalidInput:
    problem = f"{_shown(path, size)} is not possible: it must be between 1 and {MAX_SIZE:,}"
    return InvalidInput(problem, key=path)


def is_too_large(value: object) -> bool:
    return type(value) is int and abs(value) > MAX_SIZE


def looks_like_size(path: str) -> bool:
    """Return whether the name of a key is that of a size in some model type or program."""
    key = leaf(path)
    return key in sizes_by_name() or bool(LOOKS_LIKE_SIZE.fullmatch(key))


def _shown(path: str, value: object) -> str:
    return f"{legible(path)}={'null' if value is None else shown(value)}"


def _at(keys: Any, path: str) -> Any:
    """Return the value of a key at a path, or ``ABSENT``."""
    for name in path.split("."):
        keys = keys.get(name, ABSENT) if isinstance(keys, Mapping) else ABSENT
    return keys


def _remedy(
    class_name: str, keys: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[str, str] | None:
    """Return the last key that was compared before the refusal, and what it must be."""
    compared: list[tuple[str, Any, Any, Any]] = []

    def noting(sign: str) -> Callable[..., Any]:
        def code(one: Any, other: Any) -> Any:
            result = OPERATIONS[sign](one, other)
            compared.append((sign, one, other, result))
            return result

        return code

    noted = {sign: noting(sign) for sign, _ in REMEDIES}
    with suppress(Refused):
        catalogue = Catalogue(FOLDER, operations={**OPERATIONS, **noted})
        catalogue.configuration(keys).count(class_name)
    for sign, *sides, result in reversed(compared):
        for side, due in enumerate(REMEDIES.get((sign, bool(result)), ())):
            for path, value in given.items():
                if due and _is_in(sides[side], value):
                    other = sides[1 - side]
                    if isinstance(other, list):
                        return path, due.format(some_of([*map(str, other)], 40))
                    names = [one for one, same in given.items() if one != path and same == other]
                    named = f"{names[0]}, which is {other}" if names else other
                    return path, due.format(named)
    return None


def _is_in(one: Any, value: Any) -> bool:
    """Return whether a value was compared, or an item of it."""
    items = [value, *(value if isinstance(value, list) else ())]
    return any(type(one) is type(item) and one == item for item in items)
