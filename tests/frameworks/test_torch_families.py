"""What PyTorch offers for the Transformer of 2017 and its successors, and where it differs."""

import pytest

from paramproof import check
from paramproof.formulas import compare, inventory
from tests.parity.families import SPECS

pytestmark = pytest.mark.framework("torch")

SPEC = SPECS["transformer"]
P, H = SPEC.max_position_embeddings, SPEC.hidden_size


@pytest.fixture
def nn():
    import torch

    with torch.device("meta"):
        yield torch.nn


def entries(module):
    return sum(parameter.numel() for parameter in module.parameters())


def layer_options():
    sizes = {"d_model": H, "nhead": 2, "dim_feedforward": SPEC.intermediate_size}
    return sizes | {"batch_first": True}


def test_a_transformer_ends_either_stack_in_a_norm(nn):
    """The paper's Transformer has no such norm, so we do not build it here."""
    layers = {"num_encoder_layers": 2, "num_decoder_layers": 1}
    whole = nn.Transformer(**layer_options(), **layers)
    encoder, decoder = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer
    stacks = 2 * entries(encoder(**layer_options())) + entries(decoder(**layer_options()))
    assert entries(whole) == stacks + 2 * 2 * H
    formula = inventory(SPEC.letters())
    assert stacks == formula.total("encoder.layers") + formula.total("decoder.layers")


def test_a_trainable_table_of_sines_is_not_fixed():
    from paramproof.builders import load

    builder = load("torch")
    assert check(builder, SPEC).equal
    model = builder.build(SPEC)
    fixed = [weight for weight in model.weights() if not weight.trainable]
    assert [weight.shape for weight in fixed] == [(P, H), (P, H)]
    model.module.target_positions.weight.requires_grad_(True)
    (row,) = compare(inventory(SPEC.letters()), model.weights()).rows
    assert (row.kind, row.path) == (
        "wrong trainability",
        "decoder.embeddings.position_embeddings.weight",
    )
    assert row.difference == P * H


def test_unequal_parts_of_a_fused_projection():
    """With grouped queries, one weight has A heads of queries and G of keys and of values."""
    from paramproof.builders import load

    spec = SPECS["llama, grouped queries"]
    weights = load("torch").build(spec).weights()
    (fused,) = (w for w in weights if w.path == "layers.0.attention.query_key_value.weight")
    heads, groups = spec.num_attention_heads, spec.num_key_value_heads
    assert heads != groups
    assert fused.shape == ((heads + 2 * groups) * spec.head_dim, spec.hidden_size)
    assert [part.split(".")[-2] for part in fused.parts] == ["query", "key", "value"]
