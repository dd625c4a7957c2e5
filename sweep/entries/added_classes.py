"""Add classes to an existing file: those of tasks that the file has no class for yet.

A class is derived with the type's own values, and written relative to the classes in the file. The
fields that it reads are probed, and it is compared with models of random configurations. If it
differs, the file stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.catalogue.derivations import variants
from paramproof.catalogue.files import parse_type
from sweep.entries.added_values import with_zero_sizes
from sweep.entries.added_variants import known_variants
from sweep.entries.entry_builder import EntryBuilder
from sweep.entries.repair import CHECK_SEEDS, EntryRepair
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import NO_TIME, Failure, OutOfTime
from sweep.fields.read_keys import with_read_keys
from sweep.library.model_types import classes_of_type
from sweep.library.refusal import Attempt
from sweep.store import in_order


class ClassAdder:
    """Adds classes to the JSON of a type's file; ``failed`` has those that it could not add."""

    def __init__(self, data: Mapping[str, Any], seconds: float) -> None:
        self.data = dict(data)
        self.seconds = seconds
        self.failed: dict[str, Failure] = {}
        self.added: list[str] = []

    def run(self) -> bool:
        """Derive the classes, and add them to ``data``. Return whether there are any."""
        for name in classes_of_type(self.data["model_type"]):
            if name not in self.data["classes"]:
                self.try_to_add(name)
        if self.added:
            self.data = with_zero_sizes(with_read_keys(self.data))
        return bool(self.added)

    def try_to_add(self, name: str) -> None:
        """Derive a class, and add it if models of random configurations agree with it."""
        sweep = self.new_sweep()
        if not sweep.belongs_to_type(name):
            return
        try:
            with Attempt() as attempt:
                repair = EntryRepair(self.with_class(sweep, name))
                for variant in variants(repair.file(), name):
                    for seed in CHECK_SEEDS:
                        repair.check(variant, seed)
                self.data = repair.data
                self.added.append(name)
        except OutOfTime:
            self.failed[name] = NO_TIME
        if attempt.refusal:
            self.failed[name] = Failure.of(attempt.refusal)

    def new_sweep(self) -> TypeSweep:
        """Return a sweep that knows what the file has: letters, accepted values, variants."""
        file = parse_type(self.data)
        naming = partial(letters_for, known=file.letter_of)
        sweep = TypeSweep(file.name, lambda _: None, self.seconds, naming)
        sweep.known = list(known_variants(file))
        sweep.free = {path: set(sorts) for path, sorts in file.free.items()}
        sweep.texts = {path: list(texts) for path, texts in file.texts.items()}
        sweep.sorts = {path: set(sorts) for path, sorts in sweep.free.items()}
        sweep.firm = set(next(iter(file.classes.values())).get("decides", ()))
        return sweep

    def with_class(self, sweep: TypeSweep, name: str) -> dict[str, Any]:
        """Return the JSON of the file with a class that is derived now."""
        sweep.derive_class(name)
        builder, data, own = EntryBuilder(sweep), deepcopy(self.data), sweep.classes[name]
        letters, null, given = builder.sizes(sweep.defaults(builder.counted))
        new = {one: size for one, size in letters.items() if one not in data["letters"]}
        data["letters"] |= new
        classes = {other: _lacking(one, [*new]) for other, one in data["classes"].items()}
        lacking = [letter for letter in data["letters"] if letter not in own["letters"]]
        kept = {key: one for key, one in own.items() if one and key not in ("letters", "also")}
        data["classes"] = {**classes, name: _lacking(kept, lacking)}
        values, bare = builder.own_values({*own["decides"], *own["only"], *sweep.below})
        buffered = {*data.get("buffered", "").split(), *sweep.buffered}
        merged = {
            "null": null,
            "given": given | bare,
            "fields": dict(sorted(values.items())),
            "below": sweep.below,
        }
        for key, found in merged.items():
            data[key] = {**found, **data.get(key, {})}
        data |= {"free": builder.accepted_text(), "texts": sweep.texts}
        data["buffered"] = " ".join(sorted(buffered))
        return in_order(data)


def _lacking(data: Mapping[str, Any], letters: list[str]) -> dict[str, Any]:
    """Return a class, and its variants, without some more letters."""
    if not letters:
        return dict(data)
    new = {**data, "absent": [*data.get("absent", ()), *letters]}
    if "also" in data:
        # A variant that does not say which letters it lacks lacks those of its class.
        new["also"] = [_lacking(one, letters) if "absent" in one else one for one in data["also"]]
    return {"absent": new.pop("absent"), **new}
