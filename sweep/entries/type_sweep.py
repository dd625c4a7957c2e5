"""Derive one model type: each class and its variants, with the fields that they depend on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from random import Random
from typing import Any

import transformers

from paramproof.algebra.letters import letters_for
from paramproof.catalogue.files import type_of
from paramproof.derivation.pipeline import Effort, Naming, derive
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import Derivation
from paramproof.tracing.constructors import LayerKinds
from paramproof.tracing.constructors.transformers_class import (
    model_config_class,
    transformers_constructor,
)
from sweep.entries.entry_data import KnownVariant, class_data, composed_standing, without_aliases
from sweep.failure import NO_TIME, Failure, OutOfTime, Reason, SweepError
from sweep.fields.defaults import Defaults, computed_formulas
from sweep.fields.probe import MAX_POINTS, Prober, ProbeResults, fields_to_probe, is_table
from sweep.fields.probe_values import LARGE
from sweep.fields.variants import TASK_ENDINGS, VARIANT_SIZE, candidate_changes, held_changes
from sweep.library.keys import Keys
from sweep.library.model import full_keys, untied_on_loading
from sweep.library.model_types import classes_of_type, config_class_of, parts_of
from sweep.library.refusal import Attempt
from sweep.library.seed_values import missing_sizes, seed_config, seed_values_of

Note = Callable[[str], None]


class TypeSweep:
    def __init__(self, name: str, note: Note, seconds: float, naming: Naming = letters_for) -> None:
        self.config_class: Any = config_class_of(name)
        self.name, self.note, self.naming = name, note, naming
        model_type = self.model_type = type_of(name)
        self.start = seed_config(self.config_class)
        self.values = seed_values_of(name)
        base = getattr(transformers, classes_of_type(model_type)[0])
        self.needed = missing_sizes(model_type, self.start, self.values, base)
        self.needed_by_class: dict[str, Mapping[str, int]] = {}
        self.until = time.process_time() + seconds
        self.letters: dict[str, str] = {}
        self.classes: dict[str, Any] = {}
        self.known: list[KnownVariant] = []
        self.failed: dict[str, Failure] = {}
        self.prober: Any = None
        self.base_prober: Any = None
        self.free: dict[str, set[str]] = {}
        self.texts: dict[str, list[str]] = {}
        self.reads: set[str] = set()
        self.points: list[dict[str, int]] = []
        self.moved: dict[str, list[Any]] = {}
        self.sorts: dict[str, set[str]] = {}
        self.below: dict[str, str] = {}
        self.bounded: set[str] = set()
        self.buffered: set[str] = set()
        self.computed: dict[str, str] = {}
        self.firm: set[str] = set()

    def run(self) -> None:
        """Derive each class and probe its fields. Raises ``SweepError`` if no class is derived."""
        for name in filter(self.belongs_to_type, classes_of_type(self.model_type)):
            self.note(name)
            try:
                with Attempt() as attempt:
                    self.sweep_class(name)
                if attempt.refusal:
                    self.failed[name] = Failure.of(attempt.refusal)
            except OutOfTime:
                self.failed[name] = NO_TIME
            if not self.classes:
                break
        if not self.classes:
            first = next(iter(self.failed.values()), Failure(Reason.ERROR, "no class"))
            raise SweepError(*first)

    def belongs_to_type(self, name: str) -> bool:
        """Return whether a class uses the same configuration class as the type's base model.

        Some classes use that of a part: Qwen3_5ForCausalLM is listed under qwen3_5, but takes its
        text config.
        """
        return getattr(transformers, name).config_class is model_config_class(
            config_class_of(self.model_type)
        )

    def is_out_of_time(self) -> bool:
        return time.process_time() > self.until

    def required_values(self, first: Derivation) -> dict[str, Any]:
        """Return the values that a type's own configuration lacks, without sizes."""
        sizes = set(first.fields.values())
        return {path: value for path, value in self.values.items() if path not in sizes}

    def derive_variant(
        self,
        name: str,
        where: Mapping[str, Any],
        sized: Mapping[str, int] | None = None,
        *,
        far: bool = True,
        kinds: Mapping[str, LayerKinds] | None = None,
    ) -> Derivation:
        """Derive a class with these values, and with sizes for null fields.

        The numbers of each kind in the lists of ``kinds`` become sizes. With ``far`` the formula is
        also compared with models of large sizes.
        """
        parts: Keys = {part: {"model_type": kind} for part, kind in parts_of(self.name).items()}
        keys = parts | full_keys(self.start, {**self.values, **where})
        needed = {**self.needed, **self.missing_sizes(name), **(sized or {})}
        constructor = transformers_constructor(
            name, {"model_type": self.model_type, **keys}, name, needed, kinds
        )
        effort = Effort(rather_fixed=True, far=far)
        derivation = derive(constructor, effort=effort, naming=self.naming)
        self.reads |= constructor.read_fields() or set()
        for letter, field in derivation.fields.items():
            if self.letters.setdefault(letter, field) != field:
                raise ValueError(
                    f"{letter} stands for {field}, but stood for {self.letters[letter]} before"
                )
        return derivation

    def missing_sizes(self, name: str) -> Mapping[str, int]:
        """Return the sizes that a class needs and the type's own configuration lacks.

        A head for CTC has the size of a vocabulary that the base model does not have.
        """
        if name not in self.needed_by_class:
            values = {**self.values, **self.needed}
            model_class = getattr(transformers, name)
            found = missing_sizes(self.model_type, self.start, values, model_class)
            self.needed_by_class[name] = found
        return self.needed_by_class[name]

    def sweep_class(self, name: str) -> None:
        first = self.derive_class(name)
        data = self.classes[name]
        if name.endswith(TASK_ENDINGS) and data.get("contains"):
            self.add_composed_variants(name, first)
            return
        moved = {path: self.accepted_values(path) for path in self.moved if path in data["decides"]}
        for where, sized in candidate_changes(self.name, self.start, moved):
            self.add_variant(name, first, where, sized)

    def derive_class(self, name: str) -> Derivation:
        """Derive a class without variants, probe its fields, and record it."""
        if self.is_out_of_time():
            raise SweepError(*NO_TIME)
        first = self.derive_variant(name, {})
        decides, only = self.probe_fields(name, first)
        data = self.record(name, first, 0)
        data["where"] = self.required_values(first)
        data["decides"] = decides
        data["only"] = only
        data["letters"] = set(first.fields)
        data["also"] = []
        model_class = getattr(transformers, name)
        data["untied_on_loading"] = untied_on_loading(
            model_class, self.start, {**self.values, **self.needed, **self.missing_sizes(name)}
        )
        self.classes[name] = data
        return first

    def accepted_values(self, path: str) -> list[Any]:
        """Return the values of a field that gave other tensors.

        Flags that are refused alone are left out. Only a decoder may have cross-attention, for
        example.
        """
        return [
            one
            for one in self.moved[path]
            if type(one) is not bool or not self.prober.refuses({path: one})
        ]

    def add_variant(
        self, name: str, first: Derivation, where: Mapping[str, Any], sized: Mapping[str, int]
    ) -> None:
        """Derive a class with other values of selecting fields, and add the variant."""
        data = self.classes[name]
        where = {**self.required_values(first), **where}
        if self.is_out_of_time() or not (where.keys() | sized.keys()) <= set(data["decides"]):
            return
        with Attempt() as attempt:
            derivation = self.derive_variant(name, where, sized)
            new = self.record(name, derivation, len(data["also"]) + 1)
        if attempt.refusal:
            changes_text = ", ".join(f"{p}={v}" for p, v in {**where, **sized}.items())
            self.failed[f"{name} at {changes_text}"] = Failure.of(attempt.refusal)
            return
        # An empty value keeps the variant from inheriting the class's own.
        empty: dict[str, Any] = {
            key: type(value)()
            for key, value in data.items()
            if key not in NOT_INHERITED and key not in new
        }
        own = {key: value for key, value in {**empty, **new}.items() if value != data.get(key)}
        head: dict[str, Any] = {"where": dict(where)} if where else {}
        head |= {"sized": list(sized)} if sized else {}
        data["also"].append({**head, **own, "letters": set(derivation.fields)})

    def add_composed_variants(self, name: str, first: Derivation) -> None:
        """Add the variants of a class's part, composed with the class's own tensors.

        If the class's own tensors differ too, the variant is derived.
        """
        data = self.classes[name]
        part = self.classes[data["contains"]]
        for index, also in enumerate(part["also"], 1):
            where, sized = also.get("where", {}), dict.fromkeys(also.get("sized", ()), VARIANT_SIZE)
            changed = {**where, **sized}
            # Transformers refuses some tasks, such as those of speech, with adapters.
            if not changed.keys() <= set(data["decides"]) or self.prober.refuses(changed):
                continue
            if self.prober.own_shapes(data["contains"], changed) == self.prober.own_shapes(
                data["contains"], {}
            ):
                data["also"].append(self.composed_variant(data, part, index, also))
            else:
                self.add_variant(name, first, where, sized)

    def composed_variant(
        self, data: Mapping[str, Any], part: Mapping[str, Any], index: int, also: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return a variant that is composed of a part's variant and the class's own tensors."""
        standing = composed_standing(data, also)
        ties = _replaced_ties(data, part.get("ties", {}), also.get("ties", part.get("ties", {})))
        return {
            **{key: also[key] for key in ("where", "sized") if key in also},
            "variant": index,
            **{key: value for key, value in standing.items() if key == "conditions"},
            **({"ties": ties} if ties != data.get("ties", {}) else {}),
            "doubts": standing["doubts"],
            "status": standing["status"],
            "letters": data["letters"] | also["letters"],
        }

    def defaults(
        self, counted: Set[str] = frozenset(), where: Mapping[str, Any] | None = None
    ) -> Defaults:
        points = [{one: point.get(one, 3) for one in self.letters} for point in self.points]
        return Defaults(self.config_class, self.letters, points, counted, where)

    def record(self, name: str, derivation: Derivation, index: int) -> dict[str, Any]:
        """Return the JSON of a derivation, relative to the variants that are known."""
        data = class_data(derivation, self.known)
        tensors = tuple(map(without_aliases, derivation.tensors))
        self.known.append(KnownVariant(name, index, tensors))
        return data

    def probe_fields(self, name: str, first: Derivation) -> tuple[list[str], dict[str, list[str]]]:
        """Probe the fields of a class.

        Return the selecting fields, and for fields that accept fewer sorts of values in this class
        than in the first one, the sorts that it accepts.
        """
        self.prepare_prober(name, first)
        sorts, texts = self.fields_of_class(first)
        new = {path: kinds for path, kinds in sorts.items() if path not in self.sorts}
        known = {path: set(self.free[path]) for path in sorts if self.free.get(path)}
        results = self.prober.probe({**new, **known})
        self.sorts |= new
        only: dict[str, list[str]] = {}
        for path, kinds in results.free.items():
            if path in new:
                self.free[path] = kinds
            elif kinds != known[path]:
                only[path] = sorted(kinds)
        only |= {path: [] for path in known if path not in results.free}
        self.prober.probe_texts(
            {path: self.texts.get(path, texts[path]) for path in texts if path not in results.moved}
        )
        for path, values in results.texts.items():
            self.texts[path] = [one for one in self.texts.get(path, values) if one in values]
        self.keep_limits(first, results, new)
        decides = self.selecting_fields(first, results, sorts)
        if not self.classes:
            self.firm = set(decides)
        return decides, {path: kinds for path, kinds in only.items() if path not in decides}

    def prepare_prober(self, name: str, first: Derivation) -> None:
        """Set the prober for a class, with points that satisfy the guards.

        Raises ``SweepError`` if there are none.
        """
        random = Random(0)
        guards = [one.condition for one in first.conditions]
        drawn = [sample_inside(random, first, first.irrelevant_guards) for _ in range(6)]
        # Some kinds of problems need two labels.
        points = [_with_more_labels(point, guards) for point in drawn if point]
        points = [_with_small_tables(point, first.fields) for point in points]
        paths = [
            {**self.values, **{first.fields[one]: size for one, size in point.items()}}
            for point in points
        ]
        model_class = getattr(transformers, name)
        most = 1 if self.classes else MAX_POINTS
        self.prober = Prober(self.config_class, model_class, self.start, paths, most)
        points = [
            point for point, path in zip(points, paths, strict=True) if self.prober.has_point(path)
        ]
        if not points:
            raise SweepError(Reason.NO_SIZES, f"{name}: no sizes satisfy the guards")
        if not self.points:
            self.points, self.base_prober = points, self.prober

    def fields_of_class(
        self, first: Derivation
    ) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
        """Return the sorts of values to probe for each field of a class, and its strings.

        Computed fields are not probed: they must have their computed value.
        """
        sorts, texts = fields_to_probe(self.start, first.fields.values(), self.reads)
        formulas, others = computed_formulas(self.defaults(), sorts)
        self.computed |= formulas
        for path in {*formulas, *others}:
            del sorts[path]
            texts.pop(path, None)
        return sorts, texts

    def keep_limits(
        self, first: Derivation, results: ProbeResults, new: Mapping[str, set[str]]
    ) -> None:
        """Keep the results that concern sizes, buffers and changed tensors."""
        limits = self.prober.below(
            [one for one in results.below if one in new], self.prober.points[0]
        )
        letter_of = {field: letter for letter, field in first.fields.items()}
        for path, sizes in limits.items():
            self.below[path] = " ".join(letter_of[size] for size in sizes)
        self.bounded |= results.below
        self.buffered |= results.buffered
        for path, values in results.moved.items():
            self.moved.setdefault(path, []).extend(values)

    def selecting_fields(
        self, first: Derivation, results: ProbeResults, sorts: Mapping[str, set[str]]
    ) -> list[str]:
        """Return the fields of a class that must have the values of one of its variants."""
        free = {path for path in sorts if self.free.get(path) or self.texts.get(path)}
        decides = [p for p in sorts if p not in free or p in results.moved or p in self.firm]
        held = {path for one in held_changes(self.name) for path in one.where}
        held |= self.required_values(first).keys()
        sizes = first.fields.values()
        return decides + [p for p in sorted(held) if p not in decides and p not in sizes]


def _replaced_ties(
    data: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the ties of a class after its part's old ties are replaced by new ones.

    A tie in the part to a head that the class lacks stays in the part.
    """
    before = f"{data['under']}." if data.get("under") else ""
    own_ties = data.get("ties", {})
    own = {path: ties for path, ties in own_ties.items() if path[len(before) :] not in old}
    return own | {
        f"{before}{path}": _with_prefix(before, ties)
        for path, ties in new.items()
        if path not in old or f"{before}{path}" in own_ties
    }


def _with_prefix(before: str, ties: Sequence[Any]) -> list[Any]:
    return [
        _with_prefix(before, one) if isinstance(one, list) else f"{before}{one}" for one in ties
    ]


def _with_more_labels(point: Mapping[str, int], conditions: Sequence[Condition]) -> dict[str, int]:
    more = {**point, **({"k": point["k"] + 1} if "k" in point else {})}
    return dict(more if all(one.is_met(more) for one in conditions) else point)


def _with_small_tables(point: Mapping[str, int], fields: Mapping[str, str]) -> dict[str, int]:
    """Return a point whose tables have fewer rows than the largest value that is probed.

    Otherwise a padding index might be probed only inside of the vocabulary.
    """
    tables = {letter for letter, field in fields.items() if is_table(field)}
    return {one: min(size, LARGE // 2) if one in tables else size for one, size in point.items()}


NOT_INHERITED = (
    *("also", "where", "decides", "only", "status", "evidence", "letters"),
    "untied_on_loading",
)
"""Keys of a class that its variants do not inherit."""
