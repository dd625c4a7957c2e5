"""Build the JSON of a type's file from a sweep."""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import Mapping
from copy import deepcopy
from functools import cached_property
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.configuration import IRRELEVANT_KEYS, LABELS
from paramproof.catalogue.files import FORMAT, parse_type
from paramproof.catalogue.value_kinds import ROTARY_FACTOR
from paramproof.formulas.expression import text
from paramproof.formulas.path import leaf, parent
from paramproof.tracing.constructors.transformers_class import model_config_class
from sweep.entries.type_sweep import TypeSweep
from sweep.fields.defaults import Defaults, overwritten_sizes, variant_overrides
from sweep.fields.late_aliases import is_settable, with_late_aliases
from sweep.fields.layer_lists import layer_rules
from sweep.fields.older_keys import find_flat_keys, number_like_absent
from sweep.fields.probe import names_in_code
from sweep.library.keys import Keys, remove_key, set_key
from sweep.library.model import attribute_at, attribute_or_none, full_keys, sub_configs
from sweep.library.model_types import config_class_of, parts_of
from sweep.library.refusal import Attempt, attempt
from sweep.library.seed_values import SEED_PARTS
from sweep.store import pack_accepted


class EntryBuilder:
    """Builds the file of a type from what a ``sweep`` found."""

    def __init__(self, sweep: TypeSweep) -> None:
        self.sweep = sweep

    def build(self) -> dict[str, Any]:
        defaults = self.sweep.defaults(self.counted)
        parts = {path: part.model_type for path, part in sub_configs(self.sweep.start)}
        letters, null, given = self.sizes(defaults)
        decides = {path for one in self.sweep.classes.values() for path in one["decides"]}
        decides |= {path for one in self.sweep.classes.values() for path in one["only"]}
        fields, bare = self.own_values(decides | self.sweep.below.keys())
        filled = overwritten_sizes(defaults, sorted(decides & fields.keys()))
        fields |= {path: own for path, (own, _) in filled.items()}
        formulas = self.sweep.computed | {path: one for path, (_, one) in filled.items()}
        layers = layer_rules(self.sweep.base_prober, self.sweep.letters, sorted(self.sweep.sorts))
        tried = set(self.sweep.free) | set(self.sweep.texts) | self.sweep.computed.keys()
        tried |= decides & fields.keys()
        aliases = self.aliases()
        of = model_config_class(config_class_of(self.sweep.model_type))
        instead = {f"{path}_dict": path for path in parts if self.has_another_key(path)}
        lists = {field.partition("[")[0] for field in self.sweep.letters.values()}
        known = {*tried, *parts, *aliases, *lists, *instead}
        refused = self.names_looked_for() - known
        data = {
            "format": FORMAT,
            "model_type": self.sweep.model_type,
            "versions": {n: importlib.metadata.version(n) for n in ("torch", "transformers")},
            "letters": letters,
            "null": null,
            "parts": parts,
            "other_parts": " ".join(sorted(parts_of(self.sweep.name))),
            "given": {**given, **bare},
            "fixed_parts": " ".join(path for path in parts if self.is_fixed(path)),
            "named_parts": " ".join(path for path in parts if self.is_named(path)),
            "instead": instead,
            "classes_of": "" if of.model_type == self.sweep.model_type else of.model_type,
            "aliases": aliases,
            "fields": fields,
            "computed": dict(sorted(formulas.items())),
            "free": self.accepted_text(),
            "texts": {name: self.sweep.texts[name] for name in sorted(self.sweep.texts)},
            "layers": layers,
            "below": dict(sorted(self.sweep.below.items())),
            "buffered": " ".join(
                sorted(self.sweep.buffered | self.sweep.base_prober.results.buffered)
            ),
            "refused": " ".join(sorted(refused)),
            "classes": {name: self.class_data(one) for name, one in self.sweep.classes.items()},
        }
        keys, unclear = find_flat_keys(parse_type(data), self.sweep.config_class)
        # Keys that the file mentions at top level keep their meaning.
        refused |= unclear - known - decides - fields.keys()
        return with_late_aliases({**data, "flat": keys, "refused": " ".join(sorted(refused))})

    def names_looked_for(self) -> set[str]:
        """Return the relevant names that the configuration's code or a model looks for."""
        names = names_in_code(self.sweep.start)
        names |= {one.partition("[")[0] for one in self.sweep.reads}
        names |= {*self.sweep.config_class.attribute_map, *self.setter_properties}
        return names - {*self.sweep.letters.values(), *IRRELEVANT_KEYS, LABELS, "id2label"}

    def is_fixed(self, path: str) -> bool:
        """Return whether a part has one class, whatever model type it names."""
        name = leaf(path)
        known = type(attribute_at(self.sweep.start, parent(path))).sub_configs_defaults.get(name)
        # The class of a backbone is looked up elsewhere.
        return bool(
            known and name != "backbone_config" and issubclass(known.config_class, PreTrainedConfig)
        )

    def is_named(self, path: str) -> bool:
        """Return whether a part that is given must name its model type."""
        keys = full_keys(self.sweep.start, {f"{path}.model_type": None})
        remove_key(keys, f"{path}.model_type")
        return attempt(self.sweep.config_class, **keys) is None

    def has_another_key(self, path: str) -> bool:
        """Return whether ``text_config_dict``, for example, replaces ``text_config``."""
        sizes = {
            field: self.sweep.points[0][letter]
            for letter, field in self.sweep.letters.items()
            if letter in self.sweep.points[0] and parent(field) == path and "[" not in field
        }
        if "." in path or f"{path}_dict" not in names_in_code(self.sweep.start) or not sizes:
            return False
        given = full_keys(self.sweep.start, sizes)[path]
        beside = {name: 1 if type(value) is int else value for name, value in given.items()}
        config = attempt(self.sweep.config_class, **{f"{path}_dict": given, path: beside})
        return config is not None and all(
            attribute_at(config, field) == size for field, size in sizes.items()
        )

    def accepted_text(self) -> dict[str, str]:
        """Return the accepted sorts of values, each with its fields, as the file has them."""
        bounded = self.sweep.bounded
        return pack_accepted(
            {
                path: sorts - ({"whole"} if path in bounded else set())
                for path, sorts in self.sweep.free.items()
            }
        )

    def class_data(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return a class with the letters that it lacks, in place of those that it has."""

        def lacking(one: Mapping[str, Any]) -> list[str]:
            return [letter for letter in self.sweep.letters if letter not in one["letters"]]

        own = {
            key: value for key, value in data.items() if value and key not in ("letters", "also")
        }
        own = {**({"absent": lacking(data)} if lacking(data) else {}), **own}
        also = []
        for variant in data["also"]:
            kept = {key: value for key, value in variant.items() if key != "letters"}
            where = {**own.get("where", {}), **variant.get("where", {})}
            decides = sorted(set(own.get("decides", ())) - where.keys())
            kept |= variant_overrides(
                self.sweep.defaults(where=where), self.sweep.computed, decides
            )
            if lacking(variant) != lacking(data):
                kept["absent"] = lacking(variant)
            also.append(kept)
        return {**own, "also": also} if also else own

    def sizes(self, defaults: Defaults) -> tuple[dict[str, str], dict[str, str], dict[str, Any]]:
        """Return the letters with their defaults, what null means, and defaults in given parts."""
        letters, null, given = {}, {}, {}
        for letter, field in self.sweep.letters.items():
            absent = defaults.when_absent(letter)
            letters[letter] = field if absent is None else f"{field} = {text(absent)}"
            if (size := defaults.when_null(letter)) is not None:
                null[field] = text(size)
            elif absent is not None and self.is_unused(letter, field):
                null[field] = text(absent)
            if "." in field and (bare := defaults.in_given_part(letter)) not in (None, absent):
                given[field] = text(bare)
        return letters, null, given

    @cached_property
    def counted(self) -> set[str]:
        """The letters in some tensor's shape."""
        return {
            name
            for known in self.sweep.known
            for one in known.tensors
            for part in (one.times, *one.shape)
            for name in part.letters
        }

    def is_unused(self, letter: str, field: str) -> bool:
        """Return whether no tensor depends on a size, and null gives the same model."""
        others = {field: None}
        return (
            "[" not in field
            and letter not in self.counted
            and self.sweep.base_prober.outcome(others) in ("", "buffers")
        )

    def own_values(self, decides: set[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the defaults of selecting fields, and those that differ in a given part."""
        fields: dict[str, Any] = {}
        bare: dict[str, Any] = {}
        for path in sorted(decides | self.factors()):
            if not self.has_no_json_value(path):
                fields[path] = self.own_value(self.sweep.start, path)
            part = parent(path)
            if part:
                keys: Keys = {}
                for name, config in sub_configs(self.sweep.start):
                    if part == name or part.startswith(f"{name}."):
                        set_key(keys, f"{name}.model_type", config.model_type)
                # If the part alone is refused, it has no defaults of its own.
                with Attempt():
                    value = self.own_value(self.sweep.config_class(**keys), path)
                    if path in fields and value != fields[path]:
                        bare[path] = value
        return fields, bare

    def has_no_json_value(self, path: str) -> bool:
        """Return whether a default cannot be written as JSON; null can."""
        if path in SEED_PARTS.get(self.sweep.model_type, {}):
            return False
        if leaf(path) == ROTARY_FACTOR or self.own_value(self.sweep.start, path) is not None:
            return False
        try:
            return attribute_at(self.sweep.start, path) is not None
        except KeyError:
            return True

    def factors(self) -> set[str]:
        """Return the paths of the shares of heads that are rotated."""
        names = (path for path in self.sweep.sorts if leaf(path) == "rope_parameters")
        return {path.removesuffix("rope_parameters") + ROTARY_FACTOR for path in names}

    def own_value(self, config: Any, path: str) -> Any:
        """Return a field's default as JSON; for an older key, the value that absence equals."""
        try:
            if leaf(path) == ROTARY_FACTOR:
                parameters = attribute_at(
                    config, path.removesuffix(ROTARY_FACTOR) + "rope_parameters"
                )
                return parameters.get(ROTARY_FACTOR) if isinstance(parameters, dict) else None
            value = attribute_at(config, path)
        except KeyError:
            moved = self.sweep.moved.get(path, [])
            flag = False in moved and True not in moved
            return True if flag else self.older_numbers.get(path)
        if isinstance(value, tuple):
            value = list(value)
        plain_ = (int, float, str, bool, list, dict, type(None))
        if not isinstance(value, plain_) or (isinstance(value, dict) and len(str(value)) > 300):
            return None
        if isinstance(value, list) and len(value) > 4:
            return None
        return value

    @cached_property
    def older_numbers(self) -> dict[str, int | None]:
        """The numbers that the absence of older keys equals."""
        older = names_in_code(self.sweep.start) & self.sweep.moved.keys()
        numbers = (path for path in older if int in map(type, self.sweep.moved[path]))
        return {path: number_like_absent(self.sweep.base_prober, path) for path in numbers}

    def aliases(self) -> dict[str, str]:
        """Return other names of fields, including those of parts."""
        found = dict(self.sweep.config_class.attribute_map)
        for path, part in sub_configs(self.sweep.start):
            found |= {f"{path}.{a}": f"{path}.{b}" for a, b in type(part).attribute_map.items()}
        fields = {*self.sweep.letters.values(), *self.sweep.sorts}
        found |= {name: field for name, field in self.setter_properties.items() if field}
        # An alias may map to a field, or a field to its alias.
        turned = {b if a in fields else a: a if a in fields else b for a, b in found.items()}
        return {a: b for a, b in sorted(turned.items()) if a not in fields and b in fields}

    @cached_property
    def setter_properties(self) -> dict[str, str]:
        """Properties that set sizes under another name, as SAM 3's ``image_size`` does.

        Each has the field that gets the same value, or "".
        """
        start, found = self.sweep.start, {}
        for path, part in [("", start), *sub_configs(start)]:
            for name, _ in inspect.getmembers(type(part), is_settable):
                own = attempt(getattr, part, name)
                if not isinstance(own, int | float | list):
                    continue
                changed, value = deepcopy(start), 2 * own
                attempt(setattr, attribute_at(changed, path), name, value)
                sizes = self.sweep.letters.values()
                moved = [
                    s for s in sizes if attribute_or_none(changed, s) != attribute_or_none(start, s)
                ]
                if moved:
                    same = len(moved) == 1 and attribute_at(changed, moved[0]) == value
                    found[f"{path}.{name}" if path else name] = moved[0] if same else ""
        return found
