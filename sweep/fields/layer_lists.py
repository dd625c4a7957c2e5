"""Rules for lists with an item for each layer: accepted names, lengths, and repeating patterns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paramproof.catalogue.value_kinds import default_layers, equal
from sweep.fields.field_reads import changed_fields
from sweep.fields.probe import Prober
from sweep.fields.saved_values import SavedValues, value_in
from sweep.library.keys import Keys
from sweep.library.model import attribute_or_none, full_keys
from sweep.library.refusal import attempt

MAX_PERIOD = 8

DEPTHS = range(1, 4 * MAX_PERIOD + 3)
"""Numbers of layers for which the default lists are compared."""

COMMON_KINDS = ("full_attention", "sliding_attention", "chunked_attention", "dense", "sparse")
"""Names that are tried beside those in the type's own list."""


def layer_rules(
    trials: Prober, letters: Mapping[str, str], names: Iterator[str] | list[str]
) -> dict[str, Any]:
    """Return for each list of layers its length, and which names it may have.

    The names are ``any of`` some with which models have the same tensors, or those that ``repeats``
    gives in the type's own list.
    """
    found = {}
    for path in names:
        here = attribute_or_none(trials.start, path)
        if not (isinstance(here, list) and here and all(isinstance(one, str) for one in here)):
            continue
        for letter, field in letters.items():
            lists = list(_default_lists(trials, path, field))
            if lists and all(len(default_names) == depth for depth, default_names in lists):
                rule = _any_of(trials, path, field, {*here, *COMMON_KINDS}) or _repeats(lists)
                if rule and _may_be_given(trials, path, field, lists):
                    found[path] = {"long": letter, **rule}
                break
    return found


def _default_lists(trials: Prober, path: str, field: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the default list for each depth, at each of the prober's points."""
    # The pattern may depend on another size, as in Bailing's groups of layers.
    for point in trials.points:
        for depth in DEPTHS if field in point else ():
            keys: Keys = full_keys(trials.start, {**point, field: depth})
            config = attempt(trials.config_class, **keys)
            names = config and attribute_or_none(config, path)
            if isinstance(names, list | tuple):
                yield depth, list(names)


def _any_of(trials: Prober, path: str, field: str, kinds: set[str]) -> dict[str, Any] | None:
    """Return the names that a list may have, or None if they affect the tensors."""
    same = []
    for kind in sorted(kinds):
        outcomes = [
            trials.outcome_at(index, {path: [kind] * point[field]})
            for index, point in enumerate(trials.points)
        ]
        if "moved" in outcomes:
            return None
        if "refused" not in outcomes:
            same.append(kind)
        if "buffers" in outcomes:
            trials.results.buffered.add(path)
    return {"any of": same} if same else None


def _may_be_given(
    trials: Prober, path: str, field: str, lists: list[tuple[int, list[str]]]
) -> bool:
    """Return whether a file may give the list: some lists are always computed."""
    depth, own = lists[-1]
    return attempt(trials.build, {**trials.points[-1], field: depth}, {path: own}) is not None


def _repeats(lists: list[tuple[int, list[str]]]) -> dict[str, Any] | None:
    longest = max(lists)[1]
    for period in range(1, MAX_PERIOD + 1):
        pattern = longest[:period]
        if all(one == pattern[i % period] for _, names in lists for i, one in enumerate(names)):
            return {"repeats": pattern}
    return None


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
                if (rule := fit_pattern(lists) or fit_stage_name(lists)) and _changes_nothing(
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


def _changes_nothing(
    saved: SavedValues, path: str, field: str, lists: Sequence[tuple[int, list[Any]]]
) -> bool:
    """Return whether giving the default list explicitly changes nothing."""
    for depth, value in lists[:: max(len(lists) // 4, 1)]:
        one, other = saved.without_and_with(path, value, {field: depth})
        if one is None or other is None or changed_fields(one, other):
            return False
    return True
