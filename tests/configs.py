"""Configurations with the keys of other people's files.

They were written out by hand in ``configs.json``, each with its source.
"""

import json
from pathlib import Path
from typing import Any

Config = dict[str, Any]

CONFIGS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def read(*names: str) -> list[Config]:
    """Return the keys of the configurations with these names."""
    return [CONFIGS[name]["keys"] for name in names]


def without(config: Config, *keys: str) -> Config:
    """Return ``config`` without ``keys``."""
    return {key: value for key, value in config.items() if key not in keys}


ALL = {
    name: CONFIGS[name.upper()]["keys"]
    for name in ("google", "baidu", "bert", "ernie", "roberta", "gpt2", "llama")
}

GOOGLE, BAIDU, BERT, ERNIE, ROBERTA, GPT2, LLAMA = ALL.values()

GLM = {"model_type": "glm_moe_dsa", "num_hidden_layers": 4}

MINIMAX = {"model_type": "minimax_m3_vl", "text_config": {"num_hidden_layers": 3}}


def minimax(**keys):
    """Return a configuration of MiniMax-M3 with keys of its text model."""
    return {**MINIMAX, "text_config": {**MINIMAX["text_config"], **keys}}
