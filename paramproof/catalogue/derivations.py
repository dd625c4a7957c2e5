"""A class of an entry, read back as the derivation from which it was written.

A class may tie a head when it builds a model, but not when it loads one. Some configuration
classes, such as T5's, set ``tie_word_embeddings`` to true whatever a file says. Others, such as
Mistral 3's, have it true for the whole model and false for its text part, and files that an older
release wrote for untied weights name neither. If transformers then loads a checkpoint that has both
weights, with different values, it leaves them untied. So it loads a model with more parameters than
it builds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from paramproof.catalogue.configuration import GivenKeys
from paramproof.catalogue.files import SizeField, TypeFile, model_types, read_type
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.derivation_data import all_tensors_from, derivation_from, format_validated
from paramproof.formulas.expression import Expression
from paramproof.formulas.path import leaf, parent

COMPOSED = "put together"
"""The caveat of a variant that was composed from parts, and not derived itself."""

CAVEATS = {COMPOSED: "not traced: put together from what it contains there, and what is its own"}
"""Short texts in the files for caveats that many variants share."""


DEFAULTS_OF_VARIANTS: Mapping[str, Any] = {"withdrawn": False, "zero": []}
"""Keys that a variant does not inherit from its class. ``zero`` has letters that may be 0."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A class with certain values of its selecting fields, as its file has it.

    ``where`` has the values that differ from the type's own, including values without which no
    model can be built. ``sized`` has the fields that are sizes in this variant and null by default.
    ``data`` are the keys of the class, overridden by those of the variant, and ``index`` is its
    position in the class.
    """

    name: str
    where: Mapping[str, Any]
    sized: tuple[str, ...]
    data: Mapping[str, Any]
    index: int = 0

    @property
    def lists(self) -> set[str]:
        """The lists of layers for which the variant counts the layers of each kind."""
        fields = map(SizeField, self.sized)
        return {one.key for one in fields if one.is_kind}


def computed_of(file: TypeFile, variant: Variant) -> dict[str, str]:
    """Return the fields that a configuration computes from sizes, with formulas: "" if unknown."""
    return {**file.computed, **variant.data.get("computed", {})}


def variants(file: TypeFile, name: str) -> list[Variant]:
    """Return the variants of a class; the first has the type's own values."""
    own = {key: value for key, value in file.classes[name].items() if key != "also"}
    found = [Variant(name, own.get("where", {}), (), _without_other_letters(file, own, ()))]
    for index, also in enumerate(file.classes[name].get("also", ()), 1):
        where, sized = also.get("where", {}), tuple(also.get("sized", ()))
        data = {**own, **DEFAULTS_OF_VARIANTS, **also}
        data = _without_other_letters(file, data, sized)
        found.append(Variant(name, where, sized, data, index))
    return found


def _without_other_letters(
    file: TypeFile, data: dict[str, Any], sized: Container[str]
) -> dict[str, Any]:
    """Return a variant's keys, with letters that only other variants have as absent."""
    others = [name for name, path in _letters_of_variants(file).items() if path not in sized]
    return {**data, "absent": [*data.get("absent", ()), *others]} if others else data


@lru_cache(maxsize=512)
def _letters_of_variants(file: TypeFile) -> dict[str, str]:
    """Return the letters that only some variants have, with their fields.

    These are counts of kinds, and sizes without a default.
    """
    also = (one for data in file.classes.values() for one in data.get("also", ()))
    sized = {path for one in also for path in one.get("sized", ())}
    return {
        name: size.path
        for name, size in file.letters.items()
        if size.is_kind or (not size.default and size.path in sized)
    }


def kept_variants(file: TypeFile, name: str) -> list[Variant]:
    """Return the variants of a class that were not withdrawn."""
    return [one for one in variants(file, name) if not one.data.get("withdrawn")]


def derivation_of(file: TypeFile, variant: Variant, defaults: Mapping[str, int]) -> Derivation:
    """Return the derivation of a variant; ``defaults`` are the type's own sizes by letter."""
    data = variant.data
    letters = [one for one in file.letters if one not in data.get("absent", ())]
    sizes = {**defaults, **data.get("fixed", {})}
    traces, builds, held = data["evidence"]
    seen = {"traces": traces, "builds": builds, "held": held, "seconds": 0.0}
    at_zero = {one: (0, sizes.get(one, 1)) for one in data.get("zero", ())}
    validated = filter(None, (data.get("validated", ""), format_validated(at_zero)))
    own = {
        "name": variant.name,
        "sizes": {one: sizes.get(one, 1) for one in letters},
        "fields": {one: file.letters[one].path for one in letters},
        "doubts": [CAVEATS.get(one, one) for one in data.get("doubts", ())],
        "validated": ", ".join(validated),
        "evidence": {**seen, "versions": file.versions},
    }
    return derivation_from({**data, **own}, tensors_of(file, variant))


def tensors_of(file: TypeFile, variant: Variant) -> list[DerivedTensor]:
    """Return the tensors of a class, those of the class that it contains first.

    Raises ``ValueError`` if classes contain each other.
    """
    return _tensors(file, variant.data, ())


def _tensors(
    file: TypeFile, data: Mapping[str, Any], inside: tuple[object, ...]
) -> list[DerivedTensor]:
    contained: list[DerivedTensor] = []
    if data.get("contains"):
        other, prefix = data["contains"], data.get("under", "")
        index = data.get("variant", 0)
        if (other, index) in inside:
            raise ValueError(f"{other} contains itself")
        part = variants(file, other)[index]
        all_of_it = _tensors(file, part.data, (*inside, (other, index)))
        without = set(data.get("without", ()))
        contained = [one for one in with_prefix(prefix, all_of_it) if one.path not in without]
    return [*contained, *all_tensors_from(data)]


def with_prefix(prefix: str, tensors: Iterable[DerivedTensor]) -> list[DerivedTensor]:
    """Return the tensors of a part with the paths that they have in the whole model."""
    before = f"{prefix}." if prefix else ""
    return [replace(tensor, path=f"{before}{tensor.path}") for tensor in tensors]


class Head(NamedTuple):
    """The weight of a head that a configuration declares as untied.

    ``path`` is its name in the model, ``size`` its number of entries, and ``field`` the field of
    the configuration that is false. The file says so if it ``is_given``; otherwise it is the
    default of a part of the configuration.
    """

    path: str
    size: Expression
    field: str
    is_given: bool = True


WHOLE = "tie_word_embeddings"
"""The field at the top level of the configuration."""


def announced_heads(
    of_class: Mapping[str, Any], given: GivenKeys, derivation: Derivation
) -> tuple[Head, ...]:
    """Return the heads that are tied in ``derivation`` although a field is false.

    ``of_class`` is a class in a type's file. If one field is false and another true, the
    configuration does not declare an untied head.
    """
    by_field: Mapping[str, list[str]] = of_class.get("untied_on_loading", {})
    if any(given.values.get(field, False) is not False for field in (WHOLE, *by_field)):
        return ()
    tied = {alias: one.size for one in derivation.tensors for alias in one.aliases}
    false = [one for one in by_field if one in given.values or _is_false_in_part(given, one)]
    found = {path: field for field in false for path in by_field[field] if path in tied}
    return tuple(
        Head(path, tied[path], field, field in given.values) for path, field in found.items()
    )


def _is_false_in_part(given: GivenKeys, field: str) -> bool:
    """Return whether a part of the configuration is given whose type has the field as false."""
    part = parent(field)
    if part not in given.parts or given.file.parts[part] not in model_types():
        return False
    return read_type(given.file.parts[part]).fields.get(leaf(field)) is False
