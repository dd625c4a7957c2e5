"""Models of transformers: the families that their names identify, and what is transferred."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from paramproof.builders import load
from paramproof.formulas import (
    EncoderDecoderSpec,
    EncoderSpec,
    GPTSpec,
    LlamaSpec,
    closed_form,
    compare,
    inventory,
)
from paramproof.weights.transfer import build_with, canonical_weights, stored_tensors
from tests.bitwise import assert_same
from tests.frameworks.modules import torch
from tests.frameworks.transformers_configs import CLASSES, NO_IDS, SMALL, config_of, model_of
from tests.specs import SMALL_ENCODER, SPECS

pytestmark = pytest.mark.framework("transformers")

FAMILY = {
    "bert": EncoderSpec,
    "ernie": EncoderSpec,
    "roberta": EncoderSpec,
    "gpt2": GPTSpec,
    "llama": LlamaSpec,
    "mistral": LlamaSpec,
}
CLASSES_AND_KIN = [*CLASSES, ("mistral", "MistralForCausalLM")]


@pytest.mark.parametrize(("kind", "name"), CLASSES_AND_KIN)
def test_the_names_identify_the_family(kind, name):
    transformers = load("transformers")
    config = config_of({"model_type": kind, **SMALL[kind if kind in SMALL else "llama"]})
    model = transformers.HuggingFaceModel(model_of(config, name))
    assert model.family is transformers.FAMILIES[FAMILY[kind]]
    assert all(weight.parts for weight in model.weights())


def test_a_given_family_is_used():
    transformers = load("transformers")
    module = transformers.build(SPECS["gpt"]).module
    given = transformers.HuggingFaceModel(module, transformers.FAMILIES[LlamaSpec])
    assert not any(weight.parts for weight in given.weights())


def test_a_phi3_is_a_llama():
    """Fused queries, keys and values, and fused gate and up; the split weights compute the same."""
    from transformers import Phi3ForCausalLM

    spec = LlamaSpec(**SMALL["phi3"])
    torch.manual_seed(0)
    config = config_of({"model_type": "phi3", **SMALL["phi3"], **NO_IDS, "rms_norm_eps": 1e-6})
    config._attn_implementation = "eager"
    source = load("transformers").HuggingFaceModel(Phi3ForCausalLM(config))
    target = build_with(load("torch"), spec, canonical_weights(source, spec))
    assert_same(canonical_weights(target, spec), canonical_weights(source, spec))
    assert set(canonical_weights(target, spec)) == set(stored_tensors(spec))
    ids = np.array([[3, 4, 5, 36]])
    expected, found = source.run(ids), target.run(ids)
    assert np.abs(expected.sequence).max() > 0.1
    assert np.abs(found.sequence - expected.sequence).max() < 1e-5
    assert np.abs(found.lm - expected.lm).max() < 1e-5


P, H = 7, 6


@pytest.mark.parametrize("vocab_size", [11, 13])
def test_marian_counts_as_the_transformer_of_2017(vocab_size):
    """With biases in its attention, and both tables of sines frozen."""
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    layers = {"encoder_layers": 2, "decoder_layers": 1, "encoder_ffn_dim": 5, "decoder_ffn_dim": 5}
    ids = ("pad_token_id", "eos_token_id", "decoder_start_token_id", "forced_eos_token_id")
    keys = {"model_type": "marian", "vocab_size": vocab_size, "d_model": H, **heads, **layers}
    keys |= {"max_position_embeddings": P, **dict.fromkeys(ids, 0)}
    module = model_of(config_of(keys), "MarianMTModel")
    sizes = {"vocab_size": vocab_size, "hidden_size": H, "max_position_embeddings": P}
    sizes |= {"num_encoder_layers": 2, "num_decoder_layers": 1}
    spec = EncoderDecoderSpec(**sizes, num_attention_heads=2, intermediate_size=5)
    found = [(p.numel(), p.requires_grad) for p in module.parameters()]
    assert sum(size for size, trainable in found if trainable) == closed_form(spec.letters())
    assert sum(size for size, trainable in found if not trainable) == 2 * P * H
    assert "Marian" in load("transformers").supports(spec)


def test_an_untied_head_has_one_more_output_bias_than_the_formula():
    spec = replace(SMALL_ENCODER, pooler=False, mlm_head=True, tie_word_embeddings=False)
    own = {name: value for name, value in asdict(spec).items() if type(value) is int}
    keys = {"model_type": "bert", **own, "pad_token_id": None, "tie_word_embeddings": False}
    module = model_of(config_of(keys), "BertForMaskedLM")
    model = load("transformers").HuggingFaceModel(module)
    (row,) = compare(inventory(spec.letters()), model.weights()).rows
    assert (row.native, row.note, row.difference) == (
        "cls.predictions.decoder.bias",
        "mlm_head.decoder.bias: stored a second time",
        spec.vocab_size,
    )
