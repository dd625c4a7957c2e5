"""Older keys, which a configuration accepts but for which it has no field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.formulas.path import parent
from sweep.fields.layer_lists import DEPTHS, MAX_PERIOD
from sweep.fields.probe import Prober
from sweep.library.keys import Keys, remove_key
from sweep.library.model import full_keys
from sweep.library.refusal import Attempt


def number_like_absent(trials: Prober, path: str) -> int | None:
    """Return the number that has the effect of an absent key, or None if none has.

    It is 4 for Qwen3-Next's ``full_attention_interval``: the configuration is the same, at many
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
    """Yield the prober's points, and each of them with another value of one size in a part."""
    for point in trials.points:
        yield point
        for field in point:
            if parent(field) == part and "[" not in field:
                yield from ({**point, field: size} for size in DEPTHS)


def _config_without(trials: Prober, values: Mapping[str, Any], path: str) -> str | None:
    """Return a configuration's JSON without one key, or None if it is refused."""
    with Attempt():
        keys: Keys = trials.config_class(**full_keys(trials.start, values)).to_dict()
        remove_key(keys, path)
        return json.dumps(keys, default=str)
    return None
