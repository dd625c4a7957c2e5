"""Keys of a configuration that its configuration class does not have.

transformers keeps such a key as an attribute that nothing reads, so paramproof ignores it and
reports it. It refuses a key that gives a size under a name that the class does not have, since it
would otherwise count the type's default without a word: ``n_layers`` of a LLaMA, which has
``num_hidden_layers``, a block such as ``llm_config`` with sizes in it, or a misspelt key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.catalogue.entries import Entry
from paramproof.catalogue.names import QUANTIZATION, ReadPart, irrelevant_keys, programs
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import SizeName, sizes_by_name
from paramproof.formulas.path import joined, lies_in, parent
from paramproof.formulas.printing import legible, shown
from paramproof.key_names import is_misspelt


def find_unknown_keys(entry: Entry, config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths of the keys that the configuration classes do not have.

    Raises ``InvalidInput`` for a size under another name than the type's own, if the type's default
    would be counted in its place, and for a key that is probably misspelt: a similar key is absent
    that changes the count, and its value could be that key's.
    """
    program = entry.part.program.name
    data = programs().file(programs().index["configurations"][program])["configurations"][program]
    parts, looked = entry.parts.items(), data.get("reads", ())
    found, read = [], {joined(path, key) for path, one in parts for key in one.read}
    for part, key, value in _unknown(config, "", entry.part):
        path, sizes = joined(part, key), [*_sizes_in(key, value)]
        # Classes also look for keys that others have: such a size may have no effect.
        is_read = path in read or (path in looked and not isinstance(value, Mapping))
        found += [] if is_read else [path]
        for name, size in sizes:
            if not is_read or entry.count_with(path, size + 1) == entry.count:
                _require_no_default(entry, part, key, name, size)
        if not (sizes or is_read):
            _require_not_misspelt(entry, part, key, value)
    return tuple(found)


def _unknown(config: Mapping[str, Any], path: str, part: Any) -> Iterator[tuple[str, str, object]]:
    """Yield each unknown key with the path of its part, and its value."""
    parts = {name: one for name, one in part.values.items() if isinstance(one, ReadPart)}
    # A part that the file lacks may be built from keys at top level, which are then known.
    own = part.program
    known = {QUANTIZATION, *irrelevant_keys(), *own.types, *own.fields, *own.taken}
    for one in (one for name, one in parts.items() if config.get(name) is None):
        known.update(k for k in one.keys if k in config and one.keys[k] == config[k])
    for key, value in config.items():
        inner = parts.get(part.program.aliases.get(key, key))
        if inner and isinstance(value, Mapping):
            yield from _unknown(value, joined(path, key), inner)
        elif key not in known:
            yield path, key, value


def _sizes_in(key: str, value: Any) -> Iterator[tuple[str, int]]:
    """Yield each size that a key gives, or the keys of a block inside it, with its name."""
    if isinstance(value, Mapping):
        for name, inside in value.items():
            yield from _sizes_in(name, inside)
    elif key in sizes_by_name() and type(value) in (int, float) and value % 1 == 0:
        # Neither NaN nor infinity is a whole number.
        yield key, int(value)


def _require_no_default(entry: Entry, part: str, key: str, name: str, value: int) -> None:
    """Raise ``InvalidInput`` if the type's default would be counted in place of a size.

    The ``key`` of a part is this ``name``, or a block with that name inside it.
    """
    path, within = joined(part, key), part if name == key else ""
    sizes = {one: size for one, size in _sizes_of(entry).items() if lies_in(one, within)}
    own = {one: size for one, size in sizes.items() if parent(one) == within}
    for meant in sizes_by_name()[name]:
        alike = ({o: n for o, (n, what) in of.items() if meant in what} for of in (own, sizes))
        same = next(filter(None, alike), {})
        if value in same.values():
            return
        if absent := [one for one in same if one in entry.absent]:
            what = f"{entry.model_type} has no {legible(path)}"
            what += "" if key == name else f", and its {name} would be ignored"
            raise InvalidInput(f"{what}; write {' or '.join(absent[:3])}", key=path)
        if not same and meant.letter == "E" and value > 1:
            problem = f"{entry.model_type} has no experts, so {legible(path)} would be ignored"
            raise InvalidInput(f"{problem}: leave it out, or give another model_type", key=path)


def _sizes_of(entry: Entry) -> dict[str, tuple[int, set[SizeName]]]:
    """Return the sizes of a configuration and its parts, with what they mean, by path."""
    found = {}
    for path, part in entry.parts.items():
        for name in part.program.types:
            if type(value := part.values.get(name)) is int:
                names = {name, *(one for one, of in part.program.aliases.items() if of == name)}
                meanings = {size for one in names for size in sizes_by_name().get(one, ())}
                found[joined(path, name)] = value, meanings
    return found


def _require_not_misspelt(entry: Entry, path: str, key: str, value: object) -> None:
    part = entry.parts[path]
    for name in {**part.program.types, **part.program.fields}:
        is_alike = part.program.aliases.get(name, name) not in part.keys and is_misspelt(key, name)
        own = part.values.get(name)
        kinds = {float if type(one) is int else type(one) for one in (own, value)}
        if not is_alike or not (own is None or len(kinds) == 1):
            continue
        others = [not own] if isinstance(own, bool) else [value, 1, 2]
        is_class = name == "architectures"
        if is_class or any(
            entry.count_with(joined(path, name), one) != entry.count for one in others
        ):
            given, meant = joined(path, key), joined(path, name)
            problem = f"{shown(given)} is not a key of the model type {entry.model_type}: "
            raise InvalidInput(f"{problem}did you mean {shown(meant)}?", key=given)
