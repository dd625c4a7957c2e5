"""Deliberately wrong models, as real PyTorch code, and the report on each."""

from dataclasses import replace

import pytest

from paramproof.formulas import inventory
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

pytestmark = pytest.mark.framework("torch")

EXPECTED = {
    bias_dropped: [
        "actual 690 − formula 700 = −10",
        "layers.*.feed_forward.intermediate.bias (x2)  missing  (5)  -  -  −10",
    ],
    norm_shared: [
        "actual 676 − formula 700 = −24",
        "layers.*.feed_forward_layer_norm.scale (x2)  missing  (6)  layers.0.norm1.weight ...  -"
        "  −12  shares the storage of layers.0.attention_layer_norm.scale",
        "layers.*.feed_forward_layer_norm.bias (x2)  missing  (6)  layers.0.norm1.bias ...  -"
        "  −12  shares the storage of layers.0.attention_layer_norm.bias",
    ],
    axes_swapped: [
        "actual 700 − formula 700 = 0",
        "layers.1.feed_forward.output.kernel  wrong shape  (6, 5)  layers.1.linear2.weight"
        "  (5, 6)  +0",
    ],
    frozen: [
        "actual 682 − formula 700 = −18",
        "layers.0.attention.{query,key,value}.bias  wrong trainability  (18)"
        "  layers.0.self_attn.in_proj_bias  (18)  −18  frozen",
    ],
    renamed: [
        "actual 700 − formula 700 = 0",
        "embeddings_norm.gain  unexpected  -  embeddings_norm.gain  (6)  +6  no canonical name",
        "embeddings.layer_norm.scale  missing  (6)  -  -  −6",
    ],
    doubled: [
        "actual 712 − formula 700 = +12",
        "layers.0.norm3.weight  unexpected  -  layers.0.norm3.weight  (6)  +6  no canonical name",
        "layers.0.norm3.bias  unexpected  -  layers.0.norm3.bias  (6)  +6  no canonical name",
    ],
    no_pooler: [
        "actual 658 − formula 700 = −42",
        "pooler.kernel  missing  (6, 6)  -  -  −36",
        "pooler.bias  missing  (6)  -  -  −6",
    ],
    two_positions_more: [
        "actual 712 − formula 700 = +12",
        "embeddings.position_embeddings.weight  wrong shape  (7, 6)  position_embeddings.weight"
        "  (9, 6)  +12",
    ],
}


def words(line):
    """Return the line with single spaces, whatever the widths of its columns."""
    return " ".join(line.split())


def test_the_model_to_break_is_correct():
    encoder, _ = built()
    assert report_of(encoder).equal


@pytest.mark.parametrize("fault", EXPECTED, ids=lambda fault: fault.__name__)
def test_report(fault):
    encoder, nn = built()
    fault(encoder, nn)
    totals, headings, *rows = report_of(encoder).render().splitlines()
    assert words(headings) == "component what expected native observed difference"
    assert [totals, *map(words, rows)] == [*map(words, EXPECTED[fault])]


def test_layers_shared():
    """Every tensor of the second layer is the first layer's, fused ones part by part."""
    encoder, _ = built()
    encoder.layers[1] = encoder.layers[0]
    report = report_of(encoder)
    layer = inventory(SPEC.letters()).total("layers.*")
    assert report.difference == -layer
    assert {row.kind for row in report.rows} == {"missing"}
    assert {row.component.split(".")[0] for row in report.rows} == {"layers"}
    assert len(report.rows) == 16
    notes = {row.path: row.note for row in report.rows}
    assert notes["layers.1.attention.key.kernel"] == (
        "shares the storage of layers.0.attention.key.kernel"
    )


def test_untied_where_the_spec_ties():
    tied = replace(SPEC, mlm_head=True)
    encoder, nn = built(tied)
    assert report_of(encoder, tied).equal
    encoder.mlm_decoder = nn.Linear(6, 11)
    (row,) = report_of(encoder, tied).rows
    assert (row.kind, row.path, row.difference) == ("unexpected", "mlm_head.decoder.weight", 66)


def test_report_in_the_readme():
    from docs.writers.blocks import AGAIN, block
    from docs.writers.readme import PAGE
    from paramproof.algebra.family_architecture import FamilyArchitecture
    from paramproof.algebra.residual import explained

    encoder, nn = built()
    bias_dropped(encoder, nn)
    sample = block("report", PAGE.read_text("utf-8"))
    report = explained(report_of(encoder), FamilyArchitecture.of(SPEC))
    assert sample == f"{report}\n", AGAIN
