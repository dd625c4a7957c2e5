"""The entry of a configuration: the class's derivation, and the configuration's sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from paramproof.catalogue.alike import (
    ABSENT,
    is_due,
    is_of_a_free_sort,
    require_alike,
)
from paramproof.catalogue.configuration import GivenKeys, sizes_of
from paramproof.catalogue.derivations import (
    Written,
    computed_of,
    derivation_of,
    not_withdrawn,
    variants,
)
from paramproof.catalogue.files import TypeFile, read_type
from paramproof.catalogue.outside import OutsideCatalogueError, Refusal
from paramproof.catalogue.values import same
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.printing import shown


@dataclass(frozen=True)
class Entry:
    """A class of a model type, at the sizes of a configuration."""

    derivation: Derivation
    sizes: Mapping[str, int]

    @cached_property
    def count(self) -> int:
        """The trainable parameters, tied ones once."""
        return self.derivation.count(self.sizes)


def entry(config: Mapping[str, Any], architecture: str = "") -> Entry:
    """Return the entry of the keys of a ``config.json``; no framework is needed.

    ``architecture`` takes the place of the class that ``architectures`` names; where none is
    named it is the base model. Code beside the file, which ``auto_map`` names, is not looked at:
    what is counted is the class of transformers itself.

    Raises ``OutsideCatalogueError``, in one line that names the key or the condition, for what
    no entry was derived for, and ``ValueError`` for what is no configuration.
    """
    model_type = config.get("model_type")
    if not isinstance(model_type, str):
        raise ValueError(f"model_type={shown(model_type)} is no model type of transformers")
    return entry_in(read_type(model_type), config, architecture)


def entry_in(file: TypeFile, config: Mapping[str, Any], architecture: str = "") -> Entry:
    """Return the entry of a configuration in the file of its type."""
    name = _class_name(file, config, architecture)
    given = GivenKeys(file, config)
    decides = {
        path: given.default(path, file.fields.get(path, ABSENT))
        for path in file.classes[name].get("decides", ())
    }
    written, values = _variant(file, given, name, decides)
    absent = written.data.get("absent", ())
    try:
        sizes = sizes_of(given, written.sized, absent)
    except KeyError as error:
        raise given.outside(f"what {error} stands for is absent") from None
    needed = variants(file, name)[0].where
    only, computed = written.data.get("only", {}), computed_of(file, written)
    require_alike(given, values, needed, only, computed, sizes)
    derivation = derivation_of(file, written, own_sizes(file, absent))
    derivation = _without_bounds(derivation, set(_bounds_of_defaults(file, given)))
    try:
        derivation.require(sizes)
    except ValueError as error:
        raise OutsideCatalogueError(str(error), Refusal.CONDITIONS) from None
    return Entry(_without_moved(derivation, file, given), sizes)


def _bounds_of_defaults(file: TypeFile, given: GivenKeys) -> Iterator[Expression]:
    """Yield the bounds of the conditions that come from defaults in whose place is another value.

    The bound of ``V > 50279`` is V − 50280, as ``Condition.bound`` has it.

    A token's number is below the vocabulary's size: that of the value is, as was seen before.
    """
    for path, letters in file.below.items():
        default = given.default(path, file.fields.get(path))
        if type(default) is int and not same(given.values.get(path, default), default):
            yield from (letter(name) - default - 1 for name in letters)


def _without_bounds(derivation: Derivation, bounds: Set[Expression]) -> Derivation:
    kept = (one for one in derivation.conditions if one.condition.bound not in bounds)
    return replace(derivation, conditions=tuple(kept))


def _class_name(file: TypeFile, config: Mapping[str, Any], architecture: str) -> str:
    named = config.get("architectures") or []
    own = named[0] if isinstance(named, list) and len(named) == 1 else ""
    name = architecture or own or next(iter(file.classes))
    # LLaMAForCausalLM is what LlamaForCausalLM was called at first.
    known = {one.casefold(): one for one in file.classes}
    if not isinstance(name, str) or name.casefold() not in known:
        has = ", ".join(file.classes)
        raise OutsideCatalogueError(
            f"{file.model_type}: no entry for the class {shown(name)} (there are: {has})"
        )
    return known[name.casefold()]


def _variant(
    file: TypeFile, given: GivenKeys, name: str, decides: Mapping[str, Any]
) -> tuple[Written, dict[str, Any]]:
    """Return the variant of a class that is like the configuration, and what decides there.

    Where none is, that at the type's own values: what is different is said later.
    """
    first = variants(file, name)[0]
    own = {path: file.fields.get(path, ABSENT) for path in decides}
    free = {path for path in first.where if is_of_a_free_sort(given, path)}
    for written in not_withdrawn(file, name):
        # What follows from the values of others is so where it is absent.
        follows = written.data.get("follows", {})
        values = {**own, **written.where, **follows}
        values = {path: value for path, value in values.items() if path not in written.sized}
        there = {**decides, **follows, **given.values}
        alike = all(
            path in free or is_due(given, path, there[path], value)
            for path, value in values.items()
        )
        sized = all(type(given.values.get(path)) is int for path in written.sized)
        if alike and sized:
            return written, values
    for path, value in decides.items():
        # A part that is given may have another default than the entry was derived at.
        if path not in given.values and not same(value, own[path]):
            raise given.outside(f"{path} is {shown(value)} where it is absent from a part")
    if first.data.get("withdrawn"):
        raise given.outside(f"what is derived of {name} was not held")
    for path, value in first.where.items():
        if path not in given.values:
            said = f"{path} is absent, and the entry has {shown(value)}"
            raise given.outside(said, Refusal.OTHER_VALUE)
    return first, {**own, **first.where}


def own_sizes(file: TypeFile, absent: tuple[str, ...]) -> dict[str, int]:
    """Return the sizes of the type's own configuration."""
    missing = [letter for letter, size in file.letters.items() if not size.default]
    try:
        return sizes_of(GivenKeys(file, {}), absent=(*absent, *missing))
    except KeyError:
        # Of what has no default of its own, others are computed.
        return {}


def _without_moved(derivation: Derivation, file: TypeFile, given: GivenKeys) -> Derivation:
    """Leave out buffers where a field has another value: only parameters are sure to be alike."""
    if not given.values.keys() & set(file.buffered):
        return derivation
    buffers = [one for one in derivation.tensors if one.role == "buffer"]
    return replace(
        derivation,
        tensors=tuple(one for one in derivation.tensors if one.role != "buffer"),
        unexplained=(*derivation.unexplained, *(f"{one.path} (buffer)" for one in buffers)),
    )
