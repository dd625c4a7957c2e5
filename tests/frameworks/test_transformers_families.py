"""Decoders of transformers beside ours in PyTorch, and the family it has no class for."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from paramproof.builders import load
from paramproof.formulas import EncoderDecoderSpec, closed_form, compare, inventory
from paramproof.weights.transfer import transfer
from tests.frameworks.modules import torch
from tests.frameworks.transformers_configs import config_of, model_of
from tests.parity.cases import SPECS
from tests.specs import SMALL_ENCODER

pytestmark = pytest.mark.framework("transformers")

P, H = 7, 6


@pytest.mark.parametrize("name", ["gpt", "gpt, untied", "llama, grouped queries"])
def test_the_same_weights_give_the_same_outputs(name):
    """Neither is the reference: transformers' model gets the weights that PyTorch initialised."""
    torch.manual_seed(0)
    spec = SPECS[name]
    ours, theirs = (load(framework).build(spec, allocate=True) for framework in FRAMEWORKS)
    transfer(ours, theirs, spec)
    ids = np.array([[3, 4, 5, 6], [7, 7, 1, 0]])
    found, expected = theirs.run(ids), ours.run(ids)
    for kind in ("sequence", "lm"):
        assert np.abs(getattr(found, kind) - getattr(expected, kind)).max() < 1e-5
    assert np.abs(expected.sequence).max() > 0.1


FRAMEWORKS = ("torch", "transformers")


@pytest.mark.parametrize("name", ["gpt", "gpt, untied"])
def test_a_fused_kernel_is_stored_in_out(name):
    """``Conv1D``: unlike ``nn.Linear``, GPT-2's kernels, q, k and v in one, are not transposed."""
    weights = load("transformers").build(SPECS[name]).weights()
    (fused,) = (w for w in weights if w.path.endswith("h.0.attn.c_attn.weight"))
    assert (fused.shape, fused.layout, len(fused.parts)) == ((H, 3 * H), (), 3)


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
