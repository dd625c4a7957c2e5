"""The named tensors: their tree, their sums at any depth, their sources."""

from dataclasses import replace

import pytest
from hypothesis import given

from builders.strategies import encoder_specs
from formulas import Letters, inventory
from formulas.models import named_model
from tests import literals
from tests.formulas.test_spec import SPEC

BASE = inventory(named_model("bert-base").spec.letters())

# Source 000 prints these for bert-base-uncased.
SUBTOTALS = {
    "embeddings": 23_837_184,
    "embeddings.word_embeddings": 23_440_896,
    "embeddings.position_embeddings.weight": 393_216,
    "layers": 85_054_464,
    "layers.*": literals.BERT_BASE_LAYER,
    "layers.*.attention": literals.ATTENTION_LAYER,
    "layers.*.attention.query.kernel": 589_824,
    "layers.*.feed_forward.intermediate.bias": 3_072,
    "pooler": 590_592,
    "": literals.TOTALS["bert-base-uncased"],
}


@pytest.mark.parametrize("component", SUBTOTALS)
def test_subtotals(component):
    assert BASE.total(component) == SUBTOTALS[component]


@given(encoder_specs())
def test_components_add_up(spec):
    named = inventory(spec.letters())

    def assert_sum(component, times):
        below = named.components(component)
        if below and below != (component,):
            total = sum(named.total(path) for path in below) * times
            assert named.total(component) == total, component
            for path in below:
                assert_sum(path, 1 if path != "layers" else spec.num_hidden_layers)

    assert_sum("", 1)


@given(encoder_specs())
def test_expanding_keeps_the_sums(spec):
    named = inventory(spec.letters())
    expanded = named.expand()
    assert expanded.total() == named.total()
    for index in range(spec.num_hidden_layers):
        assert expanded.total(f"layers.{index}") == named.total("layers.*")
    paths = [tensor.path for tensor in expanded]
    assert len(set(paths)) == len(paths)
    assert not any("*" in path for path in paths)


def test_expanded_order_is_that_of_the_model():
    expanded = inventory(replace(SPEC, mlm_head=True, nsp_head=True).letters()).expand()
    components = [".".join(tensor.path.split(".")[:2]) for tensor in expanded]
    assert list(dict.fromkeys(components)) == [
        "embeddings.word_embeddings",
        "embeddings.position_embeddings",
        "embeddings.token_type_embeddings",
        "embeddings.layer_norm",
        "layers.0",
        "layers.1",
        "pooler.kernel",
        "pooler.bias",
        "mlm_head.dense",
        "mlm_head.layer_norm",
        "mlm_head.decoder",
        "nsp_head.classifier",
    ]


def test_every_path_and_shape():
    """The canonical names, which every framework's file maps its own to."""
    spec = replace(SPEC, num_hidden_layers=1, mlm_head=True, nsp_head=True)
    expanded = inventory(spec.letters()).expand()
    assert expanded.letters == spec.letters()
    shapes = {tensor.path: tensor.shape for tensor in expanded}
    assert shapes == literals.SHAPES
    assert list(shapes) == list(literals.SHAPES)


def test_components_of_each_depth():
    named = inventory(SPEC.letters())
    assert named.components() == ("embeddings", "layers", "pooler", "mlm_head", "nsp_head")
    assert named.components("layers") == ("layers.*",)
    assert named.components("layers.*") == (
        "layers.*.attention",
        "layers.*.attention_layer_norm",
        "layers.*.feed_forward",
        "layers.*.feed_forward_layer_norm",
    )
    assert named.components("pooler") == ("pooler.kernel", "pooler.bias")
    assert named.components("pooler.bias") == ()


def test_shapes_of_kernels_are_in_out():
    shapes = {tensor.path: tensor.shape for tensor in inventory(SPEC.letters()).expand()}
    assert shapes["layers.0.feed_forward.intermediate.kernel"] == (12, 5)
    assert shapes["layers.1.feed_forward.output.kernel"] == (5, 12)
    assert shapes["embeddings.word_embeddings.weight"] == (11, 12)


def test_absent_parts_are_absent():
    bare = inventory(replace(SPEC, pooler=False, num_hidden_layers=0).letters()).expand()
    assert {tensor.path.split(".")[0] for tensor in bare} == {"embeddings"}


def test_a_tied_decoder_adds_its_bias_only():
    tied = inventory(replace(SPEC, mlm_head=True).letters())
    untied = inventory(replace(SPEC, mlm_head=True, tie_word_embeddings=False).letters())
    assert tied.total("mlm_head.decoder") == 11
    assert untied.total("mlm_head.decoder") == 11 + 11 * 12
    (decoder,) = (t for t in tied.expand() if t.path == "mlm_head.decoder.weight")
    assert decoder.tied_to == "embeddings.word_embeddings.weight"
    (decoder,) = (t for t in untied.expand() if t.path == "mlm_head.decoder.weight")
    assert decoder.tied_to is None


def test_every_tensor_cites_its_source():
    everything = Letters(L=1, H=2, A=1, F=3, V=4, P=5, T=6, mlm=1, untied=1, nsp=1)
    for tensor in inventory(everything):
        assert "arXiv:" in tensor.source or "google-research/bert" in tensor.source, tensor.path


def test_unknown_component():
    with pytest.raises(KeyError, match=r"layers\.12"):
        BASE.total("layers.12")


def test_only_ints_expand():
    with pytest.raises(TypeError, match=r"^only an inventory in ints can be expanded$"):
        inventory(SPEC.letters()._replace(L=2.0)).expand()
