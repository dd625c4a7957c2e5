"""The family that transformers has no class for, and a bias that only its BERT has."""

from dataclasses import asdict, replace

import pytest

from paramproof.builders import load
from paramproof.formulas import EncoderDecoderSpec, closed_form, compare, inventory
from tests.frameworks.transformers_configs import config_of, model_of
from tests.specs import SMALL_ENCODER

pytestmark = pytest.mark.framework("transformers")

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
