"""Lists with a name for each layer: which a model may have, and what they are by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from transformers import PreTrainedConfig

from sweep.model import at, whole

LONGEST_PERIOD = 8

LISTS = ("layer_types", "layers_block_type", "mlp_layer_types", "block_types", "hybrid_layer_ids")
"""Fields that have something for each layer."""


def layer_rules(
    config_class: type[PreTrainedConfig],
    start: PreTrainedConfig,
    points: Sequence[Mapping[str, int]],
    letters: Mapping[str, str],
    decides: Iterable[str],
) -> dict[str, Any]:
    """Return for each list of layers that decides how long it is, and what repeats in it."""
    found = {}
    for path in decides:
        if path.rpartition(".")[2] not in LISTS:
            continue
        here = at(start, path)
        if not isinstance(here, list) or not all(isinstance(one, str) for one in here):
            continue
        for letter, field in letters.items():
            rule = _rule(config_class, start, path, letter, field, points, letters)
            if rule:
                found[path] = rule
                break
    return found


def _rule(
    config_class: type[PreTrainedConfig],
    start: PreTrainedConfig,
    path: str,
    letter: str,
    field: str,
    points: Sequence[Mapping[str, int]],
    letters: Mapping[str, str],
) -> dict[str, Any] | None:
    lists = []
    for depth in range(1, 4 * LONGEST_PERIOD + 3):
        sizes = {**points[0], letter: depth}
        values = {letters[one]: size for one, size in sizes.items() if one in letters}
        try:
            there = at(config_class(**whole(start, values)), path)
        except Exception:
            return None
        if len(there) != depth:
            return None
        lists.append(there)
    for period in range(1, LONGEST_PERIOD + 1):
        pattern = lists[-1][:period]
        if all(
            one == pattern[i % period] for there in lists for i, one in enumerate(there)
        ):
            return {"long": letter, "repeats": pattern}
    return None

