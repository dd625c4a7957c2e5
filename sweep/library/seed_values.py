"""The values to start from if a type's default configuration builds no model."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.files import TypeFile, type_of
from paramproof.catalogue.value_kinds import IMAGE_TOKEN
from paramproof.formulas.path import parent
from paramproof.tracing.constructors.transformers_class import make_readable
from sweep.library.keys import Keys, set_key
from sweep.library.model import build, full_keys, sub_configs
from sweep.library.refusal import Attempt

SIZE_FALLBACKS: Mapping[str, Callable[[PreTrainedConfig], int]] = {
    "head_dim": lambda config: config.hidden_size // config.num_attention_heads,
    "num_key_value_heads": lambda config: config.num_attention_heads,
    "n_routed_experts": lambda _: 64,
    "n_shared_experts": lambda _: 2,
    "vocab_size": lambda _: 33,
    "prediction_length": lambda _: 24,
}
"""The sizes that published configurations have where the defaults are null."""


QSA = {"n_heads": 4, "kv_heads": 1, "head_dim": 256, "budget": 64, "compress_ratio": 4}
"""Sizes of the attention that looks at selected blocks only, by its field after ``indexer_``."""

SEED_SIZES: Mapping[str, Mapping[str, int]] = {
    "aya_vision": {"vision_config.num_attention_heads": 16},
    "diffusion_gemma": {
        "text_config.num_experts": 8,
        "text_config.top_k_experts": 2,
        "text_config.moe_intermediate_size": 8,
    },
    "moonshine_streaming": {"num_key_value_heads": 8},
    "qwen4_exp": {f"text_config.indexer_{name}": size for name, size in QSA.items()},
    "qwen4_exp_text": {f"indexer_{name}": size for name, size in QSA.items()},
}
"""Sizes to start from, by type, if those of ``SIZE_FALLBACKS`` do not help."""

LFM2_ATTENTION = (2, 6, 10, 14, 18, 21)
"""The attention layers of LFM2-8B-A1B."""

FOUR_STAGES = {"backbone_config.out_features": ["stage1", "stage2", "stage3", "stage4"]}

ROTARY = {"rope_type": "default", "rope_theta": 10_000.0}

SEED_VALUES: Mapping[str, Mapping[str, Any]] = {
    "chameleon": {"vocabulary_map": {IMAGE_TOKEN: 8711}},
    "cohere_compass_text": {"rope_parameters": {"full_attention": ROTARY}},
    "cohere_compass": {"text_config.rope_parameters": {"full_attention": ROTARY}},
    "dbrx": {"attn_config.rope_theta": 500_000.0},
    "deepseek_ocr2": {
        "text_config.num_hidden_layers": 12,
        "text_config.mlp_layer_types": ["dense", *["sparse"] * 11],
    },
    "emu3": {"vocabulary_map": {IMAGE_TOKEN: 151_859}},
    "lfm2_moe": {
        "num_hidden_layers": 24,
        "layer_types": [
            "full_attention" if index in LFM2_ATTENTION else "conv" for index in range(24)
        ],
    },
    "t5gemma2_encoder": {"text_config.dropout_rate": 0.0},
    "upernet+convnext": FOUR_STAGES,
    "upernet+swin": FOUR_STAGES,
}
"""Values of published configurations. An entry holds only for those that are not sizes."""


SEED_PARTS: Mapping[str, Mapping[str, Any]] = {
    "gemma4": {
        "vision_config": {"model_type": "gemma4_vision"},
        "audio_config": {"model_type": "gemma4_audio"},
    },
}
"""Parts that published configurations have and a type's defaults lack. They may be absent."""


def seed_values_of(name: str) -> dict[str, Any]:
    """Return the values and parts for which an entry holds, beside the type's own."""
    return {**SEED_PARTS.get(type_of(name), {}), **SEED_VALUES.get(name, {})}


def keys_with_types(file: TypeFile, values: Mapping[str, Any]) -> Keys:
    """Return keys with these values by path, beside the type's seed values.

    A part with a value names its model type.
    """
    keys: Keys = {}
    for path, value in {**seed_values_of(file.name), **values}.items():
        if part := parent(path):
            set_key(keys, f"{part}.model_type", file.parts[part])
        set_key(keys, path, value)
    return keys


def seed_config(config_class: Any) -> PreTrainedConfig:
    """Return the configuration to start from: the type's own, with its ``SEED_PARTS``."""
    parts = SEED_PARTS.get(config_class.model_type, {})
    config: PreTrainedConfig = config_class(**copy.deepcopy(dict(parts)))
    return make_readable(config)


def missing_sizes(
    model_type: str, start: PreTrainedConfig, values: Mapping[str, Any], model_class: Any
) -> Mapping[str, int]:
    """Return the fewest sizes that let a type's own configuration build, or none if none helps.

    ``values`` are those of ``SEED_VALUES``, which it lacks too.
    """
    if model_type in SEED_SIZES:
        return SEED_SIZES[model_type]
    try:
        absent = {
            f"{path}.{name}".removeprefix("."): size(part)
            for path, part in [("", start), *sub_configs(start)]
            for name, size in SIZE_FALLBACKS.items()
            if getattr(part, name, 0) is None
        }
    except (AttributeError, TypeError, ZeroDivisionError):
        return {}
    for number in range(len(absent) + 1):
        for chosen in combinations(absent.items(), number):
            with Attempt():
                build(model_class, type(start)(**full_keys(start, {**values, **dict(chosen)})))
                return dict(chosen)
    return {}
