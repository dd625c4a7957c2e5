"""Active parameters without a formula are those of the formula."""

import json

import pytest

from paramproof.algebra.letters import with_experts_per_token
from paramproof.bulk import count_line
from paramproof.catalogue import entry
from paramproof.views.conventions import active_formula

MIXTRAL = {"model_type": "mixtral", "num_hidden_layers": 2}
DEEPSEEK_V3 = {"model_type": "deepseek_v3", "num_hidden_layers": 4}
GLM_MOE_DSA = {"model_type": "glm_moe_dsa", "num_hidden_layers": 4}

COUNTED = {
    "mixtral": MIXTRAL,
    "all experts": {**MIXTRAL, "num_experts_per_tok": 8},
    "more per token than there are": {**MIXTRAL, "num_experts_per_tok": 9},
    "first layers without experts": {**DEEPSEEK_V3, "first_k_dense_replace": 2},
    "the number under an older name": {**GLM_MOE_DSA, "n_routed_experts": 4, "num_experts": 8},
    "no experts": {"model_type": "switch_transformers", "num_layers": 1, "num_decoder_layers": 1},
    "in a part": {"model_type": "qwen3_vl_moe", "text_config": {"num_hidden_layers": 2}},
    "by a table of token ids": {"model_type": "deepseek_v4", "num_hidden_layers": 4},
    "experts without parameters": {"model_type": "longcat_flash", "num_hidden_layers": 4},
}


@pytest.mark.parametrize("name", COUNTED)
def test_active_count(name):
    found = entry(COUNTED[name])
    derivation = with_experts_per_token(found.derivation, COUNTED[name])
    formula = active_formula(derivation)
    expected = None if formula is None else formula.evaluate(derivation.sizes)
    assert count_line(1, json.dumps(COUNTED[name]).encode())["active"] == expected
