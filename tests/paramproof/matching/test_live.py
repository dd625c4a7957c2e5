"""A live model with any names is compared with the formula by its shapes, without a framework."""

import json
import re
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof import assert_parameters, compare
from paramproof.formulas import Weight, inventory
from paramproof.matching.shapes import Unit, most_pairs
from tests.configs import BERT
from tests.paramproof.matching.models import model, shapes
from tests.specs import LIVE_ENCODER as SPEC
from tests.specs import SPECS
from tests.strategies import specs

HEADS = (SPEC.num_attention_heads, SPEC.head_size)
LLAMA = replace(SPECS["llama"], intermediate_size=7, vocab_size=29)
H, F = LLAMA.hidden_size, LLAMA.intermediate_size


def fused(kernel, bias):
    own = {n: shape for n, shape in shapes().items() if not re.search(r"(key|value)\.", n)}
    kinds = {"query.kernel": kernel, "query.bias": bias}
    return {n: kinds.get(".".join(n.split(".")[-2:]), shape) for n, shape in own.items()}


def stack(tensors, layers=2):
    first = {path: shape for path, shape in tensors.items() if path.startswith("layers.0.")}
    rest = {path: shape for path, shape in tensors.items() if not path.startswith("layers.")}
    return rest | {path: (layers, *shape) for path, shape in first.items()}


def gates(shape):
    own = {n: s for n, s in shapes(LLAMA).items() if "feed_forward.up" not in n}
    return {n: shape if "feed_forward.gate" in n else s for n, s in own.items()}


def layout_with(pattern, change, tensors=None):
    every = shapes() if tensors is None else tensors
    return {n: change(shape) if re.search(pattern, n) else shape for n, shape in every.items()}


LAYOUTS = {
    "plain": shapes(),
    "transposed": layout_with("", lambda shape: shape[::-1]),
    "heads": layout_with(r"attention\.(query|key|value)", lambda shape: (*shape[:-1], *HEADS)),
    "heads_in": layout_with(r"attention\.output\.kernel", lambda shape: (*HEADS, 12)),
    "fused": fused((12, 36), (36,)),
    "fused and transposed": fused((36, 12), (36,)),
    "fused on an axis": fused((3, 12, 12), (3, 12)),
    "stacked": stack(shapes()),
    "fused and stacked": stack(fused((36, 12), (36,))),
    "with axes of 1": layout_with("", lambda shape: (1, *shape, 1)),
}
GATES = [(H, 2 * F), (2 * F, H), (2, H, F), (H, 2, F), (2, F, H)]
EVERYTHING = {n: shape for n, shape in shapes(LLAMA).items() if "layers." not in n} | {
    **{"qkv": (2, H, 24 + 2 * 12), "o": (2, 24, H), "gate_up": (2, 2 * F, H), "down": (2, F, H)},
    **{f"norm.{number}": (2, H) for number in range(2)},
}
GROUPED = {n: shape for n, shape in shapes(LLAMA).items() if ".attention." not in n} | {
    f"{index}.{name}": shape
    for index in range(2)
    for name, shape in {"qkv": (24 + 2 * 12, 10), "o": (6, 4, 10)}.items()
}


@pytest.mark.parametrize(
    ("tensors", "spec"),
    [
        *(pytest.param(tensors, SPEC, id=name) for name, tensors in LAYOUTS.items()),
        *(pytest.param(gates(shape), LLAMA, id=f"gates of {shape}") for shape in GATES),
        pytest.param(EVERYTHING, LLAMA, id="queries, gates and layers in one array"),
        pytest.param(GROUPED, LLAMA, id="grouped queries fused, and heads split"),
    ],
)
def test_layouts(tensors, spec):
    report = compare(model(tensors), spec)
    assert report.equal, report.render()
    assert (report.formula, report.actual) == (inventory(spec.letters()).total(),) * 2


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
    assert_parameters(model({path: tensors[path] for path in order}), spec)


def test_an_ambiguous_tensor_leaves_room():
    """A tensor that could be either of two weights leaves the other its only match."""
    forms = {"either": [(2,), (3,)], "only": [(2,)]}
    either, only = (Unit(path, (1,), frozenset(own)) for path, own in forms.items())
    weights = [Weight("a", (2,), True), Weight("b", (3,), True)]
    pairs = most_pairs([either, only], weights).pairs
    assert {(unit.path, weight.path) for unit, weight in pairs} == {("either", "b"), ("only", "a")}


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
    for given_ in ("config.json", tmp_path / "config.json", sizes):
        assert_parameters(model(pooled), given_)
        with pytest.raises(AssertionError, match="missing"):
            assert_parameters(model(bare), given_)
    with pytest.raises(AssertionError, match="missing"):
        assert_parameters(model(pooled), sizes, "BertForPreTraining")
    with pytest.raises(ValueError, match=r"^absent\.json: does not exist"):
        assert_parameters(model(pooled), "absent.json")


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
BAD = {"number": "int is not a model of PyTorch", "absent": "mine:absent: mine has no 'absent'"}
BAD |= {
    "raises": "mine:raises raised RuntimeError: no weights",
    "wants": "mine:wants raised TypeError: wants() missing 1 required",
}


def test_a_function_that_makes_a_model(paramproof, tmp_path):
    source = MODELS.replace("SHAPES", repr(list(shapes().values())))
    (tmp_path / "mine.py").write_text(source)
    spec = json.dumps(asdict(SPEC))
    (tmp_path / "spec.json").write_text(spec)
    right = paramproof("compare", "mine:right", "--model", spec)
    assert (right.returncode, right.stderr) == (0, "")
    assert right.stdout.splitlines()[-1] == "every tensor is as the formula says"
    assert paramproof("compare", "mine:right", "--model", "bert-tiny").returncode == 1
    wrong = paramproof("compare", "mine:wrong", "--model", "spec.json")
    assert (wrong.returncode, wrong.stderr) == (1, "")
    assert wrong.stdout.splitlines()[-1] == "actual − formula = 5·A   params/more"
    for name, words in BAD.items():
        done = paramproof("compare", f"mine:{name}", "--model", "bert-tiny")
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
