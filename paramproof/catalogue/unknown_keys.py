"""Keys of a configuration that its configuration class does not have.

transformers keeps such a key as an attribute that nothing reads, so paramproof ignores it and
reports it. It refuses a key that gives a size under a name that the class does not have, since it
would otherwise count the type's default without a word: ``n_layers`` of a LLaMA, which has
``num_hidden_layers``, a block such as ``llm_config`` with sizes in it, or a misspelt key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from paramproof.catalogue.entries import Entry, parts
from paramproof.catalogue.names import QUANTIZATION, irrelevant_keys
from paramproof.catalogue.program import ABSENT, Part, Refused
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import SizeName, sizes_by_name
from paramproof.formulas.path import leaf, lies_in, parent
from paramproof.formulas.printing import legible, shown

SHORT_NAME = 6
"""Names shorter than this may be misspelt by one letter, longer ones by two."""


def find_unknown_keys(entry: Entry, config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths of the keys that the configuration classes do not have.

    Raises ``InvalidInput`` for a size under another name than the type's own, if the type's default
    would be counted in its place, and for a key that is probably misspelt: a similar key is absent
    that changes the count, and its value could be that key's.
    """
    found = []
    for path, part, value in _unknown(config, "", entry.part):
        found.append(path)
        sizes = [*_sizes_in(leaf(path), value)]
        for name, size in sizes:
            _require_no_default(entry, path, parent(path) if name == leaf(path) else "", name, size)
        if not sizes:
            _require_not_misspelt(entry, path, part, value)
    return tuple(found)


def _unknown(
    config: Mapping[str, Any], before: str, part: Part
) -> Iterator[tuple[str, Part, object]]:
    """Yield the path of each unknown key, the part in which it is, and its value.

    Keys of a part that is absent may be at top level.
    """
    flat = [
        inner
        for name, inner in part.values.items()
        if isinstance(inner, Part) and config.get(name) is None
    ]
    for key, value in config.items():
        own = part.program.aliases.get(key, key)
        inner = part.values.get(own)
        if isinstance(inner, Part) and isinstance(value, Mapping):
            yield from _unknown(value, f"{before}{key}.", inner)
        elif not (
            key in part.program.taken
            or key in irrelevant_keys()
            or key == QUANTIZATION
            or any(key in one.program.taken for one in flat)
        ):
            yield f"{before}{key}", part, value


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


def _require_no_default(entry: Entry, path: str, part: str, name: str, value: int) -> None:
    """Raise ``InvalidInput`` if the type's default would be counted in place of a size.

    The key at ``path`` is ``name`` in a ``part``, or a block with that name inside it.
    """
    own = [one for one in _sizes_of(entry) if lies_in(one, part)]
    own = [one for one in own if parent(one) == part] or own
    for size in sizes_by_name()[name]:
        same = [one for one in own if size in _meanings(entry, one)]
        if any(_value_at(entry.part, one) == value for one in same):
            return
        if absent := [one for one in same if one in entry.absent]:
            what = f"{entry.model_type} has no {legible(path)}"
            what += "" if leaf(path) == name else f", and its {name} would be ignored"
            raise InvalidInput(f"{what}; write {' or '.join(absent[:3])}", key=path)
        if not same and size.letter == "E" and value > 1:
            problem = f"{entry.model_type} has no experts, so {legible(path)} would be ignored"
            raise InvalidInput(f"{problem}: leave it out, or give another model_type", key=path)


def _sizes_of(entry: Entry) -> list[str]:
    """Return the paths of the sizes that a configuration and its parts have."""
    return [
        f"{path}{name}"
        for path, part in parts(entry.part)
        for name in part.program.types
        if name not in part.program.aliases and type(part.get(name)) is int
    ]


def _meanings(entry: Entry, path: str) -> set[SizeName]:
    """Return the sizes that a key may mean by one of its names."""
    names = {leaf(path)}
    for before, part in parts(entry.part):
        if before == f"{parent(path)}." or before == parent(path) == "":
            names |= {one for one, of in part.program.aliases.items() if of == leaf(path)}
    return {size for name in names for size in sizes_by_name().get(name, ())}


def _value_at(part: Any, path: str) -> Any:
    for name in path.split("."):
        part = part.get(name) if isinstance(part, Part) else ABSENT
    return part


def _require_not_misspelt(entry: Entry, path: str, part: Part, value: object) -> None:
    """Raise ``InvalidInput`` if a similar key is absent that changes the count."""
    key, before = leaf(path), path.removesuffix(leaf(path))
    given = {part.program.aliases.get(name, name) for name in part.keys}
    for name in {**part.program.types, **part.program.fields}:
        if name in given or not is_misspelt(key, name):
            continue
        own = part.get(name)
        kinds = {int: float}
        kind, due = (kinds.get(type(one), type(one)) for one in (value, own))
        if kind is not due and own is not None:
            continue
        others = [not own] if due is bool else [value, 1, 2]
        if any(_changes(entry, f"{before}{name}", one) for one in others):
            raise InvalidInput(
                f"{shown(path)} is not a key of the model type {entry.model_type}: "
                f"did you mean {shown(f'{before}{name}')}?",
                key=path,
            )


def _changes(entry: Entry, path: str, value: object) -> bool:
    try:
        return entry.count_with(path, value) != entry.count
    except Refused:
        return True


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
