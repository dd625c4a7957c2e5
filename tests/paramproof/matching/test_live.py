"""A live model with any names is compared with the formula by its shapes, without a framework."""

import json
import re
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof import assert_parameters, compare
from paramproof.formulas import EncoderSpec, Weight, inventory
from paramproof.matching.shapes import Unit, most_pairs
from paramproof.sources.live import READERS, live_weights, reader
from tests.paramproof.matching.models import model, shapes
from tests.specs import LIVE_ENCODER as SPEC
from tests.specs import SPECS
from tests.strategies import specs

HEADS = (SPEC.num_attention_heads, SPEC.head_size)


FORMS = {"either": [(2,), (3,)], "only": [(2,)]}


def join_projections(tensors, shape, kind):
    """Return the tensors with queries, keys and values of each layer in one."""
    names = {path for path in tensors if re.search(rf"(query|key|value)\.{kind}$", path)}
    rest = {path: tensors[path] for path in tensors if path not in names}
    fused = {path: shape for path in names if "query" in path}
    return rest | fused


def stack(tensors, layers=2):
    first = {path: shape for path, shape in tensors.items() if path.startswith("layers.0.")}
    rest = {path: shape for path, shape in tensors.items() if not path.startswith("layers.")}
    return rest | {path: (layers, *shape) for path, shape in first.items()}


def layout_with(change):
    return {path: change(path, shape) for path, shape in shapes().items()}


LAYOUTS = {
    "plain": shapes(),
    "transposed": layout_with(lambda path, shape: shape[::-1]),
    "heads": layout_with(
        lambda path, shape: (
            (*shape[:-1], *HEADS) if re.search(r"attention\.(query|key|value)", path) else shape
        )
    ),
    "heads_in": layout_with(
        lambda path, shape: (*HEADS, 12) if "attention.output.kernel" in path else shape
    ),
    "fused": join_projections(join_projections(shapes(), (12, 36), "kernel"), (36,), "bias"),
    "fused and transposed": join_projections(
        join_projections(shapes(), (36, 12), "kernel"), (36,), "bias"
    ),
    "fused on an axis": join_projections(
        join_projections(shapes(), (3, 12, 12), "kernel"), (3, 12), "bias"
    ),
    "stacked": stack(shapes()),
    "fused and stacked": stack(
        join_projections(join_projections(shapes(), (36, 12), "kernel"), (36,), "bias")
    ),
    "with axes of 1": layout_with(lambda path, shape: (1, *shape, 1)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    report = compare(model(LAYOUTS[layout]), SPEC)
    assert report.equal, report.render()
    assert (report.formula, report.actual) == (inventory(SPEC.letters()).total(),) * 2


@given(data=st.data())
def test_equal_whatever_the_sizes(family, data):
    """Sizes that coincide (F = 3H, V = H) are matched all the same."""
    spec = data.draw(specs(family), label="spec")
    tensors = shapes(spec)
    if family == "encoder" and spec.num_hidden_layers and data.draw(st.booleans(), label="stacked"):
        tensors = stack(tensors, spec.num_hidden_layers)
    else:
        flipped = data.draw(st.sets(st.sampled_from(list(tensors))), label="transposed")
        tensors |= {path: tensors[path][::-1] for path in flipped}
    order = data.draw(st.permutations(list(tensors)), label="order")
    tensors = {path: tensors[path] for path in order}
    assert_parameters(model(tensors), spec)


def test_grouped_queries_may_be_fused_and_split():
    spec = SPECS["llama"]
    tensors = {path: shape for path, shape in shapes(spec).items() if ".attention." not in path}
    for index in range(2):
        tensors[f"{index}.qkv"] = (24 + 2 * 12, 10)
        tensors[f"{index}.o"] = (6, 4, 10)
    assert_parameters(model(tensors), spec)
    tensors["0.qkv"] = (3 * 24, 10)
    report = compare(model(tensors), spec)
    assert (report.equal, report.difference) == (False, 240)
    # The missing tensor would fit by size: 48 wide, in three unequal parts.
    assert "−480" in report.render()


def test_an_ambiguous_tensor_leaves_room():
    """A tensor that could be either of two weights leaves the other its only match."""
    either, only = (Unit(path, (1,), frozenset(forms)) for path, forms in FORMS.items())
    weights = [Weight("a", (2,), True), Weight("b", (3,), True)]
    pairs = most_pairs([either, only], weights).pairs
    assert {(unit.path, weight.path) for unit, weight in pairs} == {("either", "b"), ("only", "a")}


def test_missing_and_unexpected():
    tensors = shapes()
    del tensors["layers.1.feed_forward.intermediate.bias"]
    tensors["embeddings.word_embeddings.weight"] = (32, 12)
    report = compare(model(tensors), SPEC)
    assert (report.difference, report.equal) == (12 - 20, False)
    spec, totals, frozen, how, *rows, residual = report.render().splitlines()
    assert eval(spec.removeprefix("spec = "), {"EncoderSpec": EncoderSpec}) == SPEC
    assert totals == f"actual {report.actual:,} − formula {report.formula:,} = −8"
    assert (frozen, how) == ("not trainable: 0", "tensors matched by shape")
    native = next(row.path for row in report.rows if row.kind == "unexpected")
    assert rows == [
        f"  +384 = 32·H  {native} is unexpected: (32, 12)",
        "  −372 = −V·H  embeddings.word_embeddings.weight is missing: (31, 12)",
        "  −20 = −F  layers.*.feed_forward.intermediate.bias is missing: (20)",
    ]
    assert residual == "actual − formula = −V·H + 32·H − F"


@pytest.mark.parametrize(
    ("more", "note"),
    [
        (1, ""),
        (2, "or the other tensor of this shape"),
        (3, "or one of the 2 other tensors of this shape"),
    ],
)
def test_unexpected_tensors_of_one_shape(more, note):
    tensors = shapes() | {f"more.{i}": (3, 5) for i in range(more)}
    rows = compare(model(tensors), SPEC).rows
    assert [(row.kind, row.difference, row.note) for row in rows] == [
        ("unexpected", 15, note)
    ] * more


def test_all_tensors_that_shapes_cannot_distinguish_are_named():
    tensors = shapes()
    del tensors["pooler.kernel"]
    (row,) = compare(model(tensors), SPEC).rows
    names = [f"layers.*.attention.{part}.kernel" for part in ("key", "output", "query", "value")]
    assert row.path == names[0]
    assert row.note == f"1 of {', '.join(names)} and 1 more"


def test_missing_in_every_layer_is_one_row():
    tensors = {path: shape for path, shape in shapes().items() if "norm.bias" not in path}
    (row,) = compare(model(tensors), SPEC).rows
    assert (row.kind, row.difference) == ("missing", -60)
    assert row.note.startswith("5 of embeddings.layer_norm.bias, ")


def test_rows_add_up():
    tensors = shapes()
    for path in ("pooler.bias", "layers.0.feed_forward.output.kernel"):
        del tensors[path]
    tensors |= {"extra": (3, 5), "another": (12,), "third": (12,)}
    report = compare(model(tensors), SPEC)
    assert sum(row.difference for row in report.rows) == report.difference


def test_shared_storage_counts_once():
    spec = replace(SPEC, mlm_head=True)
    variables = model(shapes(spec))
    table = next(array for array in variables["params"].values() if array.shape == (31, 12))
    variables["params"]["tied"] = table
    assert_parameters(variables, spec)
    variables["params"]["tied"] = table.copy()
    with pytest.raises(AssertionError, match=r"params/tied is unexpected: \(31, 12\)"):
        assert_parameters(variables, spec)


def test_other_collections_are_not_trainable():
    variables = model(shapes()) | {"batch_stats": {"mean": np.empty(12)}}
    report = compare(variables, SPEC)
    assert (report.equal, report.frozen) == (True, 12)
    assert "not trainable: 12\n" in report.render()


def test_the_assertion_shows_the_report():
    variables = model(shapes() | {"extra": (3, 5)})
    with pytest.raises(AssertionError) as failure:
        assert_parameters(variables, SPEC)
    assert str(failure.value) == compare(variables, SPEC).render()
    assert str(failure.value).endswith("\nactual − formula = 5·A   params/w39")


class Outsider:
    pass


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (Outsider(), "Outsider is not a model of PyTorch, Keras, tf-keras, "),
        (None, "NoneType is not a model of"),
        (Outsider, "type is not a model of"),
        ((Outsider(), {"a": np.empty(1)}), "tuple is not a model of"),
        ({}, "dict is empty: it has no weights"),
        ({"params": {"w": np.empty((0, 3))}}, "dict is empty"),
        ({"params": {"w": 3}}, "params/w is not an array but int"),
        ({"params": {"w": [np.empty(3)]}}, "params/w is not an array but list"),
    ],
)
def test_other_objects_are_refused(what, words):
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        live_weights(what)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("package", READERS)
def test_a_framework_is_recognised_by_its_modules(package):
    base = type("Module", (), {"__module__": f"{package}.some.file"})
    mine = type("Mine", (base,), {"__module__": "mine"})
    namesake = type("Mine", (), {"__module__": f"{package}ette.some.file"})
    assert reader(mine()) is READERS[package]
    with pytest.raises(ValueError, match="Mine is not a model of PyTorch"):
        reader(namesake())


@pytest.mark.parametrize("package", ["torch", "keras", "tf_keras", "flax.linen"])
def test_other_objects_of_a_framework_are_not_models(package):
    """An optimiser, for example."""
    optimiser = type("Adam", (), {"__module__": f"{package}.optim"})
    with pytest.raises(ValueError, match=r"Adam (is not an?|has no) "):
        live_weights(optimiser())


MODELS = """
import numpy as np

def right():
    return {"params": {f"w{n}": np.empty(shape) for n, shape in enumerate(SHAPES)}}

def wrong():
    return {"params": right()["params"] | {"more": np.empty((3, 5))}}

def number(): return 5
def raises(): raise RuntimeError("no\\nweights")
def wants(path): return path
"""


@pytest.fixture
def run_compare(paramproof, tmp_path):
    source = MODELS.replace("SHAPES", repr(list(shapes().values())))
    (tmp_path / "mine.py").write_text(source)

    def run(name, spec):
        return paramproof("compare", f"mine:{name}", "--model", spec)

    return run


def test_compare(run_compare, tmp_path):
    text = json.dumps(asdict(SPEC))
    done = run_compare("right", text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "every tensor is as the formula says"
    (tmp_path / "spec.json").write_text(text)
    done = run_compare("wrong", "spec.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[-2:] == [
        "  +15  params/more is unexpected: (3, 5)",
        "actual − formula = 5·A   params/more",
    ]
    assert run_compare("right", "bert-tiny").returncode == 1


@pytest.mark.parametrize(
    ("name", "spec", "words"),
    [
        ("number", "bert-tiny", "int is not a model of PyTorch"),
        ("raises", "bert-tiny", "mine:raises raised RuntimeError: no weights"),
        ("wants", "bert-tiny", "mine:wants raised TypeError: wants() missing 1 required"),
        ("absent", "bert-tiny", "mine:absent: mine has no 'absent'"),
        ("right", "resnett", "is named 'resnett'"),
        ("right", "{", "is not JSON: "),
        ("right", '{"hidden": 3}', "model_type is missing"),
        ("right", '{"vocab_size": 3}', "needs hidden_size, num_hidden_layers"),
    ],
)
def test_compare_refuses(run_compare, name, spec, words):
    done = run_compare(name, spec)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert words in line


def test_names_of_a_live_model_are_printable_and_rows_bounded():
    tensors = {"params": {f"\x1b[2J{n}" + "x" * 10**4: np.empty(n) for n in range(100, 400)}}
    tensors["params"] |= model(shapes())["params"]
    text = compare(tensors, SPEC).render()
    assert text.replace("\n", "").isprintable()
    assert max(map(len, text.splitlines()[1:])) < 300
    *rows, rest, _ = text.splitlines()[4:]
    assert len(rows) == 20
    assert rest == f"  +{sum(range(100, 380)):,}  and 280 more"
