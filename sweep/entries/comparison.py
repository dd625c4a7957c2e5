"""Compare a model type's file with what transformers builds now, symbolically.

Each proved variant is derived again, with the values in its file, until the time is over. The
remaining ones, and the fitted ones, are checked with random models. A fitted variant is derived
again only if that check fails: its fixed sizes depend on random samples, and may differ from run to
run. Values of other fields are not probed again, since the random configurations include them.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from enum import Enum
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import transformers

from paramproof.catalogue.derivations import COMPOSED, Variant, derivation_of, kept_variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile
from paramproof.formulas.derivation import PROVED, Derivation, DerivedTensor
from paramproof.formulas.expression import text
from paramproof.sources.reference import in_one_line
from sweep.entries.repair import CHECK_SEEDS
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import OutOfTime
from sweep.fields.defaults import class_default
from sweep.fields.probe import fields_to_probe, names_in_code
from sweep.fields.unread_fields import UnreadFields
from sweep.fields.variants import VARIANT_SIZE
from sweep.library.model import Mismatch
from sweep.library.model_types import classes_of_type
from sweep.library.refusal import Attempt
from sweep.samples.fuzz import check_variant
from sweep.store import read_failures


class DifferenceKind(Enum):
    """What a difference is about; the value is its name in JSON."""

    FORMULA = "formula"
    GONE = "class that is gone"
    NEW = "new class"
    NOT_DERIVED = "class that is not derived"
    DEFAULT = "default"
    TENSOR = "tensor"
    LETTER = "letter"
    PROPERTY = "property"
    KEY = "new key"
    MODEL = "random model"
    FAILED = "type that is not derived"


class Difference(NamedTuple):
    """A line of text, and what it is about."""

    kind: DifferenceKind
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def data(self) -> list[str]:
        return [self.kind.value, self.text]

    @classmethod
    def read(cls, data: list[str]) -> Difference:
        kind, text = data
        return cls(DifferenceKind(kind), text)


def differences(
    file: TypeFile, seconds: float = math.inf, held: list[str] | None = None
) -> Iterator[Difference]:
    """Yield each difference between a type's file and what transformers builds.

    ``seconds`` are of CPU time. The names of proved variants that it did not suffice for are added
    to ``held``.
    """
    sweep = TypeSweep(file.name, lambda _: None, seconds)
    held = [] if held is None else held
    classes = [name for name in classes_of_type(file.model_type) if sweep.belongs_to_type(name)]
    tried = read_failures().get(file.name, {})
    for name in [*file.classes, *(name for name in classes if name not in file.classes)]:
        if name not in classes:
            yield Difference(DifferenceKind.GONE, f"{name} is gone")
        elif name in file.classes:
            for variant in kept_variants(file, name):
                yield from _variant(sweep, file, variant, held)
        elif name not in tried:
            yield Difference(DifferenceKind.NEW, f"{name} is new")
    yield from (
        Difference(DifferenceKind.KEY, f"{path} is a new key") for path in new_keys(sweep, file)
    )


def _variant(
    sweep: TypeSweep, file: TypeFile, variant: Variant, held: list[str]
) -> Iterator[Difference]:
    if variant.data["status"] == PROVED:
        if not sweep.is_out_of_time():
            try:
                yield from _rederive(sweep, file, variant)
                return
            except OutOfTime:
                signal.setitimer(signal.ITIMER_PROF, 0)
                sweep.until = 0
        held.append(variant_name(variant))
    if why := _check(sweep, file, variant):
        yield Difference(DifferenceKind.MODEL, f"{variant_name(variant)}: {why}")
        # A composed variant was not derived, and perhaps cannot be. One that counts kinds needs the
        # lists of kinds, which only VariantAdder finds.
        is_derivable = COMPOSED not in variant.data.get("doubts", ()) and not variant.lists
        if is_derivable and not sweep.is_out_of_time():
            yield from _rederive(sweep, file, variant)


def _rederive(sweep: TypeSweep, file: TypeFile, variant: Variant) -> Iterator[Difference]:
    own = own_sizes(file, variant.data.get("absent", ()))
    where = variant_name(variant)
    with Attempt() as attempt:
        derivation = sweep.derive_variant(
            variant.name, variant.where, dict.fromkeys(variant.sized, VARIANT_SIZE)
        )
    if attempt.refusal:
        why = f"{where} is not derived: {in_one_line(attempt.refusal)}"
        yield Difference(DifferenceKind.NOT_DERIVED, why)
        return
    known = derivation_of(file, variant, own)
    yield from (
        one._replace(text=f"{where}: {one}") for one in compare_derivations(known, derivation)
    )
    # A part that is given, because a value in it is, may have other defaults.
    for letter, size in own.items() if where == variant.name else ():
        now, field = derivation.sizes.get(letter, size), file.letters[letter].path
        # HRM computes its number of layers from itself; its default is the class's own value.
        if now != size and size != class_default(sweep.start, field) and field not in sweep.needed:
            yield Difference(
                DifferenceKind.DEFAULT, f"{where}: {letter} was {size} by default and is now {now}"
            )


def _check(sweep: TypeSweep, file: TypeFile, variant: Variant) -> str:
    """Return how random models differ from a variant, or "" if none does.

    If transformers refuses a configuration, another is drawn, since there is no model to compare
    with.
    """
    model_class, refusals = getattr(transformers, variant.name), list[Mismatch]()
    try:
        check_variant(
            file, variant, sweep.config_class, model_class, Random(CHECK_SEEDS[0]), refusals
        )
    except ValueError as error:
        return str(error)
    return ""


def variant_name(variant: Variant) -> str:
    """Return a class's name with the values that distinguish the variant."""
    changed = [*(f"{path}={value}" for path, value in variant.where.items()), *variant.sized]
    return variant.name + (f"[{', '.join(changed)}]" if changed else "")


def compare_derivations(known: Derivation, found: Derivation) -> Iterator[Difference]:
    if more := found.formula - known.formula:
        yield Difference(DifferenceKind.FORMULA, f"the formula changed by ({text(more)})")
    for sign, ones, others in (("−", known, found), ("+", found, known)):
        other_tensors = set(others.tensors)
        new = (one for one in ones.tensors if one not in other_tensors)
        yield from (Difference(DifferenceKind.TENSOR, f"{sign} {_describe(one)}") for one in new)
    for letter in chain(known.fields, found.fields.keys() - known.fields):
        was, now = known.fields.get(letter), found.fields.get(letter)
        if was != now:
            yield Difference(DifferenceKind.LETTER, f"{letter} was {was} and is now {now}")
    for name in ("conditions", "status", "fixed", "unexplained", "inert"):
        was, now = _property(known, name), _property(found, name)
        if was != now:
            yield Difference(DifferenceKind.PROPERTY, f"{name}: was {was}, is now {now}")


def _describe(one: DerivedTensor) -> str:
    also = f" (also {', '.join(one.aliases)})" if one.aliases else ""
    return f"{one.path} {' × '.join(map(text, (one.times, *one.shape)))}, {one.role}{also}"


def _property(derivation: Derivation, name: str) -> Any:
    if name == "conditions":
        return sorted(str(one.condition) for one in derivation.conditions)
    value = getattr(derivation, name)
    return sorted(value) if isinstance(value, tuple) else value


def new_keys(sweep: TypeSweep, file: TypeFile) -> list[str]:
    """Return the keys that are fields or are read, but that the file does not mention."""
    letters = {size.path for size in file.letters.values()}
    known = {*file.free, *file.texts, *file.fields, *file.below, *file.layers, *file.refused}
    known |= {*file.parts, *file.aliases, *file.late, *file.buffered, *file.computed, *file.unread}
    # Names in the code of a configuration need not be keys: some are parts of error messages.
    names = names_in_code(sweep.start) - sweep.reads
    new = fields_to_probe(sweep.start, letters, sweep.reads)[0].keys() - known - names
    if not new:
        return []
    unread = UnreadFields(file)
    return sorted(new - unread.ignored_names(new - set(unread.saved_paths())))
