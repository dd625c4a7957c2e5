"""Lists whose length is a size, and the patterns that repeat in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from paramproof.catalogue.value_kinds import default_layers, equal
from sweep.fields.layer_lists import DEPTHS, MAX_PERIOD
from sweep.fields.normalization import changed_fields
from sweep.fields.saved_values import SavedValues, value_in

MAX_HEAD = 12

MAX_REPEATED = 12

Rule = dict[str, Any]


def find_patterns(saved: SavedValues) -> dict[str, Rule]:
    """Return the length and the pattern of each list that varies with one size alone."""
    found = {}
    for path, values in saved.varying().items():
        if all(_is_list(value) for _, value in values):
            own = values[0][1]
            fields = {name for point, value in values if not equal(value, own) for name in point}
            if len(fields) == 1 and not _depends_on_flag(saved, path, own):
                field = fields.pop()
                lists = list(_lists_by_depth(saved, path, field))
                if (rule := fit_pattern(lists) or fit_stage_name(lists)) and _may_be_given(
                    saved, path, field, lists
                ):
                    letters = saved.file.letter_of
                    found[path] = {"long": letters[field], **rule}
    return found


def fit_pattern(lists: Sequence[tuple[int, list[Any]]]) -> Rule | None:
    """Return the simplest rule that gives each of these lists by its length."""
    if len(lists) < MAX_PERIOD or any(len(values) != depth for depth, values in lists):
        return None
    longest = max(lists, key=lambda one: one[0])[1]
    for last in ([], longest[-1:]):
        for head in range(MAX_HEAD + 1):
            for period in range(1, MAX_REPEATED + 1):
                rule = {"repeats": longest[head : head + period]}
                rule |= {"head": longest[:head]} if head else {}
                rule |= {"last": last} if last else {}
                if all(equal(default_layers(rule, depth), values) for depth, values in lists):
                    return rule
    return None


def fit_stage_name(lists: Sequence[tuple[int, list[Any]]]) -> Rule | None:
    """Return the rule for lists with the name of the last stage alone.

    It is ``stage12`` where there are 12 stages.
    """
    first = lists[0][1][0] if lists and lists[0][1] else None
    name = first.removesuffix(str(lists[0][0])) if isinstance(first, str) else ""
    named = name and all(values == [f"{name}{depth}"] for depth, values in lists)
    return {"only": name} if named else None


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str | int | float) for one in value)


def _lists_by_depth(saved: SavedValues, path: str, field: str) -> Iterator[tuple[int, list[Any]]]:
    for depth in DEPTHS:
        value = value_in(saved.save(saved.unread.keys({field: depth})), path)
        if _is_list(value):
            yield depth, value


def _depends_on_flag(saved: SavedValues, path: str, own: list[Any]) -> bool:
    """Return whether a selecting flag changes the list, too."""
    decides = saved.file.decides
    for flag, values in saved.values.items():
        if flag in decides and isinstance(values[0][1], bool):
            other = saved.save(saved.unread.keys({flag: not values[0][1]}))
            if other and not equal(value_in(other, path), own):
                return True
    return False


def _may_be_given(
    saved: SavedValues, path: str, field: str, lists: Sequence[tuple[int, list[Any]]]
) -> bool:
    """Return whether giving the default list explicitly changes nothing."""
    for depth, value in lists[:: max(len(lists) // 4, 1)]:
        one, other = saved.without_and_with(path, value, {field: depth})
        if one is None or other is None or changed_fields(one, other):
            return False
    return True
