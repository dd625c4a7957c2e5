"""Deliberately wrong models, as real PyTorch code: the report on each, and what a proof says."""

from dataclasses import replace

import pytest

from docs.writers.blocks import PAGES, block
from paramproof import check
from paramproof.algebra.residual import explained, lines
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders import load
from paramproof.builders.registry import framework
from paramproof.formulas import compare, inventory
from paramproof.verify.proof import proofs, read, residuals
from tests.cases import case_of
from tests.faults.in_frameworks import Faulty
from tests.frameworks.modules import torch
from tests.parity.cases import SPECS
from tests.specs import LIVE_ENCODER, SMALL_ENCODER

pytestmark = pytest.mark.framework("torch")

OTHERS = {"num_attention_heads": 4, "intermediate_size": 17}
SPEC = replace(LIVE_ENCODER, **OTHERS, max_position_embeddings=9, type_vocab_size=5)
ENCODER = case_of("encoder", "pooler")
LETTERS = ENCODER.letters


@pytest.mark.parametrize(
    "fault",
    [
        "intermediate bias dropped",
        "key bias dropped",
        "pooler forgotten",
        "norms of a layer shared",
        "norms doubled",
        "two positions more",
        "a gate for each head",
        "first layer frozen",
        "norm renamed",
    ],
)
def test_the_report_and_a_derivation_find_the_same_difference(fault, snapshot):
    wrong = Faulty(framework("torch"), fault)
    report = explained(check(wrong, SPEC), FamilyArchitecture.of(SPEC))
    assert report.splitlines()[1:] == snapshot
    total, *_ = lines(residuals(read(wrong, ENCODER).tensors, LETTERS), inventory(LETTERS))
    assert total == report.splitlines()[-1]


def test_a_trainable_table_of_sines_is_not_fixed():
    spec = SPECS["transformer"]
    model = load("torch").build(spec)
    shape = spec.max_position_embeddings, spec.hidden_size
    assert [one.shape for one in model.weights() if not one.trainable] == [shape, shape]
    model.module.target_positions.weight.requires_grad_(True)
    (row,) = compare(inventory(spec.letters()), model.weights()).rows
    assert (row.kind, row.path, row.difference) == (
        "wrong trainability",
        "decoder.embeddings.position_embeddings.weight",
        shape[0] * shape[1],
    )


def test_unequal_parts_of_a_fused_projection():
    """With grouped queries, one weight has A heads of queries and G of keys and of values."""
    spec = SPECS["llama, grouped queries"]
    weights = load("torch").build(spec).weights()
    (fused,) = (w for w in weights if w.path == "layers.0.attention.query_key_value.weight")
    heads, groups = spec.num_attention_heads, spec.num_key_value_heads
    assert heads != groups
    assert fused.shape == ((heads + 2 * groups) * spec.head_dim, spec.hidden_size)
    assert [part.split(".")[-2] for part in fused.parts] == ["query", "key", "value"]


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
    ("gpt", frozen_below): "actual − formula = −V·H   lm_head.weight",
    ("llama", norm_at_the_end): "actual − formula = 2·H",
    ("llama", gate_in_every_layer): "actual − formula = L·G·K   gate",
}


@pytest.mark.parametrize(
    ("family", "fault"), OF_FAMILIES, ids=lambda one: getattr(one, "__name__", one)
)
def test_a_proof_of_a_wrong_model_says_what_is_wrong(family, fault):
    from paramproof.builders.frameworks.torch import MODULES, TorchModel

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


def test_the_report_in_the_readme():
    wrong = Faulty(framework("torch"), "intermediate bias dropped")
    report = explained(check(wrong, SMALL_ENCODER), FamilyArchitecture.of(SMALL_ENCODER))
    assert block("report", PAGES["readme"].read_text("utf-8")) == f"{report}\n"
