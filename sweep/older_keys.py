"""Older keys: a configuration takes them, and has no field for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.formulas.path import parent
from sweep.layer_lists import DEPTHS, MAX_PERIOD
from sweep.model import Keys, full_keys, remove_key
from sweep.probe import Prober


def number_like_absent(trials: Prober, path: str) -> int | None:
    """Return the number that is as good as no such key, None where none was found to be.

    As 4 is of Qwen3-Next's ``full_attention_interval``: the configuration is the same, at many
    values of each size, and so are the tensors.
    """
    numbers = range(1, MAX_PERIOD + 1)
    found = (one for one in numbers if _is_like_absent(trials, path, one))
    return next((one for one in found if not trials.outcome({path: one})), None)


def _is_like_absent(trials: Prober, path: str, number: int) -> bool:
    return all(
        _config_without(trials, {**point, path: number}, path)
        == _config_without(trials, point, path)
        for point in _points(trials, parent(path))
    )


def _points(trials: Prober, part: str) -> Iterator[Mapping[str, Any]]:
    """Yield the points of the trials, and each with one size of a part otherwise."""
    for point in trials.points:
        yield point
        for field in point:
            if parent(field) == part and "[" not in field:
                yield from ({**point, field: size} for size in DEPTHS)


def _config_without(trials: Prober, values: Mapping[str, Any], path: str) -> str | None:
    """Return what a configuration with these values has beside one key, None for none."""
    try:
        there: Keys = trials.config_class(**full_keys(trials.start, values)).to_dict()
        remove_key(there, path)
        return json.dumps(there, default=str)
    except Exception:  # Anybody's configuration may raise anything.
        return None
