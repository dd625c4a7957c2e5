"""A live model is compared with a derived formula by names, or by shapes if names differ."""

import json
from dataclasses import replace

import pytest

from paramproof import assert_parameters, compare
from paramproof.formulas import Weight
from paramproof.matching import model_comparison
from paramproof.sources.live import live_weights
from tests.checkpoints import GROUPED
from tests.configs import BERT
from tests.derivations import MIXTURE, NUMBER, E, H, tensor, with_tensors
from tests.paramproof.matching.models import model

SHAPES = {
    "model.embed_tokens.weight": (50, 8),
    **{f"model.layers.{n}.norm.weight": (8,) for n in range(5)},
    **{f"model.layers.{n}.attention.weight": (8, 8) for n in range(5)},
    **{f"model.layers.{n}.attention.bias": (8,) for n in range(5)},
    **{f"model.layers.{n}.mlp.weight": (16, 8) for n in range(2)},
    **{f"model.layers.{n}.mlp.experts.{e}.weight": (16, 8) for n in (2, 3, 4) for e in range(4)},
    **{f"model.layers.{n}.mlp.router.weight": (4, 8) for n in (2, 3, 4)},
    "score.weight": (3, 8),
}


class Named(dict):
    """A model with weights of these shapes by name."""

    frozen = ("frozen.weight", "model.embed_positions.weight")


@pytest.fixture(autouse=True)
def reading(monkeypatch):
    """Read a ``Named`` as a framework's model is read, and other models as usual."""

    def read(model):
        if not isinstance(model, Named):
            return live_weights(model)
        return [Weight(path, shape, path not in model.frozen) for path, shape in model.items()]

    monkeypatch.setattr(model_comparison, "live_weights", read)


def rows(shapes):
    """Return the kind, the path, the shapes and the difference of each row."""
    found = compare(Named(shapes), MIXTURE)
    assert not found.equal
    return [
        (one.kind, one.path, one.expected or one.observed, one.difference) for one in found.rows
    ]


def test_by_names():
    found = compare(Named(SHAPES), MIXTURE)
    assert found.equal
    assert (found.actual, found.formula) == (NUMBER, NUMBER)
    assert found.notes[-1] == "tensors matched by name"
    assert found.render().splitlines()[:2] == [
        "MixtureForSequenceClassification, derived, at V = vocab_size = 50, H = hidden_size = 8, "
        "L = layers = 5, D = dense_layers = 2, F = ffn_dim = 16, E = experts = 4, "
        "k = num_labels = 3",
        f"actual {NUMBER:,} − formula {NUMBER:,} = 0",
    ]


def test_wrapped():
    found = compare(Named({f"module.{n}": s for n, s in SHAPES.items()}), MIXTURE)
    assert found.equal
    assert found.notes[-1] == "tensors matched by name"


def test_with_other_names():
    """Another framework's kernels are transposed, and no name occurs in the formula."""
    found = compare(model({n: shape[::-1] for n, shape in SHAPES.items()}), MIXTURE)
    assert found.equal
    assert found.notes[-1] == "tensors matched by shape"


LAYER = {
    "input_layernorm": (12,),
    "self_attn.q_proj": (24, 12),
    "self_attn.k_proj": (8, 12),
    "self_attn.v_proj": (8, 12),
    "self_attn.o_proj": (12, 24),
    "post_attention_layernorm": (12,),
    "mlp.gate_proj": (7, 12),
    "mlp.up_proj": (7, 12),
    "mlp.down_proj": (12, 7),
}

LLAMA = {
    "model.embed_tokens.weight": (29, 12),
    **{
        f"model.layers.{n}.{name}.weight": shape
        for n in range(GROUPED.num_hidden_layers)
        for name, shape in LAYER.items()
    },
    "model.norm.weight": (12,),
    "lm_head.weight": (29, 12),
}
"""The tensors of ``GROUPED`` in transformers, by name."""


@pytest.mark.parametrize("prefix", ["", "module.", "net."])
def test_a_family_with_the_names_of_transformers(prefix):
    found = compare(Named({f"{prefix}{n}": shape for n, shape in LLAMA.items()}), GROUPED)
    assert found.equal
    assert found.notes[-1] == "tensors matched by name"
    gate, down = (f"model.layers.1.mlp.{name}_proj.weight" for name in ("gate", "down"))
    swapped = LLAMA | {gate: LLAMA[down], down: LLAMA[gate]}
    found = compare(Named({f"{prefix}{n}": shape for n, shape in swapped.items()}), GROUPED)
    assert {(row.kind, row.native) for row in found.rows} == {
        ("wrong shape", f"{prefix}{gate}"),
        ("wrong shape", f"{prefix}{down}"),
    }


def test_a_family_with_other_names():
    """A few names that happen to be those of transformers do not count."""
    other = {n.replace("_proj", "").replace("layers", "h"): s for n, s in LLAMA.items()}
    assert "lm_head.weight" in other
    found = compare(Named(other), GROUPED)
    assert found.equal
    assert found.notes[-1] == "tensors matched by shape"


def test_fixed_tensors_need_not_be_stored():
    """If stored, it is not a difference; a frozen tensor that should be trainable is one."""
    assert compare(Named({**SHAPES, "model.embed_positions.weight": (9, 8)}), MIXTURE).equal
    other = {("frozen.weight" if n == "score.weight" else n): s for n, s in SHAPES.items()}
    assert rows(other) == [("missing", "score.weight", (3, 8), -24)]


def test_a_layer_without_its_norm():
    """With the formula's names, no other tensor of that shape takes its place."""
    fewer = {n: s for n, s in SHAPES.items() if n != "model.layers.3.norm.weight"}
    assert rows({**fewer, "extra": (8,)}) == [
        ("missing", "model.layers.3.norm.weight", (8,), -8),
        ("unexpected", "extra", (8,), 8),
    ]


def test_a_frozen_tensor_that_should_be_trainable(monkeypatch):
    monkeypatch.setattr(Named, "frozen", ("score.weight",))
    assert rows(SHAPES) == [("wrong trainability", "score.weight", (3, 8), -24)]


def test_another_shape():
    assert rows({**SHAPES, "score.weight": (8, 3)}) == [("wrong shape", "score.weight", (3, 8), 0)]


def test_an_extra_layer():
    extra = {"model.layers.5.attention.bias": (8,)}
    assert rows({**SHAPES, **extra}) == [("unexpected", "model.layers.5.attention.bias", (8,), 8)]


def test_missing_experts():
    fewer = {n: s for n, s in SHAPES.items() if ".experts.3." not in n}
    assert rows(fewer) == [("missing", "model.layers.*.mlp.experts.*.weight", (16, 8), -384)]
    (row,) = compare(Named(fewer), MIXTURE).rows
    assert row.note == "3 tensors"


def without(part):
    return {name: shape for name, shape in SHAPES.items() if part not in name}


@pytest.mark.parametrize(
    ("shapes", "residual"),
    [
        (without(".router."), ["−L·H·E + H·D·E   model.layers.*.mlp.router.weight"]),
        (without(".experts.3."), ["−3·H·F   model.layers.*.mlp.experts.*.weight"]),
        (without("layers.4.attention.bias"), ["−H   model.layers.4.attention.bias"]),
        ({**SHAPES, "extra": (50, 8)}, ["V·H   extra"]),
        ({**SHAPES, "extra": (7, 16)}, ["7·F   extra"]),
        (
            without("score") | {"extra": (11,)},
            ["−H·k + 11"],
        ),
    ],
    ids=["all layers", "some experts", "one layer", "letters", "a number", "two"],
)
def test_a_difference_in_letters(shapes, residual):
    """The assertion ends with it, each component in the letters of its tensors."""
    with pytest.raises(AssertionError) as failure:
        assert_parameters(Named(shapes), MIXTURE)
    _, _, algebra = str(failure.value).partition("\nactual − formula = ")
    assert algebra.splitlines() == residual
    assert str(failure.value) == compare(Named(shapes), MIXTURE).render()


def test_a_difference_beside_a_tensor_without_entries():
    """A tensor with a length of 0 is in no model, and its size divides nothing."""
    some = replace(with_tensors(tensor("a", H, H), tensor("b", H, E - 4)), conditions=())
    with pytest.raises(AssertionError, match=r"actual − formula = H·k   b$"):
        assert_parameters(Named({"a": (8, 8), "b": (8, 3)}), some)


def test_assert_parameters():
    assert_parameters(Named(SHAPES), MIXTURE)
    with pytest.raises(AssertionError, match="MixtureForSequenceClassification, derived, at"):
        assert_parameters(Named({**SHAPES, "extra": (2,)}), MIXTURE)


def test_a_configuration_in_place_of_a_spec(tmp_path, monkeypatch):
    """By its path, as text or path, or by its keys; the class may differ."""
    sizes = {**BERT, "architectures": ["BertModel"], "vocab_size": 5, "hidden_size": 2}
    sizes |= {"num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 3}
    sizes |= {"max_position_embeddings": 3, "type_vocab_size": 1}
    (tmp_path / "config.json").write_text(json.dumps(sizes))
    monkeypatch.chdir(tmp_path)
    bare = {"words": (5, 2), "positions": (3, 2), "types": (1, 2), "gain": (2,), "bias": (2,)}
    bare |= {f"{name}.weight": (2, 2) for name in ("query", "key", "value", "output")}
    bare |= {f"{name}.bias": (2,) for name in ("query", "key", "value", "output", "down")}
    bare |= {f"{name}.{of}": (2,) for name in ("first", "second") for of in ("gain", "shift")}
    bare |= {"up.weight": (2, 3), "up.bias": (3,), "down.weight": (3, 2)}
    pooled = {**bare, "pooler": (2, 2), "pooler_bias": (2,)}
    for given in ("config.json", tmp_path / "config.json", sizes):
        assert_parameters(model(pooled), given)
        with pytest.raises(AssertionError, match="missing"):
            assert_parameters(model(bare), given)
    with pytest.raises(AssertionError, match="missing"):
        assert_parameters(model(pooled), sizes, "BertForPreTraining")
    with pytest.raises(ValueError, match=r"^absent\.json: does not exist"):
        assert_parameters(model(pooled), "absent.json")
