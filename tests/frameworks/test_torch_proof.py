"""Wrong models, as real PyTorch code, and the difference that each one has, as algebra.

The derivation and the report on one model must give the same residual.
"""

import pytest

from paramproof import check
from paramproof.algebra.residual import explained, lines
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.formulas import EncoderSpec, inventory
from paramproof.verify.proof import proofs, read, residuals
from tests.cases import case_of
from tests.frameworks.broken_torch import (
    bias_dropped,
    no_pooler,
    norm_shared,
    two_positions_more,
)

pytestmark = pytest.mark.framework("torch")

SPEC = EncoderSpec(
    vocab_size=31,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=17,
    max_position_embeddings=9,
    type_vocab_size=5,
)
ENCODER = case_of("encoder", "pooler")
LETTERS = ENCODER.letters


def key_bias_dropped(encoder, nn):
    for layer in encoder.layers:
        attention = layer.self_attn
        attention.in_proj_bias = nn.Parameter(attention.in_proj_bias[: 2 * attention.embed_dim])


def gate_per_head(encoder, nn):
    from torch import empty

    for layer in encoder.layers:
        layer.gate = nn.Parameter(empty(layer.self_attn.num_heads))


RESIDUALS = {
    key_bias_dropped: ("−L·H", "attention.{query,key,value}.bias"),
    bias_dropped: ("−L·F", "feed_forward.intermediate.bias"),
    norm_shared: ("−2·L·H", "feed_forward_layer_norm"),
    no_pooler: ("−H² − H", "pooler"),
    two_positions_more: ("2·H", "embeddings.position_embeddings.weight"),
    gate_per_head: ("L·A", "gate"),
}


class Wrong:
    """The PyTorch builder, with a fault in every model."""

    supports = staticmethod(lambda spec: True)

    def __init__(self, fault):
        self.fault = fault

    def build(self, spec):
        import torch

        from paramproof.builders.frameworks.torch import Encoder, TorchModel
        from paramproof.formulas import Numerics

        with torch.device("meta"):
            encoder = Encoder(spec, Numerics())
            self.fault(encoder, torch.nn)
        return TorchModel(encoder)


@pytest.mark.parametrize("fault", RESIDUALS, ids=lambda fault: fault.__name__)
def test_residual_of_a_derivation(fault):
    tensors = read(Wrong(fault), ENCODER).tensors
    residual, component = RESIDUALS[fault]
    found = lines(residuals(tensors, LETTERS), inventory(LETTERS))
    assert found == [f"actual − formula = {residual}   {component}"]


@pytest.mark.parametrize("fault", RESIDUALS, ids=lambda fault: fault.__name__)
def test_residual_of_a_report(fault):
    residual, component = RESIDUALS[fault]
    report = explained(check(Wrong(fault), SPEC), FamilyArchitecture.of(SPEC))
    assert report.splitlines()[-1] == f"actual − formula = {residual}   {component}"


def test_no_fault():
    """The residuals above come from the faults, and not from how they are planted."""
    wrong = Wrong(lambda encoder, nn: None)
    assert residuals(read(wrong, ENCODER).tensors, LETTERS) == []


def head_with_a_bias(module, nn, torch, spec):
    module.lm_head.bias = nn.Parameter(torch.empty(spec.vocab_size))


def norm_at_the_end(module, nn, torch, spec):
    module.end = nn.LayerNorm(spec.hidden_size)


def gate_in_every_layer(module, nn, torch, spec):
    for layer in module.layers:
        layer.gate = nn.Parameter(torch.empty(spec.num_key_value_heads, spec.head_dim))


def frozen_below(module, nn, torch, spec):
    if spec.vocab_size < 30_000:
        module.lm_head.weight.requires_grad_(False)


OF_FAMILIES = {
    ("encoder-decoder", norm_at_the_end): "actual − formula = 2·H",
    ("gpt", head_with_a_bias): "actual − formula = V   lm_head.bias",
    ("gpt", norm_at_the_end): "actual − formula = 2·H",
    ("gpt", frozen_below): "holds only where V < 30000: else other tensors are created",
    ("llama", norm_at_the_end): "actual − formula = 2·H",
    ("llama", gate_in_every_layer): "actual − formula = L·G·K   gate",
}


@pytest.mark.parametrize(
    ("family", "fault"), OF_FAMILIES, ids=lambda one: getattr(one, "__name__", one)
)
def test_a_proof_of_a_wrong_model_says_what_is_wrong(family, fault):
    import torch

    from paramproof.builders.frameworks.torch import MODULES, TorchModel
    from paramproof.builders.registry import framework

    class Faulty:
        supports = staticmethod(lambda spec: True)

        def build(self, spec):
            with torch.device("meta"):
                module = MODULES[type(spec)](spec, spec.original_numerics)
                fault(module, torch.nn, torch, spec)
            return TorchModel(module)

    (proof,) = proofs(framework("torch"), Faulty(), (family,))
    assert proof.status == "different"
    assert any(OF_FAMILIES[family, fault] in finding for finding in proof.findings)
