"""Say why a class refuses a configuration: which keys, with which values, and what would be right.

The keys at fault are those that are left when no more can be left out without another outcome. What
would be right is told by the last comparison of such a value, before the class refuses it: that it
is no multiple of another size, or not in a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from paramproof.catalogue.names import HERE, programs, release
from paramproof.catalogue.program import LIMIT, OPERATIONS, Catalogue, Part, Refused
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.models import sizes_by_name
from paramproof.formulas.path import leaf, parent
from paramproof.formulas.printing import legible, shown, some_of

MAX_SIZE = 10**9
"""The largest size that is accepted: larger than any model's."""

MAX_NAMED = 4

LOOKS_LIKE_SIZE = re.compile(
    r"(n|num|d|dim)_.+|.+_(size|dim|dims|layers|heads|rank|channels|depth)"
)

SAMPLES = {"an int": 8, "a float": 0.5, "a text": "x", "true or false": True, "a list": [8]}
SAMPLES |= {"an object": {}, "null": None}
"""A value of each kind, by the name of the kind."""

REMEDIES = {
    ("%", 1): "a multiple of {}",
    ("/", 1): "a divisor of {}",
    ("in", False): "one of {}",
    ("<", True): "at least {}",
    ("<", False): "less than {}",
    ("<=", True): "more than {}",
    ("<=", False): "at most {}",
    (">", True): "at most {}",
    (">", False): "more than {}",
    (">=", True): "less than {}",
    (">=", False): "at least {}",
}
"""What the left side must be, by the comparison and what it gave."""

FLIPPED = {"%": "/", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def refusal(error: Refused, class_name: str, keys: Mapping[str, Any]) -> ValueError:
    """Return the error that says why a class refuses the keys of a configuration."""
    model_type = str(keys["model_type"])
    about: dict[str, Any] = {"model_type": model_type}
    at_fault = _keys_at_fault(str(error), class_name, keys)
    given = [_given(*one) for one in at_fault.items()]
    if not at_fault:
        program = programs().program(programs().types[model_type])
        lacking = some_of([name for name in program.types if name not in {**program.defaults, **keys}], MAX_NAMED)
        needed = f"give {lacking}, which have no default" if lacking else "the defaults are refused"
        return NotInCatalogue(f"{model_type}: {needed}", **about, is_refused=bool(lacking))
    path, value = next(iter(at_fault.items()))
    about["key"] = path
    for one, size in at_fault.items():
        if is_too_large(size) or (type(size) is int and size < 1 and looks_like_size(one)):
            return not_possible(one, size)
    if kinds := _kinds(without(keys, {*at_fault}), path, value):
        return InvalidInput(f"{given[0]} is not possible: it must be {kinds}", key=path)
    problem = f"{model_type}: {' and '.join(given[:MAX_NAMED])} is not supported"
    if any(leaf(one) == "model_type" for one in at_fault):
        return NotInCatalogue(f"{problem} in {class_name}", **about)
    if any(type(one) is int and one > LIMIT for one in at_fault.values()):
        return NotInCatalogue(f"{problem}: at most {LIMIT:,} layers are counted", **about)
    needed = _remedy(class_name, keys, at_fault) or f"transformers {release()} refuses it"
    return NotInCatalogue(f"{problem}: {needed}", **about, is_refused=True)


def looks_like_size(path: str) -> bool:
    """Return whether the name of a key is that of a size in some model type or program."""
    key = leaf(path)
    return key in sizes_by_name() or bool(LOOKS_LIKE_SIZE.fullmatch(key))


def is_too_large(value: object) -> bool:
    return type(value) is int and abs(value) > MAX_SIZE


def _given(path: str, value: object) -> str:
    return f"{legible(path)}={'null' if value is None else shown(value)}"


def not_possible(path: str, value: object) -> InvalidInput:
    problem = f"{_given(path, value)} is not possible: it must be between 1 and "
    return InvalidInput(f"{problem}{MAX_SIZE:,}", key=path)


def _keys_at_fault(problem: str, class_name: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fewest keys, with their values, because of which there is this problem."""
    left = {path: value for path, value in _leaves(keys) if path != "model_type"}
    every, step = {*left}, len(left)
    while step:
        for start in range(0, len(left), step):
            dropped = {*[*left][start : start + step]}
            kept = {path: value for path, value in left.items() if path not in dropped}
            if _problem_of(class_name, without(keys, every - kept.keys())) == problem:
                left = kept
                break
        else:
            step //= 2
    return left


def _problem_of(class_name: str, keys: Mapping[str, Any]) -> str:
    try:
        programs().configuration(keys).count(class_name)
    except Refused as error:
        return str(error)
    return ""


def _leaves(keys: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in keys.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def without(keys: Mapping[str, Any], dropped: set[str], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in keys.items():
        if isinstance(value, dict) and value:
            if inside := without(value, dropped, f"{before}{key}."):
                found[key] = inside
        elif f"{before}{key}" not in dropped:
            found[key] = value
    return found


def _kinds(others: Mapping[str, Any], path: str, value: object) -> str:
    """Return which kinds of values a key must have, "" if it has one of them."""
    owner: Any = None
    with suppress(Refused):
        owner = programs().configuration(others)
    for name in parent(path).split(".") if parent(path) else ():
        owner = owner.values.get(name) if isinstance(owner, Part) else None
    check = owner.program.types.get(leaf(path)) if isinstance(owner, Part) else None
    if not check or _is_met(check, owner, value):
        return ""
    return " or ".join(kind for kind, one in SAMPLES.items() if _is_met(check, owner, one))


def _is_met(check: Callable[[Part], Any], owner: Part, value: object) -> bool:
    return not any(check(owner) for _ in owner.loop("value", [value]))


def _remedy(class_name: str, keys: Mapping[str, Any], at_fault: Mapping[str, Any]) -> str:
    """Return what the value at fault must be, as far as its last comparison tells."""
    compared: list[tuple[str, Any, Any, Any]] = []

    def noting(sign: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def code(one: Any, other: Any) -> Any:
            result = function(one, other)
            compared.append((sign, one, other, result))
            return result

        return code

    signs = dict.fromkeys(sign for sign, _ in REMEDIES if sign in OPERATIONS and sign != "/")
    own = {sign: OPERATIONS[sign] for sign in signs}
    OPERATIONS.update({sign: noting(sign, own[sign]) for sign in signs})
    try:
        Catalogue(HERE / "programs").configuration(keys).count(class_name)
    except Refused:
        pass
    finally:
        OPERATIONS.update(own)
    names = {shown(value): legible(leaf(path)) for path, value in at_fault.items()}
    for path, value in at_fault.items():
        items = value if isinstance(value, list) else ()
        names |= {shown(one): f"each of {legible(leaf(path))}" for one in items}
    for sign, one, other, result in reversed(compared):
        if shown(other) in names and shown(one) not in names and sign in FLIPPED:
            sign, one, other = FLIPPED[sign], other, one
        result = 1 if sign in "%/" and result else bool(result)
        if shown(one) in names and (sign, result) in REMEDIES:
            is_named = shown(other) in names and other is not one
            due = some_of([*map(str, other)], 40) if isinstance(other, list) else shown(other)
            due = names[shown(other)] if is_named else due
            return f"{names[shown(one)]} must be {REMEDIES[sign, result].format(due)}"
    return ""
