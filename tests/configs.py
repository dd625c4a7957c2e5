"""Configurations with the keys of other people's files.

They were written out by hand in ``configs.json``, each with its source. Those of other repositories
are in ``catalogue/public.jsonl``.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

Config = dict[str, Any]

CONFIGS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
PUBLIC = Path(__file__).parent / "catalogue" / "public.jsonl"


def read(*names: str) -> list[Config]:
    return [CONFIGS[name]["keys"] for name in names]


def without(config: Config, *keys: str) -> Config:
    return {key: value for key, value in config.items() if key not in keys}


@cache
def public_configurations() -> tuple[Config, ...]:
    return tuple(json.loads(line)["config"] for line in PUBLIC.read_text("utf-8").splitlines())


ALL = {
    name: CONFIGS[name.upper()]["keys"]
    for name in ("google", "baidu", "bert", "ernie", "roberta", "gpt2", "llama")
}
GOOGLE, BAIDU, BERT, ERNIE, ROBERTA, GPT2, LLAMA = ALL.values()

LLAMA_3_1_8B, MIXTRAL_8X7B, DEEPSEEK_V3, SMALL_MIXTRAL = read(
    "LLAMA_3_1_8B", "MIXTRAL_8X7B", "DEEPSEEK_V3", "SMALL_MIXTRAL"
)
FLAN_T5_SMALL, INTERNVL = read("FLAN_T5_SMALL", "INTERNVL")

# From public repositories, of other versions and other producers.
GPT2_MEDIUM, HATEBERT, SMOLLM, RELORA = read("GPT2_MEDIUM", "HATEBERT", "SMOLLM", "RELORA")
DIALOGPT, EARLY_ROBERTA, EARLY_BERT = read("DIALOGPT", "EARLY_ROBERTA", "EARLY_BERT")
ELECTRA, CDIAL_GPT = read("ELECTRA", "CDIAL_GPT")

FOUND = {"gpt2-medium": GPT2_MEDIUM, "hatebert": HATEBERT, "smollm": SMOLLM, "relora": RELORA}
"""Each with its class."""

UNNAMED = {
    "dialogpt": (DIALOGPT, "gpt2", "GPT2LMHeadModel"),
    "early-roberta": (EARLY_ROBERTA, "roberta", "RobertaModel"),
    "early-bert": (EARLY_BERT, "bert", "BertModel"),
}
"""Without ``model_type`` and class, which tests pass separately."""
