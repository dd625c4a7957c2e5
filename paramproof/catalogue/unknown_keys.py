"""Keys of a configuration that its configuration class does not have.

transformers keeps such a key as an attribute that nothing reads, so paramproof ignores it and
reports it. A name that is almost that of a key which changes the count is a spelling mistake, and
paramproof refuses it: otherwise it would silently count the type's default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from paramproof.catalogue.accepts import IRRELEVANT_PRIVATE
from paramproof.catalogue.configuration import IRRELEVANT_KEYS, QUANTIZATION
from paramproof.catalogue.files import TypeFile, model_types, read_type
from paramproof.catalogue.names import known_keys, older_keys, type_keys
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import leaf, parent
from paramproof.formulas.printing import shown

COUNTING_IN_ANY_TYPE: Mapping[str, Any] = {"architectures": [], "tie_word_embeddings": True}
"""Keys that change the count of any model, each with a typical value."""

KEPT_BESIDE = frozenset({"num_layers"})
"""Keys that files have beside the type's own: Hiera's number of stages. They are not misspelt."""

SHORT_NAME = 6
"""Names shorter than this may be misspelt by one letter, longer ones by two."""


def find_unknown_keys(file: TypeFile, config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths of the keys that the configuration classes do not have.

    Raises ``InvalidInput`` for a key that is probably a misspelt one: a similar key is absent that
    changes the count, and its value could be that key's.
    """
    given = [
        (f"{part}.{key}" if part else key, part, key, one) for part, key, one in _walk(file, config)
    ]
    counting = _counting_keys(file.name)
    absent = counting.keys() - {path for path, *_ in given}
    found = []
    for path, part, key, value in given:
        if key in _known_in_part(file.name, part):
            continue
        for meant in absent:
            alike = parent(meant) == part and key not in KEPT_BESIDE
            alike = alike and is_misspelt(key, leaf(meant))
            if alike and _may_be(value, counting[meant]):
                raise InvalidInput(
                    f"{shown(path)} is not a key of the model type {file.model_type}: "
                    f"did you mean {shown(meant)}?",
                    key=path,
                )
        found.append(path)
    return tuple(found)


def _may_be(value: object, usual: object) -> bool:
    """Return whether a value could be meant for a key that usually has another value."""
    if isinstance(value, bool) or isinstance(usual, bool):
        return isinstance(value, bool) and isinstance(usual, bool)
    if isinstance(value, int | float):
        return isinstance(usual, int | float)
    return type(value) is type(usual)


def _walk(
    file: TypeFile, config: Mapping[str, Any], part: str = ""
) -> Iterator[tuple[str, str, Any]]:
    """Yield each key with its part, "" for top level, and its value.

    A key may have a dot in its name, too.
    """
    for key, value in config.items():
        path = f"{part}.{key}" if part else key
        if path in file.parts and isinstance(value, Mapping):
            yield from _walk(file, value, path)
        else:
            yield part, key, value


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
            *older_keys(),
            *known,
            *map(leaf, own),
        }
    )


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
