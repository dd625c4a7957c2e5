"""Rules for lists with a name for each layer: accepted names, or the default pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sweep.fields.probe import Prober
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
