"""Real sizes, up to 175 billion parameters, and the count that this project began with."""

from dataclasses import replace

import pytest

from paramproof import check
from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.formulas.models import named_model, named_models
from tests import literals

pytestmark = pytest.mark.shapes_only


@pytest.mark.expressed("model")
@pytest.mark.parametrize("model", named_models())
def test_named_model(abstract, model):
    spec = named_model(model).spec
    report = check(abstract, spec)
    assert report.equal, explained(report, FamilyArchitecture.of(spec))
    assert report.actual == literals.TOTALS[model]


def test_bert_base_with_both_heads(abstract):
    spec = replace(named_model("bert-base").spec, mlm_head=True, nsp_head=True)
    assert check(abstract, spec).actual == literals.BERT_BASE_WITH_BOTH_HEADS


def test_attention_layer_of_the_question(abstract):
    weights = abstract.build(named_model("keras-bert-question").spec).weights()
    assert [_size(weights, index, "attention") for index in range(12)] == (
        [literals.ATTENTION_LAYER] * 12
    )


def test_one_layer_of_bert_base(abstract):
    weights = abstract.build(named_model("bert-base").spec).weights()
    parts = ("attention", "attention_layer_norm", "feed_forward", "feed_forward_layer_norm")
    for index in range(12):
        assert sum(_size(weights, index, part) for part in parts) == literals.BERT_BASE_LAYER


def _size(weights, index, component):
    """Return the entries of the weights that belong entirely to one component of one layer."""
    inside = f"layers.{index}.{component}."
    stacked = f"layers.*.{component}."
    own = sum(w.size for w in weights if all(part.startswith(inside) for part in w.parts))
    shared = [w for w in weights if all(part.startswith(stacked) for part in w.parts)]
    return own + sum(w.size // w.shape[0] for w in shared)
