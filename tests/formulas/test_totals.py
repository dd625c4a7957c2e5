"""Totals of named models, computed by hand as numbers and products, without our formulas."""

import pytest

from paramproof.formulas import inventory
from paramproof.formulas.models import named_model
from tests import literals

V, H, F = 37_000, 512, 2_048
ENCODER_LAYER = 4 * H * H + (H * F + F) + (F * H + H) + 2 * 2 * H
DECODER_LAYER = 2 * 4 * H * H + (H * F + F) + (F * H + H) + 3 * 2 * H
TRANSFORMER_BASE = V * H + 6 * ENCODER_LAYER + 6 * DECODER_LAYER

H, F = 1_024, 4_096
ENCODER_LAYER = 4 * H * H + (H * F + F) + (F * H + H) + 2 * 2 * H
DECODER_LAYER = 2 * 4 * H * H + (H * F + F) + (F * H + H) + 3 * 2 * H
TRANSFORMER_BIG = V * H + 6 * ENCODER_LAYER + 6 * DECODER_LAYER

V, H, F, P = 5_395, 512, 2_048, 33
BIASES = 4 * H
ENCODER_LAYER = 4 * H * H + BIASES + (H * F + F) + (F * H + H) + 2 * 2 * H
DECODER_LAYER = 2 * (4 * H * H + BIASES) + (H * F + F) + (F * H + H) + 3 * 2 * H
ONE_LAYER = V * H + ENCODER_LAYER + DECODER_LAYER

V, H, F, P3 = 50_257, 12_288, 49_152, 2_048
GPT_LAYER = 4 * (H * H + H) + (H * F + F) + (F * H + H) + 2 * 2 * H
GPT3 = (V + P3) * H + 96 * GPT_LAYER + 2 * H

V, H, F, KEYS = 32_000, 8_192, 28_672, 8 * 128
LLAMA_LAYER = 2 * H * H + 2 * H * KEYS + 3 * H * F + 2 * H
LLAMA_2 = V * H + 80 * LLAMA_LAYER + H + V * H

BY_HAND = {
    "transformer-base": TRANSFORMER_BASE,
    "transformer-big": TRANSFORMER_BIG,
    "transformer-one-layer": ONE_LAYER,
    "gpt3-175b": GPT3,
    "llama-2-70b": LLAMA_2,
}


@pytest.mark.parametrize("model", BY_HAND)
def test_by_hand(model):
    spec = named_model(model).spec
    assert inventory(spec.letters()).total() == BY_HAND[model] == literals.TOTALS[model]


def test_the_header_of_the_one_layer_transformer():
    """10,152,448 includes two tables of fixed positions, 33 by 512 each."""
    model = named_model("transformer-one-layer")
    named = inventory(model.spec.letters())
    fixed = sum(tensor.size for tensor in named.expand() if not tensor.trainable)
    assert fixed == 2 * 33 * 512
    assert f"{named.total() + fixed:,}" == model.published == "10,152,448"


# Each layer's attention, by hand: four matrices and, except in LLaMA, four biases.
ATTENTIONS = {
    "gpt2": 4 * (768 * 768 + 768),
    "llama-7b": 4 * 4_096 * 4_096,
    "llama-3-8b": 2 * 4_096 * 4_096 + 2 * 4_096 * 1_024,
}


@pytest.mark.parametrize("model", ATTENTIONS)
def test_attention(model):
    letters = named_model(model).spec.letters()
    assert inventory(letters).total("layers.*.attention") == ATTENTIONS[model]
