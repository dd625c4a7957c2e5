"""Sizes to start from where a configuration's own defaults do not make a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from transformers import PreTrainedConfig

from sweep.model import made, parts_of, whole

SIZES: Mapping[str, Callable[[PreTrainedConfig], int]] = {
    "head_dim": lambda config: config.hidden_size // config.num_attention_heads,
    "num_key_value_heads": lambda config: config.num_attention_heads,
    "n_routed_experts": lambda _: 64,
    "n_shared_experts": lambda _: 2,
    "vocab_size": lambda _: 33,
    "prediction_length": lambda _: 24,
}
"""What published configurations have in place of null."""


def needed(start: PreTrainedConfig, model_class: Any) -> dict[str, int]:
    """Return the fewest sizes that a type's own configuration lacks, none where none helps."""
    try:
        absent = {
            f"{path}.{name}".removeprefix("."): size(part)
            for path, part in [("", start), *parts_of(start)]
            for name, size in SIZES.items()
            if getattr(part, name, 0) is None
        }
    except (AttributeError, TypeError, ZeroDivisionError):
        return {}
    for number in range(len(absent) + 1):
        for chosen in combinations(absent.items(), number):
            try:
                made(model_class, type(start)(**whole(start, dict(chosen))))
            except Exception:
                continue
            return dict(chosen)
    return {}
