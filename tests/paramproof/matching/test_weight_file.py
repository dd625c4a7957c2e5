"""A file is compared by names, as transformers maps them: experts, prefixes and ties."""

from math import prod
from pathlib import Path

import pytest

from paramproof.matching.model_comparison import report_on
from paramproof.sources.checkpoints import Checkpoint, StoredTensor
from tests.checkpoints import T5, derivation, in_memory
from tests.configs import BERT
from tests.public_configs import SMALL_MIXTRAL as SMALL

EXPERT = "model.layers.1.block_sparse_moe.experts.2"
SHAPES = {"w1": (6, 8), "w2": (8, 6), "w3": (6, 8)}


def mixtral():
    """Return the tensors of a Mixtral, as they are stored."""
    shapes = {n: shape for n, shape in in_memory(SMALL).items() if ".mlp." not in n}
    for layer in range(2):
        inside = f"model.layers.{layer}.block_sparse_moe"
        shapes[f"{inside}.gate.weight"] = (3, 8)
        shapes |= {
            f"{inside}.experts.{expert}.{name}.weight": shape
            for expert in range(3)
            for name, shape in SHAPES.items()
        }
    return shapes


def comparison(shapes, keys=SMALL, *, is_untied=False):
    tensors = tuple(StoredTensor(name, shape, "F32") for name, shape in shapes.items())
    found = Checkpoint(Path("model.safetensors"), 1, tensors)
    return report_on(found, derivation(keys), is_untied=is_untied)


def left_over(found):
    """Return the missing and the unexpected tensors."""
    assert {row.kind for row in found.rows} <= {"missing", "unexpected"}
    missing = [(row.path, row.expected) for row in found.rows if row.kind == "missing"]
    return missing, [(row.path, row.observed) for row in found.rows if row.kind == "unexpected"]


def test_as_stored_and_as_in_memory():
    assert comparison(mixtral()).equal
    assert comparison(in_memory(SMALL)).equal


def test_some_layers_as_stored_and_others_as_in_memory():
    """Transformers loads such a file, too: it maps each name separately."""
    memory = {n: s for n, s in in_memory(SMALL).items() if n.startswith("model.layers.0.")}
    stored = {n: s for n, s in mixtral().items() if not n.startswith("model.layers.0.")}
    assert comparison(memory | stored).equal


def test_a_missing_expert():
    fewer = {n: s for n, s in mixtral().items() if not n.startswith(f"{EXPERT}.")}
    missing, unexpected = left_over(comparison(fewer))
    assert sorted(missing) == [(f"{EXPERT}.{n}.weight", s) for n, s in SHAPES.items()]
    assert not unexpected


def test_a_missing_part_of_all_experts():
    """Its name follows from the other part that is joined with it."""
    fewer = {n: s for n, s in mixtral().items() if not n.endswith(".w3.weight")}
    missing, unexpected = left_over(comparison(fewer))
    names = {n for n in mixtral() if n.endswith(".w3.weight")}
    assert {name for name, _ in missing} == names
    assert len(missing) == len(names)
    assert not unexpected


def test_an_extra_expert():
    more = {f"model.layers.0.block_sparse_moe.experts.3.{n}.weight": s for n, s in SHAPES.items()}
    missing, unexpected = left_over(comparison(mixtral() | more))
    assert (missing, dict(unexpected)) == ([], more)


def test_a_layer_without_experts():
    """If no part of a tensor is stored, the tensor in memory is reported as missing."""
    fewer = {n: s for n, s in mixtral().items() if not n.startswith(EXPERT[:-2])}
    missing, unexpected = left_over(comparison(fewer))
    assert sorted(missing) == [
        ("model.layers.1.mlp.experts.down_proj", (3, 8, 6)),
        ("model.layers.1.mlp.experts.gate_up_proj", (3, 12, 8)),
    ]
    assert not unexpected


def test_only_wrong_names():
    shapes = in_memory(SMALL)
    found = comparison({f"x{n}.w": shape for n, shape in enumerate(shapes.values())})
    assert [(row.kind, row.note) for row in found.rows] == [
        ("wrong name", "the formula has none of the names in the file")
    ]
    assert found.notes == ("tensors matched by shape",)
    assert comparison(shapes).notes == ("tensors matched by name",)


def test_right_names_and_other_sizes():
    """A tensor of another shape is compared with the one of its name, whole or in a part."""
    narrow = {name: (*shape[:-1], 4) for name, shape in in_memory(SMALL).items()}
    rows = comparison(narrow).rows
    assert {row.kind for row in rows} == {"wrong shape"}
    expected = in_memory(SMALL)
    assert {(row.path, row.expected, row.observed) for row in rows} == {
        (name, expected[name], shape) for name, shape in narrow.items()
    }
    assert sum(row.difference for row in rows) == sum(map(prod, narrow.values())) - sum(
        map(prod, expected.values())
    )
    one = f"{EXPERT}.w2.weight"
    (row,) = comparison(mixtral() | {one: (8, 5)}).rows
    assert (row.kind, row.path, row.expected, row.observed, row.difference) == (
        "wrong shape",
        one,
        (8, 6),
        (8, 5),
        -8,
    )


def test_an_unknown_prefix():
    found = comparison({f"base.inner.{name}": shape for name, shape in mixtral().items()})
    assert [(row.kind, row.native, row.note) for row in found.rows] == [
        (
            "wrong name",
            "base.inner.*",
            "all names begin with base.inner. and match without it",
        )
    ]


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "module._orig_mod."])
def test_a_prefix_of_a_wrapper(prefix):
    assert comparison({f"{prefix}{name}": shape for name, shape in mixtral().items()}).equal


def test_files_of_the_inner_and_the_outer_model():
    """Transformers adds the inner model's prefix if it is missing."""
    bare = SMALL | {"architectures": ["MixtralModel"]}
    without_head = {n: s for n, s in mixtral().items() if n != "lm_head.weight"}
    assert comparison(without_head, bare).equal
    inside = {n.removeprefix("model."): s for n, s in without_head.items()}
    missing, unexpected = left_over(comparison(inside))
    assert (missing, unexpected) == ([("lm_head.weight", (50, 8))], [])


def test_old_names_and_buffers():
    keys = BERT | {"architectures": ["BertModel"], "model_type": "bert"}
    shapes = in_memory(keys)
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma"): shape for name, shape in shapes.items()
    }
    assert old != shapes
    found = comparison({**old, "embeddings.position_ids": (1, 512)}, keys)
    assert found.equal
    assert found.notes[0] == "buffers, not compared: embeddings.position_ids"


def test_a_buffer_of_older_files_in_every_layer():
    """Transformers ignores it, although the model has no buffer of that name."""
    name = "model.layers.0.self_attn.rotary_emb.inv_freq"
    found = comparison({**mixtral(), name: (1,)})
    assert found.equal
    assert found.notes[0] == f"buffers, not compared: {name}"


def test_a_head_untied_in_the_file():
    shapes = in_memory(T5)
    own = {**shapes, "lm_head.weight": (20, 6)}
    found = comparison(own, T5, is_untied=True)
    assert found.equal
    own_values = "lm_head.weight has 120 values of its own, which the formula does not count"
    total = sum(map(prod, shapes.values()))
    assert found.notes[1:] == (
        f"untied in the file: {own_values}",
        f"total with the tensors untied in the file: {total + 120:,}",
    )
    assert found.actual == found.formula == total
    assert left_over(comparison(own, T5)) == ([], [("lm_head.weight", (20, 6))])
    other = {**shapes, "lm_head.weight": (6, 20)}
    assert left_over(comparison(other, T5, is_untied=True)) == ([], [("lm_head.weight", (6, 20))])


def test_a_tied_tensor_under_its_other_name():
    shapes = in_memory(T5)
    shapes["lm_head.weight"] = shapes.pop("shared.weight")
    for is_untied in (False, True):
        found = comparison(shapes, T5, is_untied=is_untied)
        assert (found.equal, found.notes) == (True, ("tensors matched by name",))
