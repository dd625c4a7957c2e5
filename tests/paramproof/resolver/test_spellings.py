"""Configurations of other programs are read as those of transformers, or refused with the key."""

import pytest

from paramproof.formulas import closed_form
from paramproof.formulas.errors import InvalidInput
from paramproof.resolver import resolve
from paramproof.resolver.spellings import as_transformers
from tests.configs import (
    BAIDU,
    BERT,
    CDIAL_GPT,
    DIALOGPT,
    ELECTRA,
    ERNIE,
    FOUND,
    GOOGLE,
    GPT2,
    LLAMA,
    RELORA,
    ROBERTA,
    UNNAMED,
    read,
    without,
)

META, LLAMA_3, MISTRAL, MIXTRAL = read("META", "LLAMA_3", "MISTRAL", "MIXTRAL")
MAMBA, MAMBA_2 = read("MAMBA", "MAMBA_2")
MEGATRON, QWEN_2, MEGATRON_GPT = read("MEGATRON", "QWEN_2", "MEGATRON_GPT")


@pytest.mark.parametrize(
    ("keys", "read_as", "count"),
    # The counts are those that the publishers, or files of safetensors on the Hub, state.
    [
        (META | {"vocab_size": 32000}, "llama", 6_738_415_616),
        (LLAMA_3 | {"ffn_dim_multiplier": 1.3}, "llama", 8_030_261_248),
        (MISTRAL | {"sliding_window": 4096}, "mistral", 7_241_732_096),
        (MISTRAL | {"model_type": "transformer"}, "mistral", 7_241_732_096),
        (MIXTRAL, "mixtral", 46_702_792_704),
        (MAMBA, "mamba", 129_135_360),
        (MAMBA_2, "mamba2", 128_989_632),
        (MEGATRON | {"qk_layernorm": True}, "qwen3", 596_049_920),
        (QWEN_2 | {"add_qkv_bias": True}, "qwen2", 494_032_768),
        (MEGATRON | {"padded_vocab_size": 128256}, "llama", None),
        (MEGATRON_GPT, "gpt2", 124_439_808),
        (DIALOGPT, "gpt2", 124_439_808),
        (BAIDU, "ernie", None),
        (GOOGLE, "bert", None),
        # Nothing but the keys by which the program is known.
        ({"n_embd": 12, "n_layer": 2, "n_head": 3, "vocab_size": 7}, "gpt2", None),
    ],
    ids=range(15),
)
def test_a_configuration_of_another_program(keys, read_as, count):
    found = resolve(keys)
    assert found.reading.model_type == read_as
    assert count in (None, found.inventory().total())
    (note,) = found.notes
    assert note.startswith(f"read as {read_as}: the keys are those of ")


def test_what_a_program_computes():
    """Megatron's width for gated layers without one, its defaults, and what ties the head."""
    gated = without(MEGATRON, "ffn_hidden_size", "kv_channels", "group_query_attention")
    keys, _ = as_transformers(gated)
    assert (keys["intermediate_size"], keys["head_dim"]) == (2688, 64)
    assert keys["num_key_value_heads"] == 16
    assert keys["tie_word_embeddings"] is True
    keys, _ = as_transformers(gated | {"untie_embeddings_and_output_weights": True})
    assert keys["tie_word_embeddings"] is False
    keys, _ = as_transformers(META | {"vocab_size": 32000, "dim": 8192, "multiple_of": 4096})
    assert keys["intermediate_size"] == 24576
    keys, _ = as_transformers(MAMBA_2 | {"ssm_cfg": {"layer": "Mamba2", "headdim": 128}})
    assert (keys["num_heads"], keys["vocab_size"]) == (12, 50288)


@pytest.mark.parametrize(
    ("keys", "key", "words"),
    [
        (META | {"vocab_size": -1}, "vocab_size", "-1 is not a size"),
        (META, "vocab_size", "is missing in Meta's params.json: the tokenizer has it"),
        (without(LLAMA_3, "multiple_of"), "multiple_of", "is missing"),
        (LLAMA_3 | {"moe_args": {}}, "moe_args", "may change the model"),
        (LLAMA_3 | {"ffn_dim_multiplier": "x"}, "intermediate_size", "cannot be computed"),
        (MISTRAL | {"vision_encoder": {"dim": 3}}, "vision_encoder", "may change the model"),
        (without(MISTRAL, "head_dim"), "head_dim", "is missing in Mistral's params.json"),
        (MIXTRAL | {"moe": {"num_experts_per_tok": 2}}, "moe.num_experts", "is missing"),
        (MAMBA | {"rms_norm": False}, "rms_norm", "mamba has True"),
        (MAMBA | {"attn_layer_idx": [3]}, "attn_layer_idx", "changes the model"),
        (MAMBA | {"ssm_cfg": {"layer": "Mamba3"}}, "ssm_cfg.layer", "mamba has 'Mamba1'"),
        (MEGATRON | {"num_experts": 8}, "num_experts", "changes the model"),
        (MEGATRON | {"normalization": "LayerNorm"}, "normalization", "llama has 'RMSNorm'"),
        (MEGATRON_GPT | {"swiglu": True}, "swiglu", "gpt2 has False"),
        (DIALOGPT | {"n_special": 3}, "n_special", "changes the model"),
        (DIALOGPT | {"block_size": 1024}, "model_type", "could mean nanoGPT"),
        (DIALOGPT | {"dff": 3072}, "model_type", "could mean CTRL"),
        (ELECTRA, "model_type", "could mean ALBERT or ELECTRA"),
        (CDIAL_GPT, "model_type", "could mean the first GPT"),
        (BAIDU | {"emb_size": 128}, "emb_size", "differ"),
        ({"emb_size": 128} | BAIDU, "hidden_size", "differ"),
        ({1: 2}, "model_type", "is missing"),
    ],
)
def test_a_file_that_does_not_decide_the_model(keys, key, words):
    with pytest.raises(InvalidInput) as caught:
        as_transformers(keys)
    assert caught.value.key == key
    assert words in caught.value.reason


def test_a_configuration_may_have_keys_of_files_of_other_kinds():
    for keys in ({"peft_type": "LORA"}, {"weight_map": {}}, {"bos_token": "<s>", "eos_token": ""}):
        assert as_transformers(BERT | keys)[0] == BERT | keys


FILES = FOUND | {name: keys for name, (keys, *_) in UNNAMED.items()}
COUNTS = {
    **{"gpt2-medium": 354_823_168, "hatebert": 109_514_298, "smollm": 134_515_008},
    **{"relora": 100_117_120, "early-roberta": 124_645_632, "early-bert": 177_853_440},
}
"""What num_parameters() of transformers' models returns."""


@pytest.mark.parametrize("name", COUNTS)
def test_a_known_count_of_a_public_file(name):
    found = resolve(FILES[name])
    assert found.inventory().total() == closed_form(found.names.spec.letters()) == COUNTS[name]


@pytest.mark.parametrize(("keys", "kind", "name"), UNNAMED.values(), ids=UNNAMED)
def test_a_file_without_a_model_type(keys, kind, name):
    found = resolve(keys)
    assert not found.reading.is_class_named
    named = keys | {"model_type": kind, "architectures": [name]}
    assert found.names.spec == resolve(named).names.spec


def test_a_file_of_baidu():
    assert as_transformers(BAIDU)[0] == BAIDU | {"model_type": "ernie", "intermediate_size": 3072}
    given = BAIDU | {"intermediate_size": 100, "use_task_id": False}
    assert as_transformers(given)[0]["intermediate_size"] == 100
    types = without(BAIDU, "type_vocab_size") | {"sent_type_vocab_size": 4}
    assert resolve(types).names.spec.type_vocab_size == 4
    assert as_transformers(BAIDU | {"emb_size": 768}) == as_transformers(BAIDU)


def test_an_older_name_of_a_class():
    found = resolve(RELORA)
    assert found.reading.is_class_named
    assert found.reading.class_name == "LlamaForCausalLM"
    assert found == resolve(RELORA, "LlamaForCausalLM") == resolve(RELORA, "LLaMAForCausalLM")


@pytest.mark.parametrize(
    "config", [BERT, ERNIE, ROBERTA, GPT2, LLAMA], ids=lambda c: c["model_type"]
)
def test_the_class_determines_the_type(config):
    assert as_transformers(without(config, "model_type")) == (config, ())
    assert resolve(without(config, "model_type")) == resolve(config)
    assert as_transformers(config)[0] is config


def test_the_spelling_of_a_model_type():
    keys, notes = as_transformers(LLAMA | {"model_type": "LLaMA"})
    assert (keys, notes) == (LLAMA, ("model_type 'LLaMA' is read as llama",))
    assert as_transformers(BERT | {"model_type": "XLM_roBERTa"})[0]["model_type"] == "xlm-roberta"
    assert as_transformers(BERT | {"model_type": "moe"}) == (BERT | {"model_type": "moe"}, ())
