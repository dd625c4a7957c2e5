"""Find the values that a configuration class computes from other keys.

The rule of such a value holds for all numbers of layers if the value has a pattern, and names the
other keys on which it depends. No model is built, since the configuration alone fills in the value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.catalogue.entries import entry_in
from paramproof.catalogue.files import parse_type
from paramproof.catalogue.value_kinds import equal
from paramproof.catalogue.written_forms import OVERRIDES, POSITIONS, by_layer
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.path import leaf, parent
from sweep.fields.field_reads import changed_fields
from sweep.fields.layer_lists import DEPTHS, MAX_PERIOD, fit_pattern
from sweep.fields.probe import names_in_code
from sweep.fields.saved_values import SavedValues, value_in
from sweep.fields.unread_fields import UnreadFields
from sweep.library.keys import Keys, part_in
from sweep.library.model import attribute_or_none
from sweep.store import in_order

MAX_FIRST_DEPTH = 12
"""The largest number of layers from which a rule may start to hold."""

LENGTHS = {
    "": ((1, 0), (2, 0)),
    POSITIONS: ((1, 0), (1, 1)),
    OVERRIDES: ((1, 0),),
}
"""Possible lengths of a value by its form: a multiple of the number of layers, and more."""

Rule = dict[str, Any]


class FilledValues:
    """Finds the rules of a type's values that vary with the number of layers."""

    def __init__(self, saved: SavedValues) -> None:
        self.saved, self.file = saved, saved.file
        self.start = saved.unread.start
        self.fields = self.file.letter_of
        self.own = saved.save(saved.unread.keys({}))

    def find(self) -> dict[str, Rule]:
        """Return the rule of each value that a file could not give yet, by its path."""
        found = {}
        depths = self.fields.keys()
        for path, values in self.saved.varying().items():
            own = values[0][1]
            if not own or self.is_accepted(path):
                continue
            sizes = {name for point, value in values if not equal(value, own) for name in point}
            rules = (self.rule_at(path, field, sizes - {field}) for field in sorted(sizes & depths))
            if rule := next(filter(None, rules), None) or self.own_rule(path, own, sizes):
                found[path] = rule
        return found

    def own_rule(self, path: str, own: Any, sizes: set[str]) -> Rule | None:
        """Return the rule of a value that may be given where the sizes are the type's own."""
        one, other = self.saved.without_and_with(path, own, {})
        if one is None or other is None or changed_fields(one, other):
            return None
        if (rule := self.dependencies(path, "", sizes)) is None:
            return None
        lists = {one: value_in(self.own, one) for one in rule.pop("lists", ())}
        return {"value": own, "at": {**rule["at"], **lists}}

    def is_accepted(self, path: str) -> bool:
        """Return whether the catalogue accepts the type's own value of a key already."""
        alone = self.saved.unread.keys({path: value_in(self.own, path)})
        return not any(self.is_refused(path, keys) for keys in (alone, self.own))

    def is_refused(self, path: str, keys: Keys) -> bool:
        """Return whether the catalogue refuses a key, beside those of ``keys`` that it accepts."""
        rest = json.loads(json.dumps(keys))
        while True:
            try:
                entry_in(self.file, rest)
            except (InvalidInput, NotInCatalogue) as error:
                key = error.key or ""
                part = part_in(rest, parent(key))
                if key == path:
                    return True
                if part is None or leaf(key) not in part:
                    return False
                del part[leaf(key)]
            else:
                return False

    def rule_at(self, path: str, field: str, others: set[str]) -> Rule | None:
        """Return the rule of a value whose length is that of ``field``, or None if none fits."""
        values = [(depth, self.value_at(path, {field: depth})) for depth in DEPTHS]
        for form, lengths in LENGTHS.items():
            for times, more in lengths:
                lists = [
                    (times * depth + more, by_layer(value, form, times * depth + more))
                    for depth, value in values
                    if value is not None
                ]
                if (fitted := _fit(lists)) is None:
                    continue
                first, rule = fitted
                first = (first - more) // times
                if not self.may_be_given(path, field, first):
                    continue
                if (dependencies := self.dependencies(path, field, others)) is None:
                    continue
                letter = self.fields[field]
                long = f"{times}·{letter}" if times > 1 else f"{letter} + 1" if more else letter
                return {
                    "long": long,
                    **({"as": form} if form else {}),
                    **({"from": first} if first > 1 else {}),
                    **rule,
                    **dependencies,
                }
        return None

    def value_at(self, path: str, values: Mapping[str, Any]) -> Any:
        """Return the value that a configuration saves for a key, with other values of others."""
        return value_in(self.saved.save(self.saved.unread.keys(values)), path)

    def may_be_given(self, path: str, field: str, first: int) -> bool:
        """Return whether giving the value explicitly changes no field."""
        for depth in (first, first + 1, 2 * MAX_PERIOD, DEPTHS[-1]):
            value = self.value_at(path, {field: depth})
            one, other = self.saved.without_and_with(path, value, {field: depth})
            if one is None or other is None or changed_fields(one, other):
                return False
        return True

    def dependencies(self, path: str, field: str, sizes: set[str]) -> Rule | None:
        """Return the keys on which a value depends, beside the number of layers.

        ``at`` has the values for which the rule holds, and ``lists`` the lists that must be the
        type's own. None if giving these values explicitly has another effect than not giving them.
        """
        at: dict[str, Any] = {}
        lists: list[str] = []
        own = value_in(self.own, path)
        for size in sorted(sizes):
            value = attribute_or_none(self.start, size)
            at[size] = list(value) if isinstance(value, tuple) else value
        others = list(self.other_keys(path, field))
        # A key may have an effect only if a flag has its other value.
        near = [one for one in others if parent(one[0]) == parent(path)]
        flags = [{one: not value} for one, value in near if isinstance(value, bool)]
        flags = [one for one in flags if not self.moves(path, own, {}, one)]
        for other, value in others:
            bases = [{}, *(flags if (other, value) in near else ())]
            probes = [{other: one} for one in _probes(value) if not equal(one, value)]
            moving = any(self.moves(path, own, base, one) for base in bases for one in probes)
            if other in at or not moving:
                continue
            if isinstance(value, list):
                lists.append(other)
            else:
                at[other] = value
        # A field that the class overwrites, as Bailing's head_dim, has another effect if given.
        given = {one: value for one, value in at.items() if value is not None}
        if self.moves(path, own, {}, given):
            return None
        at = {self.file.aliases.get(one, one): value for one, value in at.items()}
        return {"at": at, **({"lists": lists} if lists else {})}

    def other_keys(self, path: str, field: str) -> Iterator[tuple[str, Any]]:
        """Yield every other key with its own value: saved ones, and those that code looks for."""
        known = {path, field, *self.file.late}
        for other, values in self.saved.values.items():
            if other not in known:
                known.add(other)
                yield other, values[0][1]
        for other in sorted(names_in_code(self.start) - known):
            if parent(other) in ("", *self.file.parts):
                yield other, None

    def moves(
        self, path: str, own: Any, base: Mapping[str, Any], others: Mapping[str, Any]
    ) -> bool:
        """Return whether other values of keys, beside those of ``base``, move a value."""
        moved = self.saved.save(self.saved.unread.keys({**base, **others}))
        return bool(moved) and not equal(value_in(moved, path), own)


def _fit(lists: list[tuple[int, list[Any] | None]]) -> tuple[int, Rule] | None:
    """Return the first length from which a rule gives all lists, with the rule."""
    for skipped in range(MAX_FIRST_DEPTH):
        rest = lists[skipped:]
        complete = [(long, one) for long, one in rest if one is not None]
        if complete and len(complete) == len(rest) and (rule := fit_pattern(complete)):
            return complete[0][0], rule
    return None


def _probes(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, 2 * value, 0, 1, 3]
    if isinstance(value, float):
        return [value / 2, value + 1]
    if isinstance(value, list):
        kinds = [one for one in value if isinstance(one, str | int | float)]
        return [value[::-1], *([one] * len(value) for one in dict.fromkeys(kinds))]
    return [1, 3, True, 0.5, 2048] if value is None else []


def with_filled_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with the values that the class fills in."""
    bare = {key: one for key, one in data.items() if key != "filled"}
    file = parse_type(bare)
    found = FilledValues(SavedValues(file, UnreadFields(file))).find()
    return in_order({**bare, "filled": found})
