"""A class of an entry, read back as the derivation from which it was written."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.tensors import parse_tensors, with_prefix, with_ties
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import (
    Consequence,
    Derivation,
    DerivedTensor,
    Evidence,
    Outcome,
    StatedCondition,
)
from paramproof.formulas.parsing import condition_in

OUTCOMES = {
    "refused": Outcome.REFUSED,
    "others": Outcome.OTHERS,
    "": Outcome.NOT_TRIED,
    "a length is less than 0": Outcome.NEGATIVE,
    "a kind of layer is there another number of times": Outcome.OTHER_COUNT,
}
"""What happens if a guard is violated, by its text in the files."""

COMPOSED = "put together"
"""The caveat of a variant that was composed from parts, and not derived itself."""

CAVEATS = {COMPOSED: "not traced: put together from what it contains there, and what is its own"}
"""Short texts in the files for caveats that many variants share."""


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
        return {path.partition("[")[0] for path in self.sized if "[" in path}


def computed_of(file: TypeFile, variant: Variant) -> dict[str, str]:
    """Return the fields that a configuration computes from sizes, with formulas: "" if unknown."""
    return {**file.computed, **variant.data.get("computed", {})}


def variants(file: TypeFile, name: str) -> list[Variant]:
    """Return the variants of a class; the first has the type's own values."""
    own = {key: value for key, value in file.classes[name].items() if key != "also"}
    found = [Variant(name, own.get("where", {}), (), _without_other_letters(file, own, ()))]
    for index, also in enumerate(file.classes[name].get("also", ()), 1):
        where, sized = also.get("where", {}), tuple(also.get("sized", ()))
        data = _without_other_letters(file, {**own, "withdrawn": False, **also}, sized)
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
    fixed = data.get("fixed", {})
    traces, builds, held = data["evidence"]
    return Derivation(
        variant.name,
        {one: fixed.get(one, defaults.get(one, 1)) for one in letters},
        {one: field_of(file, one) for one in letters},
        with_ties(tensors_of(file, variant), data.get("ties", {})),
        tuple(_parse_conditions(data.get("conditions", {}))),
        tuple(sorted(fixed)),
        tuple(data.get("inert", ())),
        tuple(data.get("unread", ())),
        tuple(data.get("unexplained", ())),
        tuple(map(condition_in, data.get("harmless", ()))),
        tuple(CAVEATS.get(one, one) for one in data.get("doubts", ())),
        Evidence(traces, builds, held, 0.0, file.versions),
        {
            name: sizes
            for name, sizes in parse_validated(data.get("validated", "")).items()
            if name in letters
        },
    )


def parse_validated(written: str) -> dict[str, tuple[int, int]]:
    """Return the smallest and largest validated size of each letter.

    Reads what ``format_validated`` writes.
    """
    found: dict[str, tuple[int, int]] = {}
    for one in written.split(", ") if written else ():
        name, _, sizes = one.rpartition(" ")
        low, _, high = sizes.partition("..")
        found[name] = int(low), int(high)
    return found


def format_validated(validated: Mapping[str, tuple[int, int]]) -> str:
    """Return the validated sizes of each letter as text: ``H 12..9000, L 1..9``."""
    return ", ".join(f"{name} {low}..{high}" for name, (low, high) in validated.items())


def field_of(file: TypeFile, letter: str) -> str:
    """Return the field of a letter."""
    return file.letters[letter].path


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
    own = [
        *parse_tensors(data.get("tensors", {})),
        *parse_tensors(data.get("buffers", {}), buffer=True),
    ]
    return [*contained, *own]


def _parse_conditions(conditions: Mapping[str, str]) -> Iterator[StatedCondition]:
    for written, outcome in conditions.items():
        condition: Condition = condition_in(written)
        yield StatedCondition(condition, Consequence(OUTCOMES[outcome]))
