"""Say why a configuration has no count: which keys, with which values, and what would be right.

A class refuses the keys for which it raises an error. Any other missing count is a limit of
paramproof. Keys are at fault if there is a count without them. The comparison before the refusal
shows what would be right: a size is not a multiple of another, or a name is not in a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from paramproof.catalogue.entries import with_key
from paramproof.catalogue.names import library_of, programs, versions_of
from paramproof.catalogue.program import ABSENT, LIMIT, OPERATIONS, Catalogue, Refused
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.path import joined, leaf
from paramproof.formulas.printing import legible, pair_text, some_of
from paramproof.key_names import MAX_SIZE, is_too_large, looks_like_size

MOST_KEYS = 300
"""A dictionary of more keys, as of labels, is at fault as a whole or not at all."""

OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}

REMEDIES = {
    "%": ("a multiple of {}", "a divisor of {}"),
    "<": ("at least {}", "at most {}"),
    ">=": ("less than {}", "more than {}"),
    ">": ("at most {}", "at least {}"),
    "<=": ("more than {}", "less than {}"),
}
"""What the left value must be, and what the right one, to make each comparison false."""

Keys = Mapping[str, Any]


def refusal(error: Refused, class_name: str, keys: Keys) -> ValueError:
    """Return the error that says why the keys of a configuration have no count."""
    model_type = str(keys["model_type"])
    values = {path: one for path in error.keys if (one := _at(keys, path)) is not ABSENT}
    alone = _alone(values, class_name, keys) or _alone(dict(_leaves(keys, "")), class_name, keys)
    at_fault = alone or values
    key = next(iter(at_fault), "")
    what = " and ".join(pair_text(*one) for one in at_fault.items())
    is_refused = error.kind == "raised" and all(leaf(one) != "model_type" for one in at_fault)

    def refused(problem: str, key: str = key, is_refused: bool = is_refused) -> ValueError:
        about: dict[str, Any] = {"model_type": model_type, "key": key, "is_refused": is_refused}
        return NotInCatalogue(f"{model_type}: {problem}", **about)

    if error.kind == "type":
        return InvalidInput(f"{what} is not possible: it {error.reason}", key=key)
    if lacking := "" if alone else _lacking(error, class_name, keys):
        return refused(f"{legible(lacking)} is absent and has no default", lacking, False)
    for path, value in at_fault.items():
        is_small = type(value) is int and value < 1 and looks_like_size(path)
        if is_small or is_too_large(value):
            return impossible(path, value)
        if type(value) is int and value > LIMIT and not is_refused:
            problem = f"{pair_text(path, value)} is too large for paramproof, which computes "
            return InvalidInput(f"{problem}lists of at most {LIMIT:,} items", key=path)
    if alone and at_fault[key] is None:
        return refused(f"{what} is not supported: leave it out")
    if not is_refused:
        return refused(f"there is no formula of {class_name} for {what or 'this file'}")
    if due := _remedy(class_name, keys, key, error.keys):
        return refused(f"{pair_text(key, at_fault[key])} is not supported: it must be {due}")
    library = library_of(model_type)
    what = what or f"this file: {legible(str(error.reason))}"
    return refused(f"{class_name} of {library} {versions_of(model_type)[library]} refuses {what}")


def _lacking(error: Refused, class_name: str, keys: Keys) -> str:
    """Return the first key without a value on which a refusal depends, if the file lacks it."""
    is_whole = error.part is not None and error.part.keys is keys
    lacking: list[str] = [path for path in error.keys if is_whole and _at(keys, path) is ABSENT]
    for path in [one for one in lacking if error.keys[one] in (None, ABSENT)]:
        is_sure = len(lacking) == len(error.keys) and (error.kind == "raised" or "." not in path)
        if is_sure or _is_counted(class_name, with_key(error.part, path, 1)):
            return path
    return ""


def _is_counted(class_name: str, keys: Keys) -> bool:
    with suppress(Refused):
        programs().configuration(keys).count(class_name)
        return True
    return False


def _alone(values: Keys, class_name: str, keys: Keys) -> dict[str, Any]:
    """Return those values, by path, whose removal alone lifts the refusal."""
    return {
        path: value
        for path, value in values.items()
        if path != "model_type" and _is_counted(class_name, with_key(keys, path, ABSENT))
    }


def _leaves(keys: Keys, before: str) -> Iterator[tuple[str, Any]]:
    for key, value in keys.items():
        if isinstance(value, Mapping) and 0 < len(value) <= MOST_KEYS:
            yield from _leaves(value, joined(before, key))
        elif "." not in key:
            yield joined(before, key), value


def impossible(path: str, size: object) -> InvalidInput:
    problem = f"{pair_text(path, size)} is not possible: it must be between 1 and {MAX_SIZE:,}"
    return InvalidInput(problem, key=path)


def _at(keys: Any, path: str) -> Any:
    """Return the value of a key at a path, or ``ABSENT``."""
    for name in path.split("."):
        keys = keys.get(name, ABSENT) if isinstance(keys, Mapping) else ABSENT
    return keys


def _remedy(class_name: str, keys: Keys, path: str, read: Keys) -> str:
    """Return what the key must be, if the last comparison before the refusal shows it, or "".

    ``read`` has the values on which the refusal depends.
    """
    compared = _comparisons(class_name, keys)
    value, names = _at(keys, path), {repr(of): one for one, of in read.items() if one != path}
    for sign, one, other, result in compared[-1:]:
        if sign == "in" and not result and (one == value or (type(value) is list and one in value)):
            return f"one of {some_of([*map(str, other)], 40)}"
        left, right = REMEDIES.get(sign if result else OPPOSITE.get(sign, ""), ("", ""))
        is_left = one == value
        if is_left and one == other and type(value) is int:
            # If both sizes are equal, the one that changes with the key is the key's.
            changed = _comparisons(class_name, with_key(keys, path, value + 1))
            is_left = any(now[1] != one for now in changed[len(compared) - 1 : len(compared)])
        due, than = (left, other) if is_left else (right, one) if other == value else ("", "")
        if due and (sign != "%" or repr(than) in names):
            name = names.get(repr(than), "")
            return due.format(f"{name}, which is {than}" if name else than)
    return ""


def _comparisons(class_name: str, keys: Keys) -> list[tuple[str, Any, Any, Any]]:
    """Return what a class compares: how, both sides, and the result."""
    compared: list[tuple[str, Any, Any, Any]] = []

    def noted(sign: str, one: Any, other: Any) -> Any:
        compared.append((sign, one, other, OPERATIONS[sign](one, other)))
        return compared[-1][-1]

    noting = {sign: partial(noted, sign) for sign in ("in", *REMEDIES)}
    with suppress(Refused):
        Catalogue(programs(), {**OPERATIONS, **noting}).configuration(keys).count(class_name)
    return compared
