"""Configurations as they lie in public repositories: older, or written by somebody else."""

import pytest

from paramproof.formulas import closed_form
from paramproof.formulas.models import named_model
from paramproof.sources.configs import read_config, spec_of_config
from tests.configs import refusal, without
from tests.found_configs import (
    CDIAL_GPT,
    DIALOGPT,
    ELECTRA,
    FOUND,
    GPT2_MEDIUM,
    HATEBERT,
    RELORA,
    UNNAMED,
)


@pytest.mark.parametrize(
    ("name", "count"),
    # As num_parameters() of the models of transformers gives them.
    [
        ("gpt2-medium", 354_823_168),
        ("hatebert", 109_514_298),
        ("smollm", 134_515_008),
        ("relora", 100_117_120),
    ],
)
def test_a_known_count(name, count):
    assert closed_form(spec_of_config(FOUND[name]).letters()) == count


def test_special_tokens_are_read_as_none():
    assert spec_of_config(GPT2_MEDIUM) == named_model("gpt2-medium").spec
    assert refusal(GPT2_MEDIUM | {"n_special": 3}) == (
        "n_special=3 is not counted: each special token would have a row of its own"
    )


def test_an_older_name_of_a_class():
    read = read_config(RELORA)
    assert (read.architecture, read.assumed) == ("LlamaForCausalLM", False)
    assert (
        read == read_config(RELORA, "LlamaForCausalLM") == read_config(RELORA, "LLaMAForCausalLM")
    )
    assert read == read_config(without(RELORA, "model_type"))


@pytest.mark.parametrize(("keys", "kind", "name"), UNNAMED.values(), ids=UNNAMED)
def test_a_file_that_does_not_say_what_it_is(keys, kind, name):
    read = read_config(keys)
    assert read.assumed
    assert read.spec == spec_of_config(keys | {"model_type": kind, "architectures": [name]})


def test_a_key_of_a_training_loop():
    """As Thisen-Ekanayake/SinBERT has it, bert_config.json."""
    assert refusal(HATEBERT | {"mlm_probability": 0.15}) == (
        "'mlm_probability' is no known key of Hugging Face's BERT: it may change the "
        "count; if it does not, leave it out"
    )


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (ELECTRA, "embedding_size=768 is not counted: without model_type it may be ALBERT or ELE"),
        (CDIAL_GPT, "afn='gelu' is not counted: it would be the first GPT, which has no last norm"),
        (DIALOGPT | {"dff": 3072}, "dff=3072 is not counted: it would be CTRL"),
        ({"dim": 4096}, "'dim' is no known key of BERT (Google's, Baidu's, or any withou"),
        ({"n_embd": 768}, "vocab_size is missing, as a configuration of Hugging Face's GPT-2"),
    ],
    ids=["electra", "cdial-gpt", "ctrl", "params", "gpt2"],
)
def test_a_file_that_looks_like_another(keys, line):
    assert refusal(keys).startswith(line)
