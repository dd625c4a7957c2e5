"""Fields that determine an absent size, as ``mlp_ratio`` does if ``mlp_dim`` is absent.

Probes give every size. Here one size at a time is left out or null, and no model is built, since
the configuration alone fills the size in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

from transformers import PreTrainedConfig

from paramproof.algebra.sampling import sample_inside
from paramproof.catalogue.derivations import derivation_of, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile
from paramproof.tracing.constructors.transformers_class import LABELS
from sweep.fields.probe_values import PROBES
from sweep.library.keys import set_key
from sweep.library.model import attribute_at
from sweep.library.refusal import Attempt

Values = Mapping[str, Any]


def fields_behind_sizes(file: TypeFile, config_class: type[PreTrainedConfig]) -> set[str]:
    """Return the fields accepted with any value that an absent size depends on."""
    filled_in = partial(_fill_in, file, config_class, _used_fields(file))
    rounds, found = list(_value_rounds(file)), set[str]()
    for left_out in _incomplete_sizes(file, _sizes(file)):
        own = filled_in(left_out)
        for values in rounds if own else ():
            others = {path: value for path, value in values.items() if path not in found}
            found |= _find_by_halves(filled_in, own, left_out, others)
    return found


def _find_by_halves(
    filled_in: Callable[[Values], Any], own: Any, left_out: Values, values: Values
) -> set[str]:
    """Return the fields that change the filled-in sizes, each found alone by bisection.

    ``own`` are the sizes without these values. A refused configuration has no sizes.
    """
    changed = filled_in({**left_out, **values})
    if changed == own or (changed is None and len(values) == 1):
        return set()
    if len(values) == 1:
        return set(values)
    half, items = len(values) // 2, [*values.items()]
    parts = dict(items[:half]), dict(items[half:])
    return set().union(*(_find_by_halves(filled_in, own, left_out, part) for part in parts))


def _sizes(file: TypeFile) -> dict[str, int]:
    """Return sizes by their fields that satisfy the guards of the type's first class."""
    variant = variants(file, next(iter(file.classes)))[0]
    derivation = derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))
    sizes = sample_inside(Random(0), derivation) or derivation.sizes
    return {file.letters[letter].path: size for letter, size in sizes.items()}


def _used_fields(file: TypeFile) -> set[str]:
    """Return the fields of sizes in the tensors or guards of some class."""
    found = [derivation_of(file, one, {}) for name in file.classes for one in variants(file, name)]
    return {one.fields[letter] for one in found for letter in one.sizes.keys() - set(one.inert)}


def _incomplete_sizes(file: TypeFile, sizes: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Yield the sizes without each field, without its whole list, and with null for it."""
    for field in sizes:
        if field == LABELS:
            continue
        base = field.partition("[")[0]
        yield {path: size for path, size in sizes.items() if path.partition("[")[0] != base}
        if field in file.null:
            yield {**sizes, field: None}


def _fill_in(
    file: TypeFile, config_class: type[PreTrainedConfig], fields: Iterable[str], values: Values
) -> dict[str, Any] | None:
    """Return the sizes of a configuration with these values, or None if it is refused."""
    keys: dict[str, Any] = {"model_type": file.model_type}
    found: dict[str, Any] = {}
    for path, value in values.items():
        # A configuration may modify the values that it is given.
        set_key(keys, path, deepcopy(value))
    with Attempt():
        config = config_class.from_dict(keys)
        for field in fields:
            with suppress(KeyError):
                found[field] = attribute_at(config, field)
        return found
    return None


def _value_rounds(file: TypeFile) -> Iterator[dict[str, Any]]:
    """Yield values for the accepted fields, until each had one of each of its sorts.

    Fields that are sizes themselves are skipped.
    """
    of_field: dict[str, list[Any]] = {}
    sizes = {file.letters[letter].path for letter in file.letters}
    for path, sorts in file.free.items():
        if path not in sizes:
            of_field[path] = [value for sort in sorts for value in PROBES[sort]]
    for path, texts in file.texts.items():
        of_field[path] = [*of_field.get(path, ()), *texts]
    for number in range(max(map(len, of_field.values()), default=0)):
        yield {path: those[number] for path, those in of_field.items() if number < len(those)}
