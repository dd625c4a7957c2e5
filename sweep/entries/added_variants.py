"""Add variants to an existing file: for lists of any kinds, and for models that people hold.

A list has another order in each trace and in each model that the variant is compared with. So a
formula that holds for all of them does not depend on the order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from itertools import combinations, filterfalse
from random import Random
from typing import Any, NamedTuple

import transformers

from paramproof.algebra.letters import letters_for
from paramproof.catalogue.derivations import (
    Variant,
    derivation_of,
    kept_variants,
    tensors_of,
    variants,
)
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import SizeField, TypeFile, parse_type
from paramproof.catalogue.value_kinds import sort_of
from paramproof.formulas.condition import Condition, Outcome, Relation, StatedCondition
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.path import leaf
from sweep.entries.entry_data import (
    STANDING_KEYS,
    TENSOR_KEYS,
    KnownVariant,
    class_data,
    without_aliases,
)
from sweep.entries.kind_lists import KindList, KindListFinder
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import Failure, OutOfTime
from sweep.fields.field_reads import changed_fields, normalize, record_reads
from sweep.fields.unread_fields import ANY_VALUES
from sweep.fields.variants import TASK_ENDINGS, VARIANT_SIZE, Change, held_changes
from sweep.library.keys import set_key
from sweep.library.model import attribute_at, attribute_or_none, full_keys
from sweep.library.refusal import Attempt
from sweep.samples.fuzz import check_variant


def idle_keys_of(
    sweep: TypeSweep,
    name: str,
    data: Mapping[str, Any],
    where: Mapping[str, Any],
    lists: Iterable[str],
) -> list[str]:
    """Return the selecting keys of a class that nothing reads if these lists are given."""
    given = {path: list(attribute_at(sweep.start, path)) for path in lists}
    keys = full_keys(sweep.start, {**sweep.values, **sweep.needed, **where, **given})
    plain = normalize(sweep.config_class, keys)
    with Attempt() as attempt:
        config = sweep.config_class.from_dict(deepcopy(keys))
        reads = record_reads(getattr(transformers, name), config)
    if attempt.refusal or plain is None:
        return []
    found = []
    known = {*given, *where, *reads.missing, *reads.fields}
    for path in data.get("decides", ()):
        if path in known:
            continue
        free = ({path} | plain.keys()) - reads.fields
        for value in ANY_VALUES:
            more = deepcopy(keys)
            set_key(more, path, value)
            changed = normalize(sweep.config_class, more)
            if changed is not None and not changed_fields(plain, changed) <= free:
                break
        else:
            found.append(path)
    return found


MAX_LISTS = 2
"""The largest number of lists whose kinds one variant counts."""

SEEDS = 8
"""Seeds of the configurations with which each variant is checked."""


class _Candidate(NamedTuple):
    """A variant to derive: a class, a change, and some lists."""

    name: str
    change: Change
    lists: tuple[KindList, ...]

    def __str__(self) -> str:
        texts = [f"{path}={value}" for path, value in self.change.where.items()]
        others = {**self.change.lists, **self.change.at}
        texts += [f"{path}={size}" for path, size in others.items()]
        texts += [*self.change.sized, *(f"kinds of {path}" for path in self.counted)]
        return f"{self.name} at {', '.join(texts)}"

    @property
    def counted(self) -> dict[str, Any]:
        return {one.counted.path: one.counted for one in self.lists}

    @property
    def numbers(self) -> list[str]:
        return [field for one in self.counted.values() for field in one.sizes]

    @property
    def depths(self) -> dict[str, int]:
        """The sizes that give the lengths of lists, with room for several layers of each kind."""
        lists = self.counted.values()
        return {one.depth: 3 * len(one.kinds) + 6 for one in lists if one.depth}


class VariantAdder:
    """Adds variants to the JSON of a type's file; ``failed`` has those that it could not add.

    Without ``count``, it leaves the variants that count kinds unchanged.
    """

    def __init__(self, data: dict[str, Any], seconds: float, count: bool = True) -> None:
        self.data = without_kind_counts(data) if count else deepcopy(data)
        self.file = parse_type(data)
        self.sweep = TypeSweep(self.file.name, lambda _: None, seconds, self.letters_of)
        base = getattr(transformers, next(iter(self.file.classes)))
        self.finder = KindListFinder(self.file, self.sweep, base)
        self.lists = list(self.finder.find()) if count else []
        self.failed: dict[str, Failure] = {}
        self.known = list(known_variants(parse_type(self.data)))
        self.new: set[str] = set()

    def letters_of(self, fields: Iterable[str]) -> Mapping[str, str]:
        """Return the file's letters for its fields, and new ones for others."""
        return letters_for(fields, self.file.letter_of)

    def run(self) -> bool:
        """Derive the variants, and add them to ``data``. Return whether there are any."""
        added = [self.add(one) for one in self.candidates()]
        spelt: dict[str, Any] = {}
        for one in self.lists:
            if one.counted.path in self.data.get("kinds", {}):
                spelt |= dict(self.finder.all_spellings(one))
        if spelt:
            self.data["spelt"] = spelt
        return any(added)

    def candidates(self) -> Iterator[_Candidate]:
        """Yield the variants to derive, those with fewer lists first."""
        numbers = range(min(len(self.lists), MAX_LISTS) + 1)
        chosen = [some for number in numbers for some in combinations(self.lists, number)]
        for some in chosen:
            for name, one in self.data["classes"].items():
                is_task = name.endswith(TASK_ENDINGS) and bool(one.get("contains"))
                if some:
                    changes = [] if is_task else self.changes(name)
                else:
                    changes = self.missing_changes(name, biases=not is_task)
                yield from (_Candidate(name, change, some) for change in changes)

    def own_values(self, name: str) -> dict[str, Any]:
        return dict(self.data["classes"][name].get("where", {}))

    def held_changes(self, name: str) -> list[Change]:
        """Return the changes of models that people hold, without flags that change nothing.

        A tie of a head changes nothing in a class without one, which takes it as it is. A default
        in a change is a value that must stay.
        """
        own = self.own_values(name)
        known = self.data["classes"][name].get("decides", ())

        def matters(path: str, value: object) -> bool:
            is_free = sort_of(value) in self.file.free.get(path, ())
            is_own = attribute_or_none(self.sweep.start, path) == value
            return path in known or is_own or not is_free

        changes = (
            one._replace(where={p: v for p, v in one.where.items() if matters(p, v)})
            for one in held_changes(self.file.name)
        )
        return [one._replace(where={**own, **one.where}) for one in changes]

    def missing_changes(self, name: str, *, biases: bool = True) -> list[Change]:
        """Return the held changes that have no variant yet, with other values of bias flags."""
        variants = kept_variants(self.file, name)
        missing = [
            one
            for one in self.held_changes(name)
            if not any(self.has_change(variant, one) for variant in variants)
        ]
        if not biases:
            return missing
        own = self.own_values(name)
        values = {**self.file.fields, **own}
        for path in self.data["classes"][name].get("decides", ()):
            value = values.get(path)
            is_bias = type(value) is bool and "bias" in leaf(path)
            if is_bias and all(one.where.get(path, value) == value for one in variants):
                missing.append(Change({**own, path: not value}))
        return missing

    def has_change(self, variant: Variant, change: Change) -> bool:
        """Return whether a variant has the values of a change, and holds at its sizes."""
        sizes = own_sizes(self.file, variant.data.get("absent", ()))
        derivation = derivation_of(self.file, variant, sizes)
        letters = {*derivation.fields.values()}
        where = {path: value for path, value in change.where.items() if path not in letters}
        sized = {*change.sized, *(change.where.keys() & {*variant.sized})}
        items = change.items
        if (variant.where, {*variant.sized} - items.keys()) != (where, sized):
            return False
        due = {**change.at, **items}
        known = sizes | {one: due[path] for one, path in derivation.fields.items() if path in due}
        conditions = (one.condition for one in derivation.conditions)
        is_at = all(one.is_met(known) for one in conditions if one.letters <= known.keys())
        fixed = {one: derivation.sizes[one] for one in derivation.fixed if one in known}
        return items.keys() <= letters and is_at and fixed.items() <= known.items()

    def changes(self, name: str) -> list[Change]:
        """Return a class's changes: none, its changes of ties alone, and the held ones."""
        own = self.own_values(name)
        others = (one for one in kept_variants(self.file, name) if not one.sized)
        ties = [Change(one.where) for one in others if _changes_only_ties(own, one)]
        return [Change(own), *ties, *self.held_changes(name)]

    def add(self, candidate: _Candidate) -> bool:
        """Derive a variant, and add it if the check succeeds. Return whether it does."""
        derivation = self.derive(candidate)
        if derivation is None:
            return False
        before = deepcopy(self.data)
        self.add_letters(derivation, candidate)
        data = self.data["classes"][candidate.name]
        self.add_deciding(data, candidate)
        for version in (
            allowing_no_layers(derivation, candidate.numbers, candidate.depths),
            derivation,
        ):
            data["also"] = [*data.get("also", ()), self.variant_data(version, candidate)]
            self.file = parse_type(self.data)
            try:
                with Attempt() as attempt:
                    self.check(candidate.name)
            except OutOfTime:
                data["also"] = data["also"][:-1]
                break
            if attempt.refusal:
                self.failed[str(candidate)] = Failure.of(attempt.refusal)
                data["also"] = data["also"][:-1]
            else:
                self.failed.pop(str(candidate), None)
                tensors = tuple(map(without_aliases, derivation.tensors))
                self.known.append(KnownVariant(candidate.name, len(data["also"]), tensors))
                return True
        self.data = before
        self.file = parse_type(self.data)
        return False

    def derive(self, candidate: _Candidate) -> Derivation | None:
        """Derive a variant, or return None if its formula needs certain numbers of kinds."""
        if self.sweep.is_out_of_time():
            return None
        change = candidate.change
        sized = {path: change.at.get(path, VARIANT_SIZE) for path in change.sized}
        with suppress(OutOfTime):
            with Attempt() as attempt:
                where = {**change.where, **change.lists, **change.at}
                depths = candidate.depths
                derivation = self.sweep.derive_variant(
                    candidate.name, where, {**sized, **depths}, kinds=candidate.counted
                )
                varying = {*candidate.numbers, *depths, *sized}
                if fixed := {derivation.fields[one] for one in derivation.fixed} & varying:
                    raise ValueError(f"the formula holds only for some values of {sorted(fixed)}")
                return derivation
            if attempt.refusal:
                self.failed[str(candidate)] = Failure.of(attempt.refusal)
        return None

    def add_letters(self, derivation: Derivation, candidate: _Candidate) -> None:
        """Add new letters and the rules of the lists to the file."""
        for letter, field in derivation.fields.items():
            if letter not in self.data["letters"]:
                self.data["letters"][letter] = field
                self.new |= {field} if not SizeField(field).is_kind else set()
        self.file = parse_type(self.data)
        fields = self.file.letter_of
        rules = {
            one.counted.path: one.rule(fields.get(one.counted.depth, "")) for one in candidate.lists
        }
        if rules:
            self.data["kinds"] = {**self.data.get("kinds", {}), **rules}

    def add_deciding(self, data: dict[str, Any], candidate: _Candidate) -> None:
        """Let the fields that a variant changes decide, if the class has them as free so far.

        A field that is null elsewhere, and a size in this variant, decides too.
        """
        sizes = {size.path for size in self.file.letters.values()}
        known, sized = data.get("decides", []), candidate.change.sized
        changed = [*(path for path in candidate.change.where if path not in sizes), *sized]
        new = [path for path in changed if path not in known]
        if new:
            data["decides"] = [*known, *new]
            start = self.sweep.start
            own = {path: attribute_or_none(start, path) for path in new}
            self.data["fields"] = dict(sorted({**own, **self.data.get("fields", {})}.items()))

    def check(self, name: str) -> None:
        """Check the last variant of a class with models of random lists."""
        variant = kept_variants(self.file, name)[-1]
        model_class, config_class = getattr(transformers, name), self.sweep.config_class
        for seed in range(SEEDS):
            check_variant(self.file, variant, config_class, model_class, Random(seed), [])

    def variant_data(self, derivation: Derivation, candidate: _Candidate) -> dict[str, Any]:
        data = self.data["classes"][candidate.name]
        letters = self.file.letters.items()
        lacking = [
            one for one, size in letters if one not in derivation.fields and not size.is_kind
        ]
        new: dict[str, Any] = {**class_data(derivation, self.known), "absent": lacking}
        keys = [
            key for key in (*TENSOR_KEYS, *STANDING_KEYS, "absent") if data.get(key) or new.get(key)
        ]
        own = {key: new.get(key, type(data.get(key))()) for key in keys}
        # Sizes are letters of the formula; the fixed ones are listed as such.
        sizes = set(derivation.fields.values())
        where = {path: v for path, v in candidate.change.where.items() if path not in sizes}
        # A class may need the type's own list, which a variant that counts its kinds does not.
        is_own = bool(candidate.lists) and where == data.get("where", {})
        head: dict[str, Any] = {"where": where} if where and not is_own else {}
        new_ones = [path for path in derivation.fields.values() if path in self.new]
        sized = list(dict.fromkeys([*candidate.change.sized, *new_ones, *candidate.numbers]))
        head |= {"sized": sized} if sized else {}
        if candidate.lists and (
            paths := idle_keys_of(self.sweep, candidate.name, data, where, candidate.counted)
        ):
            head["idle"] = paths
        return {**head, **{key: one for key, one in own.items() if one != data.get(key)}}


def allowing_no_layers(
    derivation: Derivation, numbers: Collection[str], depths: Collection[str]
) -> Derivation:
    """Return a derivation that allows every kind to have no layers."""
    counted = {letter for letter, field in derivation.fields.items() if field in numbers}
    of_depths = {letter for letter, field in derivation.fields.items() if field in depths}

    def is_need(one: StatedCondition) -> bool:
        """Return whether a guard says that some kind has one layer or more."""
        return (
            one.consequence.outcome is Outcome.OTHER_COUNT
            and one.condition.letters <= counted | of_depths
        )

    def loosened(one: StatedCondition) -> StatedCondition:
        """Relax a guard that the counted layers are fewer than all layers to allow equality."""
        guard = one.condition
        if guard.relation is Relation.LESS and guard.holds and guard.left.letters <= counted:
            return replace(one, condition=Condition(Relation.MORE, guard.left, guard.right, False))
        return one

    ranges = derivation.validated.items()
    return replace(
        derivation,
        validated={one: (0 if one in counted else low, high) for one, (low, high) in ranges},
        conditions=tuple(loosened(one) for one in derivation.conditions if not is_need(one)),
    )


def known_variants(file: TypeFile) -> Iterator[KnownVariant]:
    """Yield the variants in a file, which others may contain."""
    for name in file.classes:
        for one in variants(file, name):
            if not one.lists:
                yield KnownVariant(
                    name, one.index, tuple(map(without_aliases, tensors_of(file, one)))
                )


def _counts_kinds(variant: Mapping[str, Any]) -> bool:
    return any(SizeField(path).is_kind for path in variant.get("sized", ()))


def without_kind_counts(data: dict[str, Any]) -> dict[str, Any]:
    """Return a file's JSON without lists of kinds and the variants that count them."""
    fields = data["letters"].items()
    letters = {one: field for one, field in fields if not SizeField.parse(field).is_kind}
    new = {key: one for key, one in data.items() if key not in ("kinds", "spelt")}
    new |= {"letters": letters, "classes": {}}
    places = {name: _places_without_kinds(one) for name, one in data["classes"].items()}
    for name, one in data["classes"].items():
        also = []
        for variant in filterfalse(_counts_kinds, one.get("also", ())):
            part = variant.get("contains", one.get("contains"))
            place = {"variant": places[part][variant["variant"]]} if "variant" in variant else {}
            also.append({**variant, **place})
        kept = {key: value for key, value in one.items() if key != "also"}
        new["classes"][name] = {**kept, "also": also} if also else kept
    return new


def _places_without_kinds(data: Mapping[str, Any]) -> dict[int, int]:
    """Return the new place of each variant of a class that counts no kinds, by its old place."""
    kept = [i for i, one in enumerate(data.get("also", ()), 1) if not _counts_kinds(one)]
    return {0: 0, **{old: new for new, old in enumerate(kept, 1)}}


def _changes_only_ties(own: Mapping[str, Any], one: Variant) -> bool:
    others = {path for path in one.where if one.where[path] != own.get(path)}
    return bool(others) and all("tie" in path for path in others)
