"""What was found of a type, as the JSON of its file."""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from transformers import PreTrainedConfig

from paramproof.catalogue.configuration import LABELS, NEVER
from paramproof.catalogue.files import FORMAT, type_in
from paramproof.catalogue.values import FACTOR
from paramproof.derivation.transformers_models import made_of
from paramproof.formulas.notation import text
from paramproof.formulas.path import leaf, parent
from sweep.computed import filled_in, otherwise
from sweep.defaults import Defaults
from sweep.fields import looked_for
from sweep.flat import flat
from sweep.late import is_set, late_aliases
from sweep.layers import layer_rules
from sweep.mending import free_text
from sweep.model import Keys, at, at_or_none, parts_of, put, remove, whole
from sweep.older import as_absent
from sweep.starting import OWN_PARTS

if TYPE_CHECKING:
    from sweep.one import Sweep


class File:
    """Puts together the file of a type from what a sweep ``found``."""

    def __init__(self, found: Sweep) -> None:
        self.found = found

    def data(self) -> dict[str, Any]:
        """Return the file of the type."""
        defaults = self.found.defaults(self.counted)
        parts = {path: part.model_type for path, part in parts_of(self.found.start)}
        letters, null, given = self.sizes(defaults, bool(parts))
        decides = {path for one in self.found.classes.values() for path in one["decides"]}
        decides |= {path for one in self.found.classes.values() for path in one["only"]}
        fields, bare = self.own_values(decides | self.found.below.keys())
        filled = filled_in(defaults, sorted(decides & fields.keys()))
        fields |= {path: own for path, (own, _) in filled.items()}
        formulas = self.found.computed | {path: one for path, (_, one) in filled.items()}
        layers = layer_rules(self.found.base_trials, self.found.letters, sorted(self.found.sorts))
        tried = set(self.found.free) | set(self.found.texts) | self.found.computed.keys()
        tried |= decides & fields.keys()
        aliases = self.aliases()
        of = made_of(self.found.config_class)
        names = looked_for(self.found.start) | {one.partition("[")[0] for one in self.found.reads}
        names |= {*self.found.config_class.attribute_map, *self.set_elsewhere}
        names -= (
            tried | set(self.found.letters.values()) | set(parts) | NEVER | {LABELS, "id2label"}
        )
        instead = {f"{path}_dict": path for path in parts if self.has_another_key(path)}
        lists = {field.partition("[")[0] for field in self.found.letters.values()}
        refused = names - aliases.keys() - lists - instead.keys()
        data = {
            "format": FORMAT,
            "model_type": self.found.model_type,
            "versions": {n: importlib.metadata.version(n) for n in ("torch", "transformers")},
            "letters": letters,
            "null": null,
            "parts": parts,
            "given": {**given, **bare},
            "fixed_parts": " ".join(path for path in parts if self.is_fixed(path)),
            "named_parts": " ".join(path for path in parts if self.is_named(path)),
            "instead": instead,
            "classes_of": "" if of.model_type == self.found.model_type else of.model_type,
            "aliases": aliases,
            "late": {},
            "fields": fields,
            "computed": dict(sorted(formulas.items())),
            "free": self.free_text(),
            "texts": {name: self.found.texts[name] for name in sorted(self.found.texts)},
            "layers": layers,
            "below": dict(sorted(self.found.below.items())),
            "buffered": " ".join(
                sorted(self.found.buffered | self.found.base_trials.tried.buffered)
            ),
            "flat": {},
            "refused": " ".join(sorted(refused)),
            "classes": {name: self.class_of(one) for name, one in self.found.classes.items()},
        }
        file = type_in(data, self.found.model_type)
        keys, unclear = flat(file, self.found.config_class)
        late, others = late_aliases(file, self.found.config_class)
        # What is known of the whole is what it is.
        known = {*decides, *fields, *tried, *aliases, *lists, *instead, *parts}
        refused |= {*others, *(unclear - known)}
        plain = {one: field for one, field in aliases.items() if one not in {*late, *others}}
        data |= {"aliases": plain, "late": late, "flat": keys}
        data |= {"refused": " ".join(sorted(refused))}
        return {key: value for key, value in data.items() if value}

    def is_fixed(self, path: str) -> bool:
        """Whether a part is of one class, whatever model type is named there."""
        name = leaf(path)
        known = type(at(self.found.start, parent(path))).sub_configs_defaults.get(name)
        # What stands for a backbone is looked up elsewhere.
        return bool(
            known and name != "backbone_config" and issubclass(known.config_class, PreTrainedConfig)
        )

    def is_named(self, path: str) -> bool:
        """Whether a part is refused that is given and names no model type."""
        keys = whole(self.found.start, {f"{path}.model_type": None})
        remove(keys, f"{path}.model_type")
        try:
            self.found.config_class(**keys)
        except Exception:
            return True
        return False

    def has_another_key(self, path: str) -> bool:
        """Whether what is given as ``text_config_dict`` counts in place of ``text_config``."""
        sizes = {
            field: self.found.points[0][letter]
            for letter, field in self.found.letters.items()
            if letter in self.found.points[0] and parent(field) == path and "[" not in field
        }
        if "." in path or f"{path}_dict" not in looked_for(self.found.start) or not sizes:
            return False
        given = whole(self.found.start, sizes)[path]
        beside = {name: 1 if type(value) is int else value for name, value in given.items()}
        try:
            config = self.found.config_class(**{f"{path}_dict": given, path: beside})
        except Exception:
            return False
        return all(at(config, field) == size for field, size in sizes.items())

    def free_text(self) -> dict[str, str]:
        """Return the sorts of values that decide nothing, with the fields of which that is so."""
        bounded = self.found.bounded
        return free_text(
            {
                path: sorts - ({"whole"} if path in bounded else set())
                for path, sorts in self.found.free.items()
            }
        )

    def class_of(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return a class with the letters that it has not, in place of those that it has."""

        def lacking(one: Mapping[str, Any]) -> list[str]:
            return [letter for letter in self.found.letters if letter not in one["letters"]]

        own = {
            key: value for key, value in data.items() if value and key not in ("letters", "also")
        }
        own = {**({"absent": lacking(data)} if lacking(data) else {}), **own}
        also = []
        for variant in data["also"]:
            kept = {key: value for key, value in variant.items() if key != "letters"}
            where = {**own.get("where", {}), **variant.get("where", {})}
            decides = sorted(set(own.get("decides", ())) - where.keys())
            kept |= otherwise(self.found.defaults(where=where), self.found.computed, decides)
            if lacking(variant) != lacking(data):
                kept["absent"] = lacking(variant)
            also.append(kept)
        return {**own, "also": also} if also else own

    def sizes(
        self, defaults: Defaults, parts: bool
    ) -> tuple[dict[str, str], dict[str, str], dict[str, Any]]:
        """Return the letters with their defaults, what null is, and what a given part has."""
        letters, null, given = {}, {}, {}
        for letter, field in self.found.letters.items():
            absent = defaults.absent(letter)
            letters[letter] = field if absent is None else f"{field} = {text(absent)}"
            if (there := defaults.null(letter)) is not None:
                null[field] = text(there)
            elif absent is not None and self.is_inert(letter, field):
                null[field] = text(absent)
            if "." in field and (bare := defaults.given(letter)) not in (None, absent):
                given[field] = text(bare)
        return letters, null, given

    @cached_property
    def counted(self) -> set[str]:
        """The letters that some tensor has."""
        return {
            name
            for known in self.found.known
            for one in known.tensors
            for part in (one.times, *one.shape)
            for name in part.letters
        }

    def is_inert(self, letter: str, field: str) -> bool:
        """Whether no tensor has a size, and null is as good as its default."""
        others = {field: None}
        return (
            "[" not in field
            and letter not in self.counted
            and self.found.base_trials.outcome(others) in ("", "buffers")
        )

    def own_values(self, decides: set[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what fields that decide are by default, and in a part that is given."""
        fields: dict[str, Any] = {}
        bare: dict[str, Any] = {}
        for path in sorted(decides | self.factors()):
            if not self.is_unspoken(path):
                fields[path] = self.own_value(self.found.start, path)
            part = parent(path)
            if part:
                keys: Keys = {}
                for name, config in parts_of(self.found.start):
                    if part == name or part.startswith(f"{name}."):
                        put(keys, f"{name}.model_type", config.model_type)
                try:
                    value = self.own_value(self.found.config_class(**keys), path)
                except Exception:
                    continue
                if path in fields and value != fields[path]:
                    bare[path] = value
        return fields, bare

    def is_unspoken(self, path: str) -> bool:
        """Whether no value can be written for what stands there of itself, null least of all."""
        if path in OWN_PARTS.get(self.found.model_type, {}):
            return False
        if leaf(path) == FACTOR or self.own_value(self.found.start, path) is not None:
            return False
        try:
            return at(self.found.start, path) is not None
        except KeyError:
            return True

    def factors(self) -> set[str]:
        """The paths of the shares of heads that are rotated."""
        names = (path for path in self.found.sorts if leaf(path) == "rope_parameters")
        return {path.removesuffix("rope_parameters") + FACTOR for path in names}

    def own_value(self, config: Any, path: str) -> Any:
        """Return a field's value as JSON has it; of an older key, what absence is like."""
        try:
            if leaf(path) == FACTOR:
                found = at(config, path.removesuffix(FACTOR) + "rope_parameters")
                return found.get(FACTOR) if isinstance(found, dict) else None
            value = at(config, path)
        except KeyError:
            moved = self.found.moved.get(path, [])
            flag = False in moved and True not in moved
            return True if flag else self.older.get(path)
        if isinstance(value, tuple):
            value = list(value)
        plain_ = (int, float, str, bool, list, dict, type(None))
        if not isinstance(value, plain_) or (isinstance(value, dict) and len(str(value)) > 300):
            return None
        if isinstance(value, list) and len(value) > 4:
            return None
        return value

    @cached_property
    def older(self) -> dict[str, int | None]:
        """The numbers of older keys that absence is like."""
        older = looked_for(self.found.start) & self.found.moved.keys()
        numbers = (path for path in older if int in map(type, self.found.moved[path]))
        return {path: as_absent(self.found.base_trials, path) for path in numbers}

    def aliases(self) -> dict[str, str]:
        """Return other names of fields, those of parts among them."""
        found = dict(self.found.config_class.attribute_map)
        for path, part in parts_of(self.found.start):
            found |= {f"{path}.{a}": f"{path}.{b}" for a, b in type(part).attribute_map.items()}
        fields = {*self.found.letters.values(), *self.found.sorts}
        found |= {name: field for name, field in self.set_elsewhere.items() if field}
        # A field may be called by what it is stored as, and the other way round.
        turned = {b if a in fields else a: a if a in fields else b for a, b in found.items()}
        return {a: b for a, b in sorted(turned.items()) if a not in fields and b in fields}

    @cached_property
    def set_elsewhere(self) -> dict[str, str]:
        """Properties that set sizes under another name, as SAM 3's ``image_size`` does.

        With the field that has the same value then, or "".
        """
        start, found = self.found.start, {}
        for path, part in [("", start), *parts_of(start)]:
            for name, _ in inspect.getmembers(type(part), is_set):
                there = deepcopy(start)
                with suppress(Exception):  # Anybody's property may raise anything.
                    setattr(at(there, path), name, value := 2 * getattr(part, name))
                sizes = self.found.letters.values()
                moved = [s for s in sizes if at_or_none(there, s) != at_or_none(start, s)]
                if moved:
                    same = len(moved) == 1 and at(there, moved[0]) == value
                    found[f"{path}.{name}" if path else name] = moved[0] if same else ""
        return found
