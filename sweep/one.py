"""One model type: derived, tried, held, and returned as the JSON of its file."""

from __future__ import annotations

import importlib.metadata
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import transformers
from transformers import CONFIG_MAPPING

from paramproof.catalogue.derivations import Written, variants
from paramproof.catalogue.files import FORMAT, type_in
from paramproof.catalogue.values import FACTOR
from paramproof.derive.derive import derive
from paramproof.derive.points import drawn
from paramproof.derive.transformers_models import constructor
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.notation import text
from paramproof.sources.reference import in_one_line
from sweep.defaults import Defaults
from sweep.held import NotHeldError, hold
from sweep.layers import layer_rules
from sweep.model import Keys, at, parts_of, whole
from sweep.trials import Trials, fields_of, looked_for
from sweep.variants import PUBLIC, changes
from sweep.which import classes
from sweep.writing import Known, class_data, plain

Note = Callable[[str], None]


class Sweep:
    """What is found of one type, class by class."""

    def __init__(self, model_type: str, note: Note, seconds: float) -> None:
        self.model_type, self.note = model_type, note
        self.config_class: Any = CONFIG_MAPPING[model_type]
        self.start = self.config_class()
        self.until = time.monotonic() + seconds
        self.letters: dict[str, str] = {}
        self.classes: dict[str, Any] = {}
        self.known: list[Known] = []
        self.failed: dict[str, str] = {}
        self.trials: Any = None
        self.free: dict[str, set[str]] = {}
        self.texts: dict[str, list[str]] = {}
        self.reads: set[str] = set()
        self.points: list[dict[str, int]] = []
        self.moved: dict[str, list[Any]] = {}
        self.sorts: dict[str, set[str]] = {}
        self.below: dict[str, str] = {}
        self.bounded: set[str] = set()
        self.buffered: set[str] = set()
        self.firm: set[str] = set()

    def run(self) -> dict[str, Any]:
        for name in classes(self.model_type):
            self.note(name)
            try:
                self.one_class(name)
            except (ValueError, AttributeError, TypeError) as error:
                self.failed[name] = in_one_line(error)
            if not self.classes:
                break
        if not self.classes:
            raise ValueError(next(iter(self.failed.values()), "no class"))
        data = self.data()
        self.hold(data)
        return data

    def late(self) -> bool:
        return time.monotonic() > self.until

    def derived(
        self, name: str, where: Mapping[str, Any], sized: Mapping[str, int] | None = None
    ) -> Derivation:
        keys: Keys = whole(self.start, where)
        made = constructor(name, {"model_type": self.model_type, **keys}, name, sized)
        found = derive(made, 0, lambda _: None)
        self.reads |= made.read_fields() or set()
        for letter, field in found.fields.items():
            if self.letters.setdefault(letter, field) != field:
                raise ValueError(f"{letter} is {field}, and was {self.letters[letter]} before")
        return found

    def one_class(self, name: str) -> None:
        if getattr(getattr(transformers, name), "config_class", None) is not self.config_class:
            raise ValueError(f"{name} is not made of a configuration of this type")
        if self.late():
            raise ValueError("no time was left")
        first = self.derived(name, {})
        decides, only = self.tried(name, first)
        data = self.written(name, first, 0)
        data["decides"] = decides
        data["only"] = only
        data["letters"] = set(first.fields)
        data["also"] = []
        self.classes[name] = data
        moved = {path: v for path, v in self.moved.items() if path in decides}
        for where, sized in changes(self.model_type, name, self.start, moved):
            self.variant(name, first, where, sized)

    def variant(
        self, name: str, first: Derivation, where: Mapping[str, Any], sized: Mapping[str, int]
    ) -> None:
        data = self.classes[name]
        if self.late() or not (where.keys() | sized.keys()) <= set(data["decides"]):
            return
        try:
            found = self.derived(name, where, sized)
            new = self.written(name, found, len(data["also"]) + 1)
        except ValueError as error:
            said = ", ".join(f"{p}={v}" for p, v in {**where, **sized}.items())
            self.failed[f"{name} at {said}"] = in_one_line(error)
            return
        # What the first has and this one has not would be taken from it.
        empty: dict[str, Any] = {
            key: type(value)() for key, value in data.items() if key not in KEPT and key not in new
        }
        own = {key: value for key, value in {**empty, **new}.items() if value != data.get(key)}
        head = {"where": dict(where)} if where else {}
        head |= {"sized": list(sized)} if sized else {}
        data["also"].append({**head, **own, "letters": set(found.fields)})

    def written(self, name: str, found: Derivation, index: int) -> dict[str, Any]:
        data = class_data(found, self.known)
        tensors = tuple(map(plain, found.tensors))
        self.known.append(Known(name, index, tensors))
        return data

    def tried(self, name: str, first: Derivation) -> tuple[list[str], dict[str, list[str]]]:
        """Try the fields of a class.

        Return those that must be as they are, and where sorts that are free in the first class
        are not free in this one, those that are.
        """
        random = Random(0)
        asked = [*(one.condition for one in first.conditions), *first.harmless]
        repeated = frozenset(one for t in first.tensors for one in t.times.letters)
        points = [
            drawn(random, first.sizes, asked, repeated, frozenset(first.fixed)) for _ in range(2)
        ]
        found = [point for point in points if point]
        if not found:
            raise ValueError(f"{name}: no sizes meet the conditions")
        # Of one label not every kind of problem can be.
        found = [{**one, **({"k": one["k"] + 1} if "k" in one else {})} for one in found]
        paths = [{first.fields[one]: size for one, size in point.items()} for point in found]
        model_class = getattr(transformers, name)
        self.trials = Trials(self.config_class, model_class, self.start, paths, {})
        sorts, texts = fields_of(self.start, first.fields.values(), self.reads)
        self.points = self.points or found
        new = {path: kinds for path, kinds in sorts.items() if path not in self.sorts}
        known = {path: set(self.free[path]) for path in sorts if self.free.get(path)}
        tried = self.trials.run({**new, **known})
        self.sorts |= new
        only = {}
        for path, kinds in tried.free.items():
            if path in new:
                self.free[path] = kinds
            elif kinds != known[path]:
                only[path] = sorted(kinds)
        only |= {path: [] for path in known if path not in tried.free}
        self.trials.run_texts(
            {path: self.texts.get(path, texts[path]) for path in texts if path not in tried.moved}
        )
        for path, values in tried.texts.items():
            self.texts[path] = [one for one in self.texts.get(path, values) if one in values]
        limits = self.trials.below([p for p in tried.below if p in new], paths[0])
        by_field = {field: letter for letter, field in first.fields.items()}
        self.below |= {path: by_field[limit] for path, limit in limits.items()}
        self.bounded |= tried.below
        self.buffered |= tried.buffered
        for path, values in tried.moved.items():
            self.moved.setdefault(path, []).extend(values)
        free = {path for path in sorts if self.free.get(path) or self.texts.get(path)}
        decides = [p for p in sorts if p not in free or p in tried.moved or p in self.firm]
        public = {path for where in PUBLIC.get(self.model_type, ()) for path in where}
        decides += [path for path in public if path in sorts and path not in decides]
        if not self.classes:
            self.firm = set(decides)
        return decides, {path: kinds for path, kinds in only.items() if path not in decides}

    def data(self) -> dict[str, Any]:
        """Return the file of the type."""
        defaults = Defaults(self.config_class, self.letters, self.full_points())
        parts = {path: part.model_type for path, part in parts_of(self.start)}
        letters, null, given = self.sizes(defaults, bool(parts))
        decides = {path for one in self.classes.values() for path in one["decides"]}
        decides |= {path for one in self.classes.values() for path in one["only"]}
        fields, bare = self.own_values(decides)
        layers = layer_rules(self.config_class, self.start, self.points, self.letters, decides)
        free: dict[str, str] = {}
        for path in sorted(self.free):
            sorts = self.free[path] - ({"whole"} if path in self.bounded else set())
            if sorts:
                key = " ".join(sorted(sorts))
                free[key] = f"{free[key]} {path}" if key in free else path
        tried = set(self.free) | set(self.texts) | decides
        names = looked_for(self.start) - tried - set(self.letters.values()) - set(parts)
        aliases = self.aliases()
        lists = {field.partition("[")[0] for field in self.letters.values()}
        data = {
            "format": FORMAT,
            "model_type": self.model_type,
            "versions": {n: importlib.metadata.version(n) for n in ("torch", "transformers")},
            "letters": letters,
            "null": null,
            "parts": parts,
            "given": {**given, **bare},
            "aliases": aliases,
            "fields": fields,
            "free": dict(sorted(free.items())),
            "texts": {name: self.texts[name] for name in sorted(self.texts)},
            "layers": layers,
            "below": dict(sorted(self.below.items())),
            "buffered": " ".join(sorted(self.buffered)),
            "refused": " ".join(sorted(names - aliases.keys() - lists)),
            "classes": {name: self.class_of(one) for name, one in self.classes.items()},
        }
        return {key: value for key, value in data.items() if value}

    def class_of(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return a class with the letters that it has not, in place of those that it has."""

        def lacking(one: Mapping[str, Any]) -> list[str]:
            return [letter for letter in self.letters if letter not in one["letters"]]

        own = {key: value for key, value in data.items() if value and key not in ("letters", "also")}
        own = {**({"absent": lacking(data)} if lacking(data) else {}), **own}
        also = []
        for variant in data["also"]:
            kept = {key: value for key, value in variant.items() if key != "letters"}
            if lacking(variant) != lacking(data):
                kept["absent"] = lacking(variant)
            also.append(kept)
        return {**own, "also": also} if also else own

    def full_points(self) -> list[dict[str, int]]:
        """Return the points of the trials, with the letters of further classes."""
        return [
            {letter: point.get(letter, 3) for letter in self.letters} for point in self.points
        ]

    def sizes(
        self, defaults: Defaults, parts: bool
    ) -> tuple[dict[str, str], dict[str, str], dict[str, Any]]:
        letters, null, given = {}, {}, {}
        for letter, field in self.letters.items():
            absent = defaults.absent(letter)
            letters[letter] = field if absent is None else f"{field} = {text(absent)}"
            if (there := defaults.null(letter)) is not None:
                null[field] = text(there)
            if "." in field and (bare := defaults.given(letter)) not in (None, absent):
                given[field] = text(bare)
        return letters, null, given

    def own_values(self, decides: set[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what fields that decide are by default, and in a part that is given."""
        fields: dict[str, Any] = {}
        bare: dict[str, Any] = {}
        for path in sorted(decides | self.factors()):
            fields[path] = self.own_value(self.start, path)
            part = path.rpartition(".")[0]
            if part:
                keys: Keys = {}
                for name, config in parts_of(self.start):
                    if part == name or part.startswith(f"{name}."):
                        keys.setdefault(name.partition(".")[0], {})
                        here: Any = keys
                        for step in name.split("."):
                            here = here.setdefault(step, {})
                        here["model_type"] = config.model_type
                try:
                    value = self.own_value(self.config_class(**keys), path)
                except Exception:
                    continue
                if value != fields[path]:
                    bare[path] = value
        return fields, bare

    def factors(self) -> set[str]:
        """The paths of the shares of heads that are rotated."""
        names = (path for path in self.sorts if path.rpartition(".")[2] == "rope_parameters")
        return {path.removesuffix("rope_parameters") + FACTOR for path in names}

    def own_value(self, config: Any, path: str) -> Any:
        """Return a field's value as JSON has it; of an older key, what absence is like."""
        if path.rpartition(".")[2] == FACTOR:
            above = path.removesuffix(FACTOR) + "rope_parameters"
            found = at(config, above) or {}
            return found.get(FACTOR) if isinstance(found, dict) else None
        try:
            value = at(config, path)
        except KeyError:
            moved = self.moved.get(path, [])
            return True if False in moved and True not in moved else (
                False if True in moved and False not in moved else None
            )
        if isinstance(value, tuple):
            value = list(value)
        plain_ = (int, float, str, bool, list, dict, type(None))
        if not isinstance(value, plain_) or (isinstance(value, dict) and len(str(value)) > 300):
            return None
        if isinstance(value, list) and len(value) > 4:
            return None
        return value

    def aliases(self) -> dict[str, str]:
        """Return other names of fields, those of parts among them."""
        found = dict(self.config_class.attribute_map)
        for path, part in parts_of(self.start):
            found |= {f"{path}.{a}": f"{path}.{b}" for a, b in type(part).attribute_map.items()}
        return dict(sorted(found.items()))

    def hold(self, data: dict[str, Any]) -> None:
        """Hold every variant to random configurations; leave out those that are not held."""
        for name in list(data["classes"]):
            one = data["classes"][name]
            file = type_in(data, self.model_type)
            wrong = []
            for index, written in enumerate(variants(file, name)):
                self.note(f"{name} held {index}")
                try:
                    self.hold_one(file, written)
                except (NotHeldError, KeyError, ZeroDivisionError) as error:
                    self.failed[f"{name} variant {index} {dict(written.where)}"] = str(error)
                    wrong.append(index)
            for index in wrong:
                (one["also"][index - 1] if index else one)["withdrawn"] = True

    def hold_one(self, file: Any, written: Written) -> None:
        model_class = getattr(transformers, written.name)
        hold(file, written, self.config_class, model_class, Random(1))


KEPT = ("also", "decides", "only", "status", "evidence", "letters")
"""Keys of a class that a variant has of its own, or not at all."""
