"""The values that a configuration class saves: the same at all sizes, or varying with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from paramproof.catalogue.configuration import LABELS
from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import equal
from paramproof.formulas.path import leaf, parent
from sweep.fields.field_reads import Fields, changed_fields, normalize
from sweep.fields.probe import names_in_code
from sweep.fields.unread_fields import UnreadFields, key_paths
from sweep.library.keys import Keys, part_in, set_key
from sweep.library.model import attribute_or_none, config_of
from sweep.library.refusal import Attempt

Sizes = dict[str, Any]
"""Sizes by their fields, and lists of sizes by their keys."""

MAX_POINTS = 3
"""The number of points at which a key is given its own default."""


class SavedValues:
    """What a type's configuration saves at its own sizes, and with one other size at a time."""

    def __init__(self, file: TypeFile, unread: UnreadFields) -> None:
        self.file, self.unread = file, unread
        self.points = [{}, *self.other_sizes()]
        self.values: dict[str, list[tuple[Sizes, Any]]] = {}
        for point in self.points:
            saved = self.save(unread.keys(point))
            for path in key_paths(saved, file.parts):
                self.values.setdefault(path, []).append((point, value_in(saved, path)))
        for path, value in self.properties():
            self.values.setdefault(path, [({}, value)])

    def other_sizes(self) -> Iterator[Sizes]:
        """Yield one size at a time, by its field, that is not the type's own.

        For one of the sizes in a list, this is the whole list, by its key.
        """
        lists = dict.fromkeys(one.key for one in self.file.letters.values() if one.is_in_list)
        for key in lists:
            sizes = attribute_or_none(self.unread.start, key) or ()
            yield from (
                {key: [*sizes[:i], sizes[i] + 1, *sizes[i + 1 :]]} for i in range(len(sizes))
            )
        for size in self.file.letters.values():
            own = attribute_or_none(self.unread.start, size.path)
            if type(own) is int and own > 0 and size.path != LABELS and not size.is_in_list:
                for other in sorted({2 * own, own + 1, max(own // 2, 1), 3} - {own}):
                    yield {size.path: other}

    def properties(self) -> Iterator[tuple[str, Any]]:
        """Yield the text that a configuration gives under an older name, which it does not save.

        Nemotron-H's ``mtp_hybrid_override_pattern`` is such a property.
        """
        for path in sorted(names_in_code(self.unread.start)):
            value = attribute_or_none(self.unread.start, path)
            if isinstance(value, str):
                yield path, value

    def constants(self) -> dict[str, Any]:
        """Return the values that are the same at all sizes, and that a file may give explicitly."""
        return {
            path: values[0][1]
            for path, values in self.non_sizes()
            if all(equal(values[0][1], one) for _, one in values) and self.is_like_absent(path)
        }

    def varying(self) -> dict[str, list[tuple[Sizes, Any]]]:
        return {
            path: values
            for path, values in self.non_sizes()
            if not all(equal(values[0][1], one) for _, one in values)
        }

    def non_sizes(self) -> Iterator[tuple[str, list[tuple[Sizes, Any]]]]:
        sizes = {size.key for size in self.file.letters.values()}
        for path, values in self.values.items():
            if path not in sizes and path not in self.file.aliases:
                yield path, values

    def save(self, keys: Keys) -> Keys:
        """Return what a configuration saves, or nothing if it is refused."""
        with Attempt():
            config = config_of(self.unread.config_class, keys)
            found: Keys = json.loads(config.to_json_string(use_diff=False))
            return found
        return {}

    def is_like_absent(self, path: str) -> bool:
        """Return whether giving a key its own default changes no field that is read."""
        for point, value in self.values[path][:MAX_POINTS]:
            one, other = self.without_and_with(path, value, point)
            # A part that is given may have other defaults, which may be refused.
            if one is None and parent(path):
                continue
            if one is None or other is None:
                return False
            if not changed_fields(one, other) <= one.keys() - self.unread.reads.fields:
                return False
        return True

    def without_and_with(
        self, path: str, value: Any, point: Sizes
    ) -> tuple[Fields | None, Fields | None]:
        """Return the fields at some sizes if a key is absent from its part, and if it is given."""
        part = parent(path)
        named = {f"{part}.model_type": self.file.parts[part]} if part else {}
        absent = self.unread.keys({**point, **named})
        given = json.loads(json.dumps(absent))
        set_key(given, path, value)
        config_class = self.unread.config_class
        return normalize(config_class, absent), normalize(config_class, given)

    def value_in_given_part(self, path: str) -> Any:
        """Return the default of a key in a part that is given without it."""
        part = parent(path)
        keys = self.unread.keys({f"{part}.model_type": self.file.parts[part]})
        return value_in(self.save(keys), path)


def value_in(keys: Keys, path: str) -> Any:
    part = part_in(keys, parent(path))
    return None if part is None else part.get(leaf(path))
