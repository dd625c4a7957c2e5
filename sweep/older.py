"""Older keys: a configuration takes them, and has no field for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.formulas.path import parent
from sweep.layers import DEPTHS, LONGEST_PERIOD
from sweep.model import Keys, remove, whole
from sweep.trials import Trials


def as_absent(trials: Trials, path: str) -> int | None:
    """Return the number that is as good as no such key, None where none was found to be.

    As 4 is of Qwen3-Next's ``full_attention_interval``: the configuration is the same, at many
    values of each size, and so are the tensors.
    """
    numbers = range(1, LONGEST_PERIOD + 1)
    found = (one for one in numbers if _is_as_absent(trials, path, one))
    return next((one for one in found if not trials.outcome({path: one})), None)


def _is_as_absent(trials: Trials, path: str, number: int) -> bool:
    return all(
        _without(trials, {**point, path: number}, path) == _without(trials, point, path)
        for point in _points(trials, parent(path))
    )


def _points(trials: Trials, part: str) -> Iterator[Mapping[str, Any]]:
    """Yield the points of the trials, and each with one size of a part otherwise."""
    for point in trials.points:
        yield point
        for field in point:
            if parent(field) == part and "[" not in field:
                yield from ({**point, field: size} for size in DEPTHS)


def _without(trials: Trials, values: Mapping[str, Any], path: str) -> str | None:
    """Return what a configuration with these values has beside one key, None for none."""
    try:
        there: Keys = trials.config_class(**whole(trials.start, values)).to_dict()
        remove(there, path)
        return json.dumps(there, default=str)
    except Exception:  # Anybody's configuration may raise anything.
        return None
