"""Deliberately wrong models, as real PyTorch code, and the report on each."""

import pytest

from paramproof import check
from paramproof.builders import load
from paramproof.formulas import compare, inventory
from tests.frameworks.broken_torch import (
    SPEC,
    axes_swapped,
    bias_dropped,
    built,
    doubled,
    frozen,
    no_pooler,
    norm_shared,
    renamed,
    report_of,
    two_positions_more,
)
from tests.parity.families import SPECS

pytestmark = pytest.mark.framework("torch")

TRANSFORMER = SPECS["transformer"]
P, H = TRANSFORMER.max_position_embeddings, TRANSFORMER.hidden_size

NORM = "layers 0 and 1: feed_forward_layer_norm"
SHARED = "shares the storage of layers.0.attention_layer_norm"
FROZEN = "layers 0: attention.{query,key,value}.bias is frozen, but should be trainable: (18)"
EXPECTED = {
    bias_dropped: ["−10  layers 0 and 1: feed_forward.intermediate.bias is missing: (5)"],
    norm_shared: [
        f"−12  {NORM}.{leaf} is missing: (6); named layers.0.norm1.{name} ... in the model; "
        f"{SHARED}.{leaf}"
        for leaf, name in (("scale", "weight"), ("bias", "bias"))
    ],
    axes_swapped: [
        "0  layers 1: feed_forward.output.kernel has the shape (5, 6), not (6, 5); "
        "named layers.1.linear2.weight in the model"
    ],
    frozen: [f"−18  {FROZEN}; named layers.0.self_attn.in_proj_bias in the model"],
    renamed: [
        "+6  embeddings_norm.gain is unexpected: (6); no canonical name",
        "−6  embeddings.layer_norm.scale is missing: (6)",
    ],
    doubled: [
        f"+6  layers 0: norm3.{leaf} is unexpected: (6); no canonical name"
        for leaf in ("weight", "bias")
    ],
    no_pooler: ["−36  pooler.kernel is missing: (6, 6)", "−6  pooler.bias is missing: (6)"],
    two_positions_more: [
        "+12  embeddings.position_embeddings.weight has the shape (9, 6), not (7, 6); "
        "named position_embeddings.weight in the model"
    ],
}


@pytest.mark.parametrize("fault", EXPECTED, ids=lambda fault: fault.__name__)
def test_report(fault):
    encoder, nn = built()
    assert report_of(encoder).equal
    fault(encoder, nn)
    report = report_of(encoder)
    assert report.render().splitlines()[1:] == [f"  {said}" for said in EXPECTED[fault]]
    assert report.difference == sum(row.difference for row in report.rows)


def test_report_in_the_readme():
    from docs.writers.blocks import AGAIN, PAGES, block
    from paramproof.algebra.residual import explained
    from paramproof.algebra.symbols import FamilyArchitecture

    encoder, nn = built()
    bias_dropped(encoder, nn)
    sample = block("report", PAGES["readme"].read_text("utf-8"))
    report = explained(report_of(encoder), FamilyArchitecture.of(SPEC))
    assert sample == f"{report}\n", AGAIN


def test_a_trainable_table_of_sines_is_not_fixed():
    builder = load("torch")
    assert check(builder, TRANSFORMER).equal
    model = builder.build(TRANSFORMER)
    fixed = [weight for weight in model.weights() if not weight.trainable]
    assert [weight.shape for weight in fixed] == [(P, H), (P, H)]
    model.module.target_positions.weight.requires_grad_(True)
    (row,) = compare(inventory(TRANSFORMER.letters()), model.weights()).rows
    assert (row.kind, row.path) == (
        "wrong trainability",
        "decoder.embeddings.position_embeddings.weight",
    )
    assert row.difference == P * H


def test_unequal_parts_of_a_fused_projection():
    """With grouped queries, one weight has A heads of queries and G of keys and of values."""
    spec = SPECS["llama, grouped queries"]
    weights = load("torch").build(spec).weights()
    (fused,) = (w for w in weights if w.path == "layers.0.attention.query_key_value.weight")
    heads, groups = spec.num_attention_heads, spec.num_key_value_heads
    assert heads != groups
    assert fused.shape == ((heads + 2 * groups) * spec.head_dim, spec.hidden_size)
    assert [part.split(".")[-2] for part in fused.parts] == ["query", "key", "value"]


def test_weights_lists_frozen_ones_as_not_trainable():
    model = load("torch").build(SPEC)
    model.module.pooler.requires_grad_(False)
    frozen = {weight.path: weight.size for weight in model.weights() if not weight.trainable}
    assert frozen == {"pooler.weight": 6 * 6, "pooler.bias": 6}
