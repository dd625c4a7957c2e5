"""Bytes of caches: published models, the conventions, and what is refused."""

import json

import pytest

from paramproof.following.caches import CONVENTIONS, cache
from paramproof.formulas.errors import InvalidInput
from paramproof.resolver import resolve
from tests.configs import BERT, DEEPSEEK_V3, FLAN_T5_SMALL, LLAMA_3_1_8B, public_configurations

GPT_OSS_20B = next(
    one
    for one in public_configurations()
    if one["model_type"] == "gpt_oss" and one["num_hidden_layers"] == 24
)
QWEN3_NEXT_80B = {"model_type": "qwen3_next"}

MODELS = {
    "llama": (LLAMA_3_1_8B, "131,072·n·b", 536_870_912),
    "deepseek": (DEEPSEEK_V3, "70,272·n·b", 287_834_112),
    "gpt_oss": (GPT_OSS_20B, "b·(24,576·n + 24,576·min(n, 127))", 103_784_448),
    "qwen3_next": (QWEN3_NEXT_80B, "b·(24,576·n + 77,856,768)", 178_520_064),
}


@pytest.mark.parametrize(("config", "formula", "size"), MODELS.values(), ids=MODELS)
def test_published_models_have_the_bytes_that_transformers_keeps(config, formula, size):
    data = cache(resolve(config), 4096).data
    assert (data["formula"], data["bytes"]) == (formula, size)


@pytest.mark.parametrize(
    ("convention", "tokens", "size"),
    [
        ("dynamic", 1, 49_152),
        ("dynamic", 127, 24_576 * (127 + 127)),
        ("dynamic", 128, 24_576 * (128 + 127)),
        ("static", 127, 24_576 * (127 + 127)),
        ("static", 129, 24_576 * (129 + 128)),
        ("full", 129, 24_576 * (129 + 129)),
    ],
)
def test_a_window_of_128_tokens_is_kept_as_the_convention_says(convention, tokens, size):
    assert cache(resolve(GPT_OSS_20B), tokens, convention=convention).data["bytes"] == size


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
    ("given", "reason"),
    [
        ({"tokens": 0}, "the number of tokens is 0: give a number from 1 to 1,000,000,000,000"),
        ({"tokens": 10**12 + 1}, "give a number from 1 to 1,000,000,000,000"),
        ({"tokens": True}, "the number of tokens is True, which is not of the type int"),
        ({"tokens": 1.5}, "not of the type int"),
        ({"batch": -1}, "the batch is -1: give a number from 1"),
        ({"dtype": "bfloat61"}, "no dtype is named 'bfloat61': did you mean bfloat16"),
        ({"dtype": "int4"}, "give a dtype of at least a byte, such as float8"),
        ({"convention": "statik"}, "no convention is named 'statik': did you mean static"),
    ],
)
def test_other_numbers_and_names_are_refused(given, reason):
    with pytest.raises(InvalidInput, match=reason):
        cache(resolve(LLAMA_3_1_8B), **{"tokens": 8, **given})


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (BERT, "BertForMaskedLM keeps no cache"),
        (FLAN_T5_SMALL, "what the layers of T5ForConditionalGeneration keep is not known"),
        ({**LLAMA_3_1_8B, "architectures": ["LlamaForTokenClassification"]}, "is not known"),
        ({"model_type": "mistral", "sliding_window": 1}, "sliding_window is 1"),
        ({"model_type": "gpt_bigcode", "multi_query": False}, "keep with multi_query=False is not"),
        ({"model_type": "qwen3_next", "layer_types": ["odd"] * 48}, "'odd'|refuses"),
        (
            {**LLAMA_3_1_8B, "per_layer_config": {"3": {"num_key_value_heads": 4}}},
            "per_layer_config",
        ),
    ],
)
def test_models_of_which_the_cache_is_not_known_are_refused(config, reason):
    with pytest.raises(ValueError, match=reason):
        cache(resolve(config), 8)
