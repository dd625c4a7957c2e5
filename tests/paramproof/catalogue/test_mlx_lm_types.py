"""Model types that transformers does not have, counted as mlx-lm builds them."""

import pytest

from paramproof.catalogue import entry, model_types, read_type
from paramproof.catalogue.names import has_type, transformers_types

MIMO = {
    "model_type": "mimo",
    "architectures": ["MiMoForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 151680,
    "rms_norm_eps": 1e-05,
}


def test_every_type_that_transformers_lacks_is_of_mlx_lm():
    others = [name for name in model_types() if not has_type(name)]
    assert {read_type(name).library for name in others} == {"mlx-lm"}
    assert len(others) == 11
    assert {*transformers_types(), *others} == {*model_types()}
    assert read_type("llama").library == "transformers"


def test_the_formula_is_fitted_and_names_mlx_lm():
    derivation = entry(MIMO).derivation
    assert derivation.status == "fitted"
    assert {*derivation.evidence.versions} == {"mlx", "mlx-lm"}


def test_tied_embeddings():
    head = MIMO["hidden_size"] * MIMO["vocab_size"]
    assert entry(MIMO | {"tie_word_embeddings": True}).count == entry(MIMO).count - head


def test_a_size_that_mlx_lm_requires_must_be_given():
    def without(name):
        return {key: value for key, value in MIMO.items() if key != name}

    with pytest.raises(ValueError, match="hidden_size is absent"):
        entry(without("hidden_size"))
    assert entry(without("rms_norm_eps")).count == entry(MIMO).count


def test_sizes_that_mlx_lm_refuses():
    with pytest.raises(ValueError, match="mlx-lm refuses other sizes"):
        entry(MIMO | {"hidden_size": 8})


def test_another_class_of_the_publisher():
    with pytest.raises(ValueError, match=r"mimo of mlx-lm 0.* does not have the class 'MiMoModel'"):
        entry(MIMO | {"architectures": ["MiMoModel"]})
