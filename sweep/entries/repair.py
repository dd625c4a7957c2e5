"""Repair a file: withdraw accepted values, and variants, that differ from transformers' models."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import transformers

from paramproof.catalogue.derivations import Variant, variants
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.catalogue.value_kinds import sort_of
from sweep.failure import Failure, Reason, SweepError, reason_of
from sweep.fields.size_sources import fields_behind_sizes
from sweep.library.config_classes import config_class_of
from sweep.samples.fuzz import MismatchError, check_variant, find_culprit
from sweep.store import pack_accepted

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
        """Return the file as the JSON has it now."""
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
