"""Repair a file: withdraw accepted values, and variants, that differ from transformers' models.

A field may determine an absent size, as ``mlp_ratio`` does if ``mlp_dim`` is absent. Probes give
every size, so here one size at a time is left out or null. No model is built for that, since the
configuration alone fills the size in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

import transformers
from transformers import PreTrainedConfig

from paramproof.catalogue.derivations import Variant, derivation_of, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.catalogue.value_kinds import sort_of
from paramproof.derivation.sampling import sample_inside
from paramproof.tracing.constructors.transformers_class import LABELS
from sweep.failure import Failure, Reason, SweepError, reason_of
from sweep.fields.probe_values import PROBES
from sweep.library.keys import set_key
from sweep.library.model import attribute_at
from sweep.library.model_types import config_class_of
from sweep.library.refusal import Attempt
from sweep.samples.fuzz import MismatchError, check_variant, find_culprit
from sweep.store import pack_accepted

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


MAX_REPAIRS = 12
"""The largest number of values that are withdrawn for one variant."""

CHECK_SEEDS = (1, 2, 3)
"""Seeds of the configurations with which each variant is checked. Rarely used types get only the
first."""


class EntryRepair:
    """Repairs the JSON of a type's file until it agrees; ``failed`` has withdrawn variants."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        parsed = self.file()
        self.free = {name: set(sorts) for name, sorts in parsed.free.items()}
        self.texts = {name: list(values) for name, values in parsed.texts.items()}
        self.config_class = config_class_of(parsed.name)
        self.failed: dict[str, Failure] = {}
        self.dropped: list[str] = []

    def file(self) -> TypeFile:
        return parse_type(self.data)

    def run(self, seeds: Iterable[int] = CHECK_SEEDS) -> None:
        """Check every variant with random configurations, and withdraw those that differ."""
        for path in sorted(fields_behind_sizes(self.file(), self.config_class)):
            self.drop_field(path)
        for name, one in self.data["classes"].items():
            for index, variant in enumerate(variants(self.file(), name)):
                if variant.data.get("withdrawn"):
                    continue
                before = {p: set(s) for p, s in self.free.items()}, dict(self.texts)
                try:
                    for seed in seeds:
                        self.check(variant, seed)
                except (SweepError, KeyError, ZeroDivisionError) as error:
                    self.free, self.texts = before
                    self.write_accepted()
                    what = f"{name} variant {index} {dict(variant.where)}"
                    self.failed[what] = Failure(reason_of(error), str(error))
                    (one["also"][index - 1] if index else one)["withdrawn"] = True

    def check(self, variant: Variant, seed: int) -> None:
        """Check a variant, and drop the values that turn out to affect tensors."""
        model_class = getattr(transformers, variant.name)
        for _ in range(MAX_REPAIRS):
            file = self.file()
            try:
                check_variant(file, variant, self.config_class, model_class, Random(seed))
            except MismatchError as error:
                culprit = find_culprit(
                    file, variant.name, self.config_class, model_class, error.config
                )
                if not culprit:
                    raise
                self.drop_value(*culprit)
            else:
                return
        problem = f"{variant.name}: more than {MAX_REPAIRS} accepted fields affect its tensors"
        raise SweepError(Reason.ERROR, problem)

    def drop_value(self, path: str, value: Any) -> None:
        """Stop accepting values of this sort for a field."""
        self.dropped.append(f"{path}={value}")
        self.free[path] = self.free.get(path, set()) - {sort_of(value)}
        self.texts[path] = [one for one in self.texts.get(path, ()) if one != value]
        if isinstance(value, list):
            # One rule gives all the names that such a list may have.
            rules = self.data.pop("layers", {})
            if rest := {name: rule for name, rule in rules.items() if name != path}:
                self.data["layers"] = rest
        self.mark_refused(path)

    def drop_field(self, path: str) -> None:
        """Stop accepting any other value for a field."""
        self.dropped.append(path)
        self.free.pop(path, None)
        self.texts.pop(path, None)
        self.mark_refused(path)

    def mark_refused(self, path: str) -> None:
        """Write the accepted values, and mark a field as one that transformers reads."""
        self.write_accepted()
        self.data["refused"] = " ".join(sorted({*self.data.get("refused", "").split(), path}))

    def write_accepted(self) -> None:
        """Write the accepted values into the JSON."""
        self.data["free"] = pack_accepted(self.free)
        self.data["texts"] = {name: self.texts[name] for name in sorted(self.texts)}
        self.data["texts"] = {name: values for name, values in self.data["texts"].items() if values}
