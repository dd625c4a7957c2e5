"""Configurations without a model_type, or by other producers, are read like current ones."""

import pytest

from paramproof.formulas import closed_form
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import named_model
from paramproof.resolver import resolve
from paramproof.resolver.spellings import GOOGLE as OF_GOOGLE
from paramproof.resolver.spellings import as_transformers
from tests.configs import BAIDU, BERT, ERNIE, GOOGLE, GPT2, LLAMA, ROBERTA, without
from tests.found_configs import (
    CDIAL_GPT,
    DIALOGPT,
    ELECTRA,
    FOUND,
    GPT2_MEDIUM,
    RELORA,
    UNNAMED,
)


@pytest.mark.parametrize(
    ("name", "count"),
    # num_parameters() of transformers' models returns these.
    [
        ("gpt2-medium", 354_823_168),
        ("hatebert", 109_514_298),
        ("smollm", 134_515_008),
        ("relora", 100_117_120),
    ],
)
def test_a_known_count_of_a_public_file(name, count):
    found = resolve(FOUND[name])
    assert found.inventory().total() == closed_form(found.spec.letters()) == count


@pytest.mark.parametrize(
    ("name", "count"),
    [("dialogpt", 124_439_808), ("early-roberta", 124_645_632), ("early-bert", 177_853_440)],
)
def test_a_known_count_of_a_file_without_a_model_type(name, count):
    assert resolve(UNNAMED[name][0]).inventory().total() == count


@pytest.mark.parametrize(("keys", "kind", "name"), UNNAMED.values(), ids=UNNAMED)
def test_a_file_without_a_model_type(keys, kind, name):
    found = resolve(keys)
    assert not found.reading.is_class_named
    assert found.spec == resolve(keys | {"model_type": kind, "architectures": [name]}).spec


def test_a_file_of_google():
    found = as_transformers(GOOGLE)
    assert found == without(GOOGLE, *OF_GOOGLE) | {"model_type": "bert"}
    assert resolve(GOOGLE).spec == named_model("bert-base-chinese").spec
    assert resolve(GOOGLE).reading.unknown == ()


def test_a_file_of_baidu():
    found = as_transformers(BAIDU)
    assert found == BAIDU | {"model_type": "ernie", "intermediate_size": 3072}
    assert resolve(BAIDU).spec == named_model("ernie-1.0").spec
    given = BAIDU | {"intermediate_size": 100, "use_task_id": False}
    assert as_transformers(given)["intermediate_size"] == 100


def test_other_names_of_baidus_sizes():
    types = without(BAIDU, "type_vocab_size") | {"sent_type_vocab_size": 4}
    assert resolve(types).spec.type_vocab_size == 4
    assert as_transformers(BAIDU | {"emb_size": 768}) == as_transformers(BAIDU)
    for keys in (BAIDU | {"emb_size": 128}, {"emb_size": 128} | BAIDU):
        with pytest.raises(InvalidInput) as caught:
            as_transformers(keys)
        assert caught.value.key in ("emb_size", "hidden_size")


def test_a_file_of_the_first_release_of_gpt2():
    assert as_transformers(DIALOGPT) == DIALOGPT | {"model_type": "gpt2"}
    assert resolve(DIALOGPT).spec == named_model("gpt2").spec
    assert resolve(DIALOGPT).reading.class_name == "GPT2LMHeadModel"


def test_special_tokens_are_ignored():
    early = without(GPT2_MEDIUM, "model_type", "architectures")
    assert resolve(early).spec == resolve(GPT2_MEDIUM).spec == named_model("gpt2-medium").spec
    with pytest.raises(InvalidInput) as caught:
        resolve(early | {"n_special": 3})
    assert caught.value.key == "n_special"


def test_an_older_name_of_a_class():
    found = resolve(RELORA)
    assert found.reading.is_class_named
    assert found.reading.class_name == "LlamaForCausalLM"
    assert found == resolve(RELORA, "LlamaForCausalLM") == resolve(RELORA, "LLaMAForCausalLM")


@pytest.mark.parametrize(
    "config", [BERT, ERNIE, ROBERTA, GPT2, LLAMA], ids=lambda c: c["model_type"]
)
def test_the_class_determines_the_type(config):
    assert as_transformers(without(config, "model_type")) == config
    assert resolve(without(config, "model_type")) == resolve(config)
    assert as_transformers(config) is config


@pytest.mark.parametrize("model_type", [["bert"], 5, {}, True])
def test_a_model_type_that_is_not_a_name(model_type):
    with pytest.raises(InvalidInput) as caught:
        as_transformers(BERT | {"model_type": model_type})
    assert caught.value.key == "model_type"


@pytest.mark.parametrize(
    "keys",
    [ELECTRA, CDIAL_GPT, DIALOGPT | {"dff": 3072}, {"dim": 4096}, {"n_embd": 768}, {}],
    ids=["electra", "cdial-gpt", "ctrl", "params", "gpt2", "empty"],
)
def test_an_ambiguous_file_is_refused(keys):
    with pytest.raises(InvalidInput) as caught:
        resolve(keys)
    assert caught.value.key == "model_type"


def test_a_misspelt_model_type_is_not_an_early_bert():
    with pytest.raises(InvalidInput) as caught:
        as_transformers(without(BERT, "model_type", "architectures") | {"model_typ": "qwen3"})
    assert caught.value.key == "model_typ"


@pytest.mark.parametrize("key", ["num_key_value_heads", "rope_theta", "text_config"])
def test_a_newer_file_without_a_model_type_is_refused(key):
    with pytest.raises(InvalidInput) as caught:
        as_transformers(without(BERT, "model_type", "architectures") | {key: 4})
    assert caught.value.key == "model_type"
