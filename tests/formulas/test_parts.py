"""Whether a native name belongs to a part of the model: yes, no, or unknown."""

import pytest

from paramproof.formulas.conventions import PARTS, Undecided, count
from paramproof.formulas.expression import expression
from paramproof.formulas.parts import TensorParts
from tests.derivations import MIXTURE, NUMBER, F, H, L, V, k, tensor, with_tensors

PROJECTION = tensor("h.*.fc.weight", F, H, times=L)


def parts(*tensors):
    """The parts of the first mixture."""
    return with_tensors(*tensors, PROJECTION).inventory().tensors[0].parts


@pytest.mark.parametrize(
    ("path", "shape", "part", "says"),
    [
        ("embed_tokens.weight", (V, H), "table", True),
        ("transformer.wte.weight", (V, H), "table", True),
        ("embeddings.position_embeddings", (expression(1), H, H), "table", True),
        ("embeddings.patch_embeddings.projection.weight", (H, H), "table", False),
        ("encoder.embedding_hidden_mapping_in.weight", (F, H), "table", False),
        ("lm_head.weight", (V, H), "table", False),
        ("output.weight", (V, H), "table", None),
        ("embedder.weight", (F, H), "table", None),
        ("relative_attention_bias.weight", (F, H), "table", False),
        ("embed.bias", (H,), "table", False),
        ("position_embeddings", (H,), "table", False),
        ("embeddings.bias", (F, H), "table", False),
        ("embed_norm.weight", (F, H), "table", False),
        ("backbone.position_embeddings", (F, H), "table", True),
        ("wpe.weight", (F, H), "position", True),
        ("encoder.embed_positions.weight", (F, H), "position", True),
        ("wte.weight", (V, H), "position", False),
        ("relative_attention_bias.weight", (F, H), "position", False),
        ("output.weight", (V, H), "position", None),
        ("relative_position_bias", (H,), "position", False),
        ("h.*.ln_1.weight", (H,), "norm", True),
        ("h.*.q_norm.weight", (F, H), "norm", True),
        ("h.*.input_layernorm.weight", (H,), "norm", True),
        ("bn.*.bias", (H,), "norm", True),
        ("h.*.fc.bias", (H,), "norm", False),
        ("h.*.A_log", (H,), "norm", False),
        ("h.*.last.weight", (H,), "norm", None),
        ("h.*.fc.bias", (H,), "bias", True),
        ("h.*.mlp.gate_up_proj_bias", (F, H), "bias", True),
        ("h.*.attention.bias_k", (expression(1), H), "bias", True),
        ("h.*.ln_1.bias", (H,), "bias", False),
        ("relative_position_bias_table", (F, H), "bias", False),
        ("h.*.fc.b", (H,), "bias", None),
        ("h.*.fc.b", (F, H), "bias", False),
        ("h.*.fc.beta", (H,), "bias", None),
        ("h.*.fc.scale", (H,), "bias", False),
        ("bert.pooler.dense.weight", (H, H), "pooler", True),
        ("h.*.fc.weight", (H, H), "pooler", False),
        ("attention_pool.weight", (H, H), "pooler", None),
        ("lm_head.weight", (V, H), "head", True),
        ("cls.predictions.dense.weight", (H, H), "head", True),
        ("h.*.fc.weight", (H, H), "head", False),
        ("embed_tokens.weight", (V, H), "head", False),
        ("transformer.wte.weight", (V, H), "head", False),
        ("final_layer_norm.weight", (H,), "head", False),
        ("pooler.dense.weight", (H, H), "head", False),
        ("project.weight", (H, H), "head", None),
        ("h.*.attention.*.weight", (H, H), "layer", True),
        ("project.weight", (H, H), "layer", False),
        ("stem.*.weight", (H, H), "layer", None),
    ],
)
def test_whether_a_name_belongs_to_a_part(path, shape, part, says):
    assert getattr(parts(tensor(path, *shape)), part) is says


def test_any_name_of_a_storage_may_decide():
    """T5's table is called shared, and is; a bias may be beside its matrix under another name."""
    shared = tensor("shared.weight", V, H, aliases=("encoder.embed_tokens.weight",))
    assert parts(shared).table is True
    decoder = tensor("embed_tokens.weight", V, H, aliases=("cls.decoder.weight",))
    bias = tensor("cls.bias", V, aliases=("cls.decoder.bias",))
    assert parts(bias, decoder)[2:4] == (True, False)
    assert parts(tensor("cls.bias", V))[2:4] == (None, None)


@pytest.mark.parametrize(("name", "part"), [("g", "norm"), ("b", "bias")])
def test_one_name_may_decide_what_another_leaves_open(name, part):
    assert getattr(parts(tensor(f"last.{name}", H)), part) is None
    named = with_tensors(tensor(f"last.{name}", H, aliases=("other.A_log",))).inventory()
    assert [getattr(one.parts, part) for one in named] == [False, False]


def test_a_number_of_layers_that_did_not_vary():
    """A list of modules is not a head; whether it is a list of layers is unknown."""
    fixed = tensor("trunk.h.*.weight", H, H, times=expression(3))
    assert parts(tensor("trunk.last.weight", H, H), fixed).head is False
    assert parts(fixed)[5:] == (False, None)
    assert parts(tensor("trunk.last.weight", H, H)).head is None
    single = tensor("trunk.h.*.weight", H, H, times=expression(1))
    assert parts(tensor("trunk.last.weight", H, H), single).head is None


def test_names_that_no_rule_covers_are_unknown():
    assert parts(PROJECTION) == TensorParts(layer=True)


def test_conventions():
    named = MIXTURE.inventory(MIXTURE.sizes)
    lost = {name: NUMBER - count(named, "trainable", name) for name in PARTS}
    table, biases, norms, head = 50 * 8, 5 * 8, 5 * 8, 3 * 8
    without = (table, 0, biases, norms, biases + norms, 0, head)
    only = (table + head, NUMBER - table, NUMBER - norms, NUMBER - biases)
    assert [*lost.values()] == [*without, *only]
    assert count(MIXTURE.inventory(), "trainable", "embeddings-only") == V * H
    assert count(MIXTURE.inventory(), "trainable", "without-heads") == MIXTURE.formula - k * H


def test_an_undecidable_convention_is_refused():
    named = with_tensors(tensor("h.*.last.weight", H, times=L), PROJECTION).inventory()
    line = r"^norms-only cannot be decided: h\.\*\.last\.weight may or may not be part of a norm"
    with pytest.raises(Undecided, match=line):
        count(named, "trainable", "norms-only")
    assert count(named, "trainable", "without-heads") == named.total()
