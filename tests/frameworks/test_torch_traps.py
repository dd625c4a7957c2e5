"""Common miscounts in PyTorch, and by how much each one is off."""

from dataclasses import replace

import pytest

from paramproof.formulas import closed_form
from tests.specs import SMALL_ENCODER as SPEC

pytestmark = pytest.mark.framework("torch")

L, H, _, F, V, *_ = SPEC.letters()


def entries(tensors):
    return sum(tensor.numel() for tensor in tensors)


def build_encoder(spec=SPEC):
    from paramproof.builders import load

    return load("torch").build(spec)


@pytest.fixture
def nn():
    import torch

    with torch.device("meta"):
        yield torch.nn


@pytest.mark.parametrize("tied", [True, False])
def test_state_dict_lists_a_tied_matrix_twice(tied):
    module = build_encoder(replace(SPEC, mlm_head=True, tie_word_embeddings=tied)).module
    surplus = entries(module.state_dict().values()) - entries(module.parameters())
    assert surplus == (V * H if tied else 0)


@pytest.mark.parametrize("persistent", [True, False])
def test_a_buffer_is_not_a_parameter_but_in_state_dict_if_persistent(nn, persistent):
    import torch

    module = nn.Linear(H, F)
    module.register_buffer("scale", torch.ones(V), persistent=persistent)
    assert entries(module.parameters()) == H * F + F
    assert entries(module.buffers()) == V
    assert entries(module.state_dict().values()) == H * F + F + (V if persistent else 0)


def test_the_statistics_of_a_batch_norm_are_buffers(nn):
    norm = nn.BatchNorm1d(H)
    assert entries(norm.parameters()) == 2 * H
    # A mean and a variance for each feature, and one count of the batches seen.
    assert entries(norm.state_dict().values()) == 2 * H + 2 * H + 1


def test_parameters_keeps_frozen_ones():
    model = build_encoder()
    model.module.pooler.requires_grad_(False)
    whole, pooler = closed_form(SPEC.letters()), H * H + H
    assert entries(model.module.parameters()) == whole
    assert entries(p for p in model.module.parameters() if p.requires_grad) == whole - pooler


def test_weights_lists_frozen_ones_as_not_trainable():
    model = build_encoder()
    model.module.pooler.requires_grad_(False)
    frozen = {weight.path: weight.size for weight in model.weights() if not weight.trainable}
    assert frozen == {"pooler.weight": H * H, "pooler.bias": H}


def test_parameters_drops_the_duplicates_of_a_shared_module(nn):
    shared = nn.Linear(H, H)
    module = nn.Sequential(shared, shared, shared)
    each = H * H + H
    assert entries(module.parameters()) == each
    assert entries(p for _, p in module.named_parameters(remove_duplicate=False)) == 3 * each
    assert entries(module.state_dict().values()) == 3 * each


def test_a_list_of_one_layer_shares_it_and_transformer_encoder_copies_it(nn):
    layer = nn.TransformerEncoderLayer(H, 3, F)
    each = 4 * H * H + 9 * H + 2 * H * F + F
    # Nested tensors need an even number of heads, and PyTorch warns about it.
    stack = nn.TransformerEncoder(layer, L, enable_nested_tensor=False)
    assert entries(nn.ModuleList([layer] * L).parameters()) == each
    assert entries(stack.parameters()) == L * each


def test_bias_false_also_removes_the_biases_of_the_norms(nn):
    """4H in attention, F + H in the feed-forward network, and 2H in two norms."""
    counts = [
        entries(nn.TransformerEncoderLayer(H, 3, F, bias=bias).parameters())
        for bias in (True, False)
    ]
    assert counts[0] - counts[1] == 4 * H + F + H + 2 * H


def test_attention_with_a_width_of_its_own_for_keys_is_not_fused(nn):
    """With another kdim there are three matrices in place of one, and in_proj_weight is None."""
    fused, split = nn.MultiheadAttention(H, 3), nn.MultiheadAttention(H, 3, kdim=F)
    assert entries(split.parameters()) - entries(fused.parameters()) == H * F - H * H
    assert "in_proj_weight" in dict(fused.named_parameters())
    assert "in_proj_weight" not in dict(split.named_parameters())
