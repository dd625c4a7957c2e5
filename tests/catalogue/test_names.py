"""The names of keys and classes in the catalogue are those of transformers."""

import json

import pytest

from paramproof.catalogue.names import NAMES, has_class, has_type, type_keys, type_with_class

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from sweep.names import config_keys, exported_classes, read_names  # noqa: E402

WRITTEN = json.loads(NAMES.read_text("utf-8"))


def test_the_file_has_the_names_of_the_installed_release():
    found = read_names()
    assert found["transformers"] == WRITTEN["transformers"]
    assert found["keys"] == WRITTEN["keys"]
    assert found["types"].keys() == WRITTEN["types"].keys()
    changed = {
        one: (said, WRITTEN["types"][one])
        for one, said in found["types"].items()
        if said != WRITTEN["types"][one]
    }
    assert changed == {}


def test_keys_of_a_configuration_class():
    """They are its fields, their aliases, and names that it looks for."""
    from transformers import GPT2Config, Qwen2Config

    assert {"n_embd", "hidden_size", "scale_attn_weights", "vocab_size"} <= config_keys(GPT2Config)
    assert "n_ctx" not in config_keys(GPT2Config)
    assert "max_window_layers" in config_keys(Qwen2Config)
    assert "hidden_sise" not in config_keys(GPT2Config)


def test_classes_of_a_model_type():
    found = exported_classes("bert")
    assert {"BertModel", "BertForNextSentencePrediction", "BertForMultipleChoice"} <= found
    assert not {"BertSelfAttention", "GPT2Model", "load_tf_weights_in_bert"} & found


def test_types_and_classes_of_transformers():
    assert has_type("bert")
    assert not has_type("kimi_k2")
    assert has_class("bert", "BertForMultipleChoice")
    assert has_class("bert", "BertModel")
    assert not has_class("bert", "GPT2Model")
    assert not has_class("kimi_k2", "BertModel")
    assert "output_attentions" in type_keys("bert")
    assert type_with_class("BertForMultipleChoice") == "bert"
    assert type_with_class("GPT2LMHeadModel") == "gpt2"
    assert type_with_class("NobodysModel") is None
