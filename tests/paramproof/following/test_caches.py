"""Bytes of caches: published models, the conventions, and what is refused."""

import json

import pytest

from paramproof.following.caches import CONVENTIONS, cache
from paramproof.resolver import resolve
from tests.configs import BERT, DEEPSEEK_V3, FLAN_T5_SMALL, LLAMA_3_1_8B

NARROW = {"model_type": "stablelm", "hidden_size": 32, "num_attention_heads": 8}
LESS = {"model_type": "phi", "rope_scaling": {"partial_rotary_factor": 0.3}, "head_dim": 10}
GPT_OSS_20B = "gpt-oss-20b"
QWEN3_NEXT_80B = {"model_type": "qwen3_next"}
KEPT = {"dynamic": [(1, 1), (127, 127), (128, 127)], "static": [(127, 127), (129, 128)]}

MODELS = {
    "llama": (LLAMA_3_1_8B, "131,072·n·b", 536_870_912),
    "deepseek": (DEEPSEEK_V3, "70,272·n·b", 287_834_112),
    "gpt_oss": (GPT_OSS_20B, "b·(24,576·n + 24,576·min(n, 127))", 103_784_448),
    "phi4": ("phi-4", "204,800·n·b", 838_860_800),
    "qwen3_next": (QWEN3_NEXT_80B, "b·(24,576·n + 77,856,768)", 178_520_064),
}


@pytest.mark.parametrize(("config", "formula", "size"), MODELS.values(), ids=MODELS)
def test_published_models_have_the_bytes_that_transformers_keeps(config, formula, size):
    data = cache(resolve(config), 4096).data
    assert (data["formula"], data["bytes"]) == (formula, size)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_window_of_128_tokens_is_kept_as_the_convention_says(convention):
    for tokens, in_window in KEPT.get(convention, [(129, 129)]):
        data = cache(resolve(GPT_OSS_20B), tokens, convention=convention).data
        assert data["bytes"] == 24_576 * (tokens + in_window)


def test_states_stay_float32_and_everything_grows_with_the_batch():
    one, three = (cache(resolve(QWEN3_NEXT_80B), 10, batch).data["bytes"] for batch in (1, 3))
    wide = cache(resolve(QWEN3_NEXT_80B), 10, dtype="float32").data["bytes"]
    state, taps = 36 * 32 * 128 * 128 * 4, 36 * 8192 * 4 * 2
    assert (one, three) == (state + taps + 245_760, 3 * one)
    assert wide == state + 2 * (taps + 245_760)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_rows_sum_to_the_total_and_are_json(convention):
    answer = cache(resolve(GPT_OSS_20B), 200, 2, convention=convention)
    data = json.loads(json.dumps(answer.data))
    assert sum(row["bytes"] for row in data["layers"]) == data["bytes"]
    assert sum(row["layers"] for row in data["layers"]) == 24
    assert answer.table.rows[-1].cells[-1] == data["bytes"]
    assert convention in answer.lines[1]


@pytest.mark.parametrize(
    ("config", "given", "reason"),
    [
        (LLAMA_3_1_8B, {"tokens": 0}, "the number of tokens is 0: give a number from 1 to 1,000,0"),
        (LLAMA_3_1_8B, {"tokens": 10**12 + 1}, "give a number from 1 to 1,000,000,000,000"),
        (LLAMA_3_1_8B, {"tokens": True}, "tokens is True, which is not of the type int"),
        (LLAMA_3_1_8B, {"tokens": 1.5}, "not of the type int"),
        (LLAMA_3_1_8B, {"batch": -1}, "the batch is -1: give a number from 1"),
        (LLAMA_3_1_8B, {"dtype": "bfloat61"}, "is named 'bfloat61': did you mean bfloat16"),
        (LLAMA_3_1_8B, {"dtype": "int4"}, "give a dtype of at least a byte, such as float8"),
        (LLAMA_3_1_8B, {"convention": "statik"}, "is named 'statik': did you mean static"),
        (BERT, {}, "BertForMaskedLM keeps no cache"),
        (LESS, {}, "3 of 10 numbers in a head would be rotated, and pairs are"),
        (NARROW, {}, "not known: 1 of 4 numbers in a head would be rotated, and"),
        (FLAN_T5_SMALL, {}, "what the layers of T5ForConditionalGeneration keep is not known"),
        ({**LLAMA_3_1_8B, "architectures": ["LlamaForTokenClassification"]}, {}, "is not known"),
        ({**LLAMA_3_1_8B, "per_layer_config": {"3": {}}}, {}, "per_layer_config"),
        ({"model_type": "mistral", "sliding_window": 1}, {}, "sliding_window is 1"),
        ({"model_type": "gpt_bigcode", "multi_query": False}, {}, "multi_query=False is not"),
        ({"model_type": "qwen3_next", "layer_types": ["odd"] * 48}, {}, "'odd'|refuses"),
    ],
)
def test_what_is_not_known_is_refused(config, given, reason):
    with pytest.raises(ValueError, match=reason):
        cache(resolve(config), **{"tokens": 8, **given})
