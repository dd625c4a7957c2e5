"""Refresh a file whose formulas are unchanged: derive again, and update how far they hold.

Each class and variant that was derived is derived again with the values in its file. If its
parameters, letters and fixed letters are the same, its status, conditions and caveats are updated.
A proved one that does not come out the same becomes fitted, since the current release does not
prove it. Everything else stays unchanged, and a line says why.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.catalogue.derivations import COMPOSED, Variant, derivation_of, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import parse_type
from paramproof.formulas.derivation import FITTED, PROVED, Derivation
from paramproof.sources.reference import in_one_line
from sweep.entries.comparison import DifferenceKind, compare_derivations, variant_name
from sweep.entries.entry_data import STANDING_KEYS, TENSOR_KEYS, composed_standing, standing_data
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import OutOfTime
from sweep.fields.variants import VARIANT_SIZE
from sweep.library.model_types import classes_of_type
from sweep.library.refusal import Attempt

NOT_REPRODUCED = "it was proved by an earlier release, and not derived again as it is written"

Place = tuple[str, int]
"""A class's name, and the index of one of its variants; 0 is the class itself."""


class EntryRefresh:
    """Refreshes the JSON of a type's file, within ``seconds`` of CPU time.

    ``left`` has a line for each class or variant that stays unchanged, and ``lost`` an object for
    each that is no longer proved.
    """

    def __init__(self, data: dict[str, Any], seconds: float) -> None:
        self.file = parse_type(data)
        self.data, self.summary = data, ""
        self.left: list[str] = []
        self.lost: list[dict[str, Any]] = []
        naming = partial(letters_for, known=self.file.letter_of)
        self.sweep = TypeSweep(self.file.name, lambda _: None, seconds, naming)
        self.written = {
            (name, one.index): one
            for name in self.file.classes
            for one in variants(self.file, name)
        }

    def run(self) -> None:
        """Derive everything again, and update ``data``."""
        names = {
            name
            for name in classes_of_type(self.file.model_type)
            if self.sweep.belongs_to_type(name)
        }
        before = self.count_proved()
        found: dict[Place, dict[str, Any]] = {}
        for place, one in self.written.items():
            if one.data.get("withdrawn") or COMPOSED in one.data.get("doubts", ()):
                continue
            if one.name not in names:
                self.left.append(f"{variant_name(one)}: the class is gone")
            elif derivation := self.rederive(one, far=place == next(iter(self.written))):
                found[place] = standing_data(derivation)
                self.note_lost(one, derivation.status, derivation.reasons)
            elif one.data["status"] == PROVED and not self.sweep.is_out_of_time():
                found[place] = {**one.data, "doubts": [NOT_REPRODUCED], "status": FITTED}
                self.note_lost(one, FITTED, [NOT_REPRODUCED])
        signal.setitimer(signal.ITIMER_PROF, 0)
        for name, data in self.data["classes"].items():
            self.data["classes"][name] = self.updated(name, data, found)
        self.summary = f"{self.describe_counts()}: proved {before} → {self.count_proved()}"

    def rederive(self, one: Variant, *, far: bool) -> Derivation | None:
        """Derive a variant. Return it if its formula is unchanged, or record why not."""
        lines = ["there was no time left"]
        if not self.sweep.is_out_of_time():
            try:
                with Attempt() as attempt:
                    sized = dict.fromkeys(one.sized, VARIANT_SIZE)
                    derivation = self.sweep.derive_variant(one.name, one.where, sized, far=far)
                    lines = list(formula_differences(self.recorded(one), derivation))
                    if not lines:
                        return derivation
                if attempt.refusal:
                    lines = [f"it is not derived: {in_one_line(attempt.refusal)}"]
            except OutOfTime:
                signal.setitimer(signal.ITIMER_PROF, 0)
                self.sweep.until = 0
        self.left += (f"{variant_name(one)}: {line}" for line in lines)
        return None

    def recorded(self, one: Variant) -> Derivation:
        own = own_sizes(self.file, one.data.get("absent", ()))
        return derivation_of(self.file, one, own)

    def note_lost(self, one: Variant, status: str, reasons: Iterable[str]) -> None:
        """Record a variant that was proved and no longer is."""
        if (was := one.data["status"]) == PROVED != status:
            record = {"type": self.file.name, "class": one.name}
            record |= {"variant": variant_name(one).removeprefix(one.name).strip("[]")}
            record |= {"was": was, "is": status}
            self.lost.append({**record, "reasons": list(reasons)})

    def updated(
        self, name: str, data: Mapping[str, Any], found: Mapping[Place, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return a class and its variants, updated with the ``found`` results."""
        own = updated_class(data, found.get((name, 0), data))
        part = self.data["classes"].get(data.get("contains"), {})
        also = []
        for index, variant in enumerate(data.get("also", ()), 1):
            if COMPOSED in variant.get("doubts", ()):
                # A composed variant has the current conditions of the class and the part.
                new = updated_composition(variant, own, part["also"][variant["variant"] - 1])
            else:
                standing = found.get((name, index), self.written[name, index].data)
                new = updated_variant(variant, own, standing)
            also.append(new)
        return {**own, "also": also} if also else own

    def kept_data(self) -> Iterator[Mapping[str, Any]]:
        """Yield the current data of each class and variant that is not withdrawn."""
        file = parse_type(self.data)
        for name in file.classes:
            yield from (one.data for one in variants(file, name) if not one.data.get("withdrawn"))

    def count_proved(self) -> int:
        """Return how many classes and variants are proved."""
        return sum(one["status"] == PROVED for one in self.kept_data())

    def describe_counts(self) -> str:
        """Return how many classes and variants there are, in words."""
        kept = [place for place, one in self.written.items() if not one.data.get("withdrawn")]
        also = sum(index > 0 for _, index in kept)
        return f"{len(kept) - also} classes, {also} variants"


def without_buffers(derivation: Derivation) -> Derivation:
    """Return a derivation with its parameters alone, since no count includes buffers."""
    parameters = tuple(one for one in derivation.tensors if one.role != "buffer")
    return replace(derivation, tensors=parameters)


def formula_differences(known: Derivation, found: Derivation) -> Iterator[str]:
    """Yield how the formula differs: in parameters, letters, or fixed letters."""
    known, found = without_buffers(known), without_buffers(found)
    kinds = (DifferenceKind.FORMULA, DifferenceKind.TENSOR, DifferenceKind.LETTER)
    lines = [one.text for one in compare_derivations(known, found) if one.kind in kinds]
    if not lines and Counter(known.tensors) != Counter(found.tensors):
        lines = ["the number of equal tensors changed"]
    was, now = ({name: one.sizes[name] for name in one.fixed} for one in (known, found))
    if was != now:
        lines.append(f"fixed: was {was}, is now {now}")
    yield from lines


def updated_class(data: Mapping[str, Any], standing: Mapping[str, Any]) -> dict[str, Any]:
    """Return a class with the ``STANDING_KEYS`` of ``standing``; its variants are unchanged."""
    new = {key: standing[key] for key in STANDING_KEYS if standing.get(key)}
    absent = {key: data[key] for key in ("absent",) if key in data}
    return {**absent, **_tensor_keys(data), **new, **_other_keys(data, absent)}


def updated_variant(
    data: Mapping[str, Any], first: Mapping[str, Any], standing: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a variant of the class ``first``, with the ``STANDING_KEYS`` of ``standing``.

    It has only the keys that differ from the class. A key that only the class has gets an empty
    value, before the others.
    """
    own = _tensor_keys(data)
    for key in STANDING_KEYS:
        own_value = first.get(key)
        value = standing.get(key) or (type(own_value)() if own_value else None)
        if value != own_value:
            own[key] = value
    head = {key: data[key] for key in ("where", "sized") if key in data}
    empty = {key: own[key] for key in first if key in own and not own[key]}
    return {**head, **empty, **own, **_other_keys(data, head)}


def updated_composition(
    data: Mapping[str, Any], first: Mapping[str, Any], part: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a variant that is composed of the class ``first`` and a ``part``'s variant."""
    new = composed_standing(first, part)
    head = {key: data[key] for key in ("where", "sized", "variant") if key in data}
    conditions = {key: value for key, value in new.items() if key == "conditions"}
    return {**head, **conditions, **_tensor_keys(data), **new, **_other_keys(data, head)}


def _tensor_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in TENSOR_KEYS if key in data}


def _other_keys(data: Mapping[str, Any], besides: Container[str]) -> dict[str, Any]:
    known = (*TENSOR_KEYS, *STANDING_KEYS)
    return {key: data[key] for key in data if key not in known and key not in besides}
