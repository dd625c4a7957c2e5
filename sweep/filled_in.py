"""Fields that decide a size where it is absent, such as ``mlp_ratio`` where ``mlp_dim`` is.

Trials give every size. Here one size at a time is left out, or null, and no model is made: the
configuration has filled it in by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.derivations import derivation_of, field_of, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile
from paramproof.derive.points import drawn
from paramproof.derive.transformers_models import LABELS
from sweep.model import at, put
from sweep.trials import PROBES

Given = Mapping[str, Any]


def moving(file: TypeFile, config_class: type[PreTrainedConfig]) -> set[str]:
    """Return the fields, said to decide nothing, that a size depends on where it is absent."""
    sizes, fields = _sizes(file), _counted(file)
    found: set[str] = set()
    for left_out in _left_out(file, sizes):
        filled_in = _filled_in(file, config_class, fields, left_out)
        for values in _values(file) if filled_in else ():

            def is_moved(
                some: Given, left_out: Given = left_out, filled_in: Given = filled_in
            ) -> bool | None:
                there = _filled_in(file, config_class, fields, {**left_out, **some})
                return None if there is None else there != filled_in

            found |= _moved({p: v for p, v in values.items() if p not in found}, is_moved)
    return found


def _moved(values: Given, is_moved: Callable[[Given], bool | None]) -> set[str]:
    """Return the fields of which one alone moves a size, by halves.

    What is refused, for which ``is_moved`` is None, has no size.
    """
    said = is_moved(values) if values else False
    if said is False or (said is None and len(values) == 1):
        return set()
    if len(values) == 1:
        return set(values)
    half = len(values) // 2
    first, second = dict([*values.items()][:half]), dict([*values.items()][half:])
    return _moved(first, is_moved) | _moved(second, is_moved)


def _sizes(file: TypeFile) -> dict[str, int]:
    """Return sizes by their fields, inside the conditions of the type's first class."""
    written = variants(file, next(iter(file.classes)))[0]
    derivation = derivation_of(file, written, own_sizes(file, written.data.get("absent", ())))
    conditions = [one.condition for one in derivation.conditions]
    repeated = frozenset(name for one in derivation.tensors for name in one.times.letters)
    fixed = frozenset(derivation.fixed)
    sizes = drawn(Random(0), derivation.sizes, conditions, repeated, fixed) or derivation.sizes
    return {field_of(file, letter): size for letter, size in sizes.items()}


def _counted(file: TypeFile) -> set[str]:
    """Return the fields of the sizes that some tensor or some condition has."""
    found: set[str] = set()
    for name in file.classes:
        for written in variants(file, name):
            derivation = derivation_of(file, written, {})
            for one in derivation.tensors:
                found.update(letter for part in (one.times, *one.shape) for letter in part.letters)
            for stated in derivation.conditions:
                found |= stated.condition.letters
    return {field_of(file, letter) for letter in found}


def _left_out(file: TypeFile, sizes: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Yield the sizes without each field in turn, without its whole list, and with null there."""
    for field in sizes:
        if field == LABELS:
            continue
        base = field.partition("[")[0]
        yield {path: size for path, size in sizes.items() if path.partition("[")[0] != base}
        if field in file.null:
            yield {**sizes, field: None}


def _filled_in(
    file: TypeFile, config_class: type[PreTrainedConfig], fields: Iterable[str], values: Given
) -> dict[str, Any] | None:
    """Return the sizes of a configuration with these values, None where it is refused."""
    keys: dict[str, Any] = {"model_type": file.model_type}
    found: dict[str, Any] = {}
    try:
        for path, value in values.items():
            # A configuration changes what it is given.
            put(keys, path, deepcopy(value))
        config = config_class.from_dict(keys)
        for field in fields:
            with suppress(KeyError):
                found[field] = at(config, field)
    except Exception:  # Anybody's configuration may raise anything.
        return None
    return found


def _values(file: TypeFile) -> Iterator[dict[str, Any]]:
    """Yield values of the fields that decide nothing, until each had one of each of its sorts.

    Of what is a size, and may be 0 as well, it is no news that it moves itself.
    """
    of_field: dict[str, list[Any]] = {}
    sizes = {field_of(file, letter) for letter in file.letters}
    for path, sorts in file.free.items():
        if path not in sizes:
            of_field[path] = [value for sort in sorts for value in PROBES[sort]]
    for path, texts in file.texts.items():
        of_field[path] = [*of_field.get(path, ()), *texts]
    for number in range(max(map(len, of_field.values()), default=0)):
        yield {path: those[number] for path, those in of_field.items() if number < len(those)}
