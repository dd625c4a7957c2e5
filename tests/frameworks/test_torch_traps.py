"""Common miscounts in PyTorch, and by how much each one is off."""

from dataclasses import replace

import pytest

from paramproof.builders import load
from paramproof.formulas import closed_form
from tests.specs import SMALL_ENCODER as SPEC

pytestmark = pytest.mark.framework("torch")

L, H, _, F, V, *_ = SPEC.letters()
DENSE = H * F + F
LAYER = 4 * H * H + 9 * H + 2 * H * F + F

COUNTS = {
    # A buffer is not a parameter, and in ``state_dict`` if it is persistent.
    "a persistent buffer": (DENSE, DENSE, DENSE + V),
    "another buffer": (DENSE, DENSE, DENSE),
    # Of a batch norm: a mean and a variance for each feature, and the number of batches seen.
    "batch norm": (2 * H, 2 * H, 2 * H + 2 * H + 1),
    "a frozen bias": (DENSE, DENSE - F, DENSE),
    "a shared module": (H * H + H, H * H + H, 3 * (H * H + H)),
    # A list of one layer shares it, and ``nn.TransformerEncoder`` copies it.
    "a list of one layer": (LAYER, LAYER, L * LAYER),
    "an encoder of one layer": (L * LAYER,) * 3,
    # bias=False also removes the biases of the norms: 4H in attention, F + H and 2H.
    "without biases": (LAYER - (4 * H + F + H + 2 * H),) * 3,
    # With another kdim there are three matrices in place of one.
    "keys of another width": (4 * (H * H + H) + H * F - H * H,) * 3,
}
"""The entries of ``parameters()``, of those that are trained, and of ``state_dict``."""


def modules():
    import torch
    from torch import nn

    with torch.device("meta"):
        persistent, other, frozen = (nn.Linear(H, F) for _ in range(3))
        persistent.register_buffer("scale", torch.ones(V))
        other.register_buffer("scale", torch.ones(V), persistent=False)
        frozen.bias.requires_grad_(False)
        shared, layer = nn.Linear(H, H), nn.TransformerEncoderLayer(H, 3, F)
        return {
            "a persistent buffer": persistent,
            "another buffer": other,
            "batch norm": nn.BatchNorm1d(H),
            "a frozen bias": frozen,
            "a shared module": nn.Sequential(shared, shared, shared),
            "a list of one layer": nn.ModuleList([layer] * L),
            # Nested tensors need an even number of heads, and PyTorch warns about it.
            "an encoder of one layer": nn.TransformerEncoder(layer, L, enable_nested_tensor=False),
            "without biases": nn.TransformerEncoderLayer(H, 3, F, bias=False),
            "keys of another width": nn.MultiheadAttention(H, 3, kdim=F),
        }


def entries(tensors):
    return sum(tensor.numel() for tensor in tensors)


def test_counts():
    def counts(module):
        trained = entries(p for p in module.parameters() if p.requires_grad)
        return entries(module.parameters()), trained, entries(module.state_dict().values())

    assert {name: counts(module) for name, module in modules().items()} == COUNTS
    assert "in_proj_weight" not in dict(modules()["keys of another width"].named_parameters())


@pytest.mark.parametrize("tied", [True, False])
def test_state_dict_lists_a_tied_matrix_twice(tied):
    module = load("torch").build(replace(SPEC, mlm_head=True, tie_word_embeddings=tied)).module
    surplus = entries(module.state_dict().values()) - entries(module.parameters())
    assert surplus == (V * H if tied else 0)


def test_weights_lists_frozen_ones_as_not_trainable():
    model = load("torch").build(SPEC)
    model.module.pooler.requires_grad_(False)
    assert entries(model.module.parameters()) == closed_form(SPEC.letters())
    frozen = {weight.path: weight.size for weight in model.weights() if not weight.trainable}
    assert frozen == {"pooler.weight": H * H, "pooler.bias": H}
