"""Values that stand for their sort when a field is probed: ``catalogue.value_kinds``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paramproof.catalogue.value_kinds import IMAGE_TOKEN, ORIGINAL_LENGTH

LARGE = 10**6
"""A number above any size of a probed model. A field that must be below a size refuses it."""

PLAIN = {"rope_type": "default", "rope_theta": 1e4}

STRETCHED = {"rope_type": "yarn", "factor": 32.0, "rope_theta": 5e5, ORIGINAL_LENGTH: 4096}

PROBES: Mapping[str, Sequence[Any]] = {
    "null": [None],
    "flag": [True, False],
    "zero": [0],
    "nothing": [0.0],
    "whole": [1, 3, LARGE],
    "share": [0.5, 0.03125],
    "number": [1.0, 16.5],
    "negative": [-1, -100],
    "activation": ["gelu", "silu", "relu", "tanh"],
    "empty": [[]],
    "bare": [{}],
    "vocabulary": [{IMAGE_TOKEN: 4, "a": 5}, {IMAGE_TOKEN: LARGE}],
    "wholes": [[1, 2], [0]],
    "reals": [[0.0, 0.5], [0.25, 1e308], [0.5]],
    "names": [["a", "b"]],
    "text": ["any"],
    "alike": [[0.5]],
    "quantization": [
        {"quant_method": "fp8", "weight_block_size": [128, 128]},
        {"quant_method": "awq", "bits": 4, "group_size": 128},
    ],
    "rope_default": [{"rope_type": "default", "rope_theta": 500_000.0}, {"type": "default"}],
    "rope_linear": [{"type": "linear", "factor": 2.0}],
    "rope_dynamic": [{"type": "dynamic", "factor": 2.0}],
    "rope_yarn": [{"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}],
    "rope_llama3": [
        {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
    ],
    "rope_longrope": [
        {
            "type": "longrope",
            "factor": 4.0,
            "long_factor": [1.0, 2.0],
            "short_factor": [1.0, 1.0],
            "original_max_position_embeddings": 4096,
        },
    ],
    "rope_mrope": [{"type": "mrope", "mrope_section": [2, 1, 1]}],
    "rope_layers": [
        {
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
            "sliding_attention": PLAIN,
        },
    ],
    "rope_layers_yarn": [
        {"full_attention": STRETCHED, "sliding_attention": PLAIN},
        {"full_attention": STRETCHED, "sliding_attention": PLAIN, ORIGINAL_LENGTH: 4096},
    ],
}
"""Values that stand for their sort. The last one of ``whole`` stands for numbers above any size."""
