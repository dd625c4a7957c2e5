"""Keys of a configuration that its configuration class does not have.

transformers keeps such a key as an attribute that nothing reads, so paramproof ignores it and
reports it. It refuses a key that gives a size under a name that the class does not have, since it
would otherwise count the type's default without a word: ``n_layers`` of a LLaMA, which has
``num_hidden_layers``, a block such as ``llm_config`` with sizes in it, or a misspelt key.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from paramproof.catalogue.accepts import IRRELEVANT_PRIVATE
from paramproof.catalogue.configuration import IRRELEVANT_KEYS, QUANTIZATION
from paramproof.catalogue.files import TypeFile, model_types, read_type
from paramproof.catalogue.names import irrelevant_keys, known_keys, type_keys
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import SizeName, sizes_by_name
from paramproof.formulas.path import leaf, lies_in, parent
from paramproof.formulas.printing import legible, shown

COUNTING_IN_ANY_TYPE: Mapping[str, Any] = {"architectures": [], "tie_word_embeddings": True}
"""Keys that change the count of any model, each with a typical value."""

LOOKS_LIKE_SIZE = re.compile(
    r"(n|num|d|dim)_.+|.+_(size|dim|dims|layers|heads|rank|channels|depth)"
)

SHORT_NAME = 6
"""Names shorter than this may be misspelt by one letter, longer ones by two."""


def looks_like_size(path: str) -> bool:
    """Return whether the name of a key is that of a size in some model type or program."""
    key = leaf(path)
    return key in sizes_by_name() or bool(LOOKS_LIKE_SIZE.fullmatch(key))


def find_unknown_keys(
    file: TypeFile, config: Mapping[str, Any], used: Container[str] | None = None
) -> tuple[str, ...]:
    """Return the paths of the keys that the configuration classes do not have.

    ``used`` has the letters on which the count depends; if it is None, any letter may matter.

    Raises ``InvalidInput`` for a size under another name than the type's own, if the type's default
    would be counted in its place, and for a key that is probably misspelt: a similar key is absent
    that changes the count, and its value could be that key's.
    """
    walked = [*_walk(file, config)]
    names = {**file.aliases, **file.late}
    given = {names.get(path, path): value for path, _, _, value in walked if value is not None}
    counting = _counting_keys(file.name)
    absent = counting.keys() - {path for path, *_ in walked}
    found = []
    for path, part, key, value in walked:
        if key in _known_in_part(file.name, part):
            continue
        found.append(path)
        is_size = False
        for name, size in _sizes_in(key, value):
            is_size = True
            _require_no_default(file, path, part if name == key else "", name, size, given, used)
        for meant in () if is_size else absent:
            alike = parent(meant) == part and is_misspelt(key, leaf(meant))
            if alike and _kind(value) is _kind(counting[meant]):
                raise InvalidInput(
                    f"{shown(path)} is not a key of the model type {file.model_type}: "
                    f"did you mean {shown(meant)}?",
                    key=path,
                )
    return tuple(found)


def _kind(value: object) -> type:
    return float if type(value) is int else type(value)


def _sizes_in(key: str, value: object) -> Iterator[tuple[str, int]]:
    """Yield each size that a key gives, or the keys of a block inside it, with its name."""
    if isinstance(value, Mapping):
        for name, inside in value.items():
            yield from _sizes_in(name, inside)
    elif (
        key in sizes_by_name()
        and isinstance(value, int | float)
        and type(value) is not bool
        and value % 1 == 0  # Neither NaN nor infinity is a whole number.
    ):
        yield key, int(value)


def _require_no_default(
    file: TypeFile,
    path: str,
    part: str,
    name: str,
    value: int,
    given: Mapping[str, Any],
    used: Container[str] | None,
) -> None:
    """Raise ``InvalidInput`` if the type's default would be counted in place of a size.

    The key at ``path`` is ``name`` in a ``part``, or a block with that name inside it.
    """
    meanings = {size: _own_keys(file.name).get(size, ()) for size in sizes_by_name()[name]}
    if any(given.get(one) == value for own in meanings.values() for one in own):
        return
    for size, everywhere in meanings.items():
        own = [one for one in everywhere if parent(one) == part] or everywhere
        own = [one for one in own if lies_in(one, part)]
        letters = {one: file.letter_of[one] for one in own if one not in given}
        absent = [one for one, letter in letters.items() if used is None or letter in used]
        defaults = (file.given.get(one, file.letters[letters[one]].default) for one in absent)
        if absent and str(value) not in map(str, defaults):
            what = f"{file.model_type} has no {legible(path)}"
            what += "" if leaf(path) == name else f", and its {name} would be ignored"
            raise InvalidInput(f"{what}; write {' or '.join(absent[:3])}", key=path)
        if not everywhere and size.letter == "E" and value > 1:
            problem = f"{file.model_type} has no experts, so {legible(path)} would be ignored"
            raise InvalidInput(f"{problem}: leave it out, or give another model_type", key=path)


@cache
def _own_keys(name: str) -> Mapping[SizeName, list[str]]:
    """Return the keys that an entry has for each size with a customary letter, by path."""
    file = read_type(name)
    found: dict[SizeName, list[str]] = {}
    aliases = {**file.aliases, **file.late}
    for letter, field in file.letters.items():
        names = [field.path, *(alias for alias, path in aliases.items() if path == field.path)]
        for one in names:
            meanings = sizes_by_name().get(leaf(one), ())
            by_letter = [size for size in meanings if size.letter == letter.partition("_")[0]]
            for size in by_letter or meanings:
                own = found.setdefault(size, [])
                own += [field.path] if field.path not in own else []
    return found


def _walk(
    file: TypeFile, config: Mapping[str, Any], part: str = ""
) -> Iterator[tuple[str, str, str, Any]]:
    """Yield each key with its path, its part, "" for top level, and its value.

    A key may have a dot in its name, too. Keys of a part may be elsewhere: under another key, or at
    top level. A part of another type than the entry's is left out.
    """
    flat = {name: one for one, names in file.flat.items() for name in names}
    for key, value in config.items():
        path = f"{part}.{key}" if part else file.instead.get(key, key)
        if path in file.parts and isinstance(value, Mapping):
            kind = value.get("model_type")
            is_other = kind in model_types() and kind != file.parts[path]
            if not is_other or path in file.fixed_parts:
                yield from _walk(file, value, path)
        elif not part and key in flat and config.get(flat[key]) is None:
            yield f"{flat[key]}.{key}", flat[key], key, value
        else:
            yield path, part, key, value


@cache
def _counting_keys(name: str) -> Mapping[str, Any]:
    """Return the keys that change the count of an entry, each with a typical value."""
    file = read_type(name)
    sizes = {field.path: 1 for field in file.letters.values()}
    return {**COUNTING_IN_ANY_TYPE, **file.fields, **sizes}


@cache
def _known_in_part(name: str, part: str) -> frozenset[str]:
    """Return the keys that a part of an entry's configuration may have; "" is top level."""
    file = read_type(name)
    kind = file.parts[part] if part else file.model_type
    own = {path for path in known_keys(file) if parent(path) == part}
    of_kind = known_keys(read_type(kind)) if kind in model_types() else set()
    known = type_keys(kind) | {one for one in of_kind if not parent(one)}
    return frozenset(
        {
            *IRRELEVANT_KEYS,
            *IRRELEVANT_PRIVATE,
            QUANTIZATION,
            *irrelevant_keys("older"),
            *known,
            *map(leaf, own),
        }
    )


@lru_cache(2**14)  # Most files of one type have the same unknown keys.
def is_misspelt(given: str, meant: str) -> bool:
    """Return whether two names differ by a letter or two: missing, added, replaced, swapped."""
    most = 1 if len(meant) < SHORT_NAME else 2
    if abs(len(given) - len(meant)) > most:
        return False
    last: list[int] = []
    row = [*range(len(meant) + 1)]
    for i, one in enumerate(given, 1):
        before, last, row = last, row, [i]
        for j, other in enumerate(meant, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one != other))
            if i > 1 and j > 1 and one == meant[j - 2] and given[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
    return bool(row[-1] <= most)
