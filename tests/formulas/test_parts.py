"""Whether a native name belongs to a part of the model: yes, no, or unknown."""

import pytest

from paramproof.formulas.conventions import PARTS, Undecided, count
from paramproof.formulas.expression import expression
from paramproof.formulas.tensors import TensorParts
from tests.derivations import MIXTURE, NUMBER, F, H, L, V, k, tensor, with_tensors

PROJECTION = tensor("h.*.fc.weight", F, H, times=L)


def parts(*tensors):
    return with_tensors(*tensors, PROJECTION).inventory().tensors[0].parts


NAMES = {
    (V, H): """embed_tokens.weight transformer.wte.weight lm_head.weight output.weight""",
    (expression(1), H, H): "embeddings.position_embeddings",
    (expression(1), H): "h.*.attention.bias_k",
    (F, H): """embedder.weight relative_attention_bias.weight embeddings.bias embed_norm.weight
        encoder.embedding_hidden_mapping_in.weight backbone.position_embeddings wpe.weight
        encoder.embed_positions.weight h.*.q_norm.weight h.*.mlp.gate_up_proj_bias h.*.fc.b
        relative_position_bias_table""",
    (H, H): """embeddings.patch_embeddings.projection.weight bert.pooler.dense.weight h.*.fc.weight
        attention_pool.weight cls.predictions.dense.weight pooler.dense.weight project.weight
        h.*.attention.*.weight stem.*.weight""",
    (H,): """embed.bias position_embeddings relative_position_bias h.*.ln_1.weight h.*.ln_1.bias
        h.*.input_layernorm.weight bn.*.bias h.*.fc.bias h.*.A_log h.*.last.weight h.*.fc.b
        h.*.fc.beta h.*.fc.scale final_layer_norm.weight""",
}


def test_the_parts_that_a_name_belongs_to(snapshot):
    found = {}
    for shape, names in NAMES.items():
        for name in names.split():
            said = parts(tensor(name, *shape))._asdict()
            there = [part + "?" * (said[part] is None) for part in said if said[part] is not False]
            found[f"{name} ({', '.join(map(str, shape))})"] = ", ".join(there)
    assert found == snapshot


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
