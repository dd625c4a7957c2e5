"""The reference is independent, differentiates correctly, and has the expected rounding errors."""

import ast
import sys
from dataclasses import replace
from fractions import Fraction
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from paramproof.formulas import Numerics
from tests import reference
from tests.parity.bounds import arithmetic
from tests.parity.cases import Case
from tests.reference.models import derivative, forward
from tests.reference.steps import ACTIVATIONS, erf, softmax
from tests.specs import SMALL_ENCODER

FOLDER = Path(reference.__file__).parent

SPEC = replace(SMALL_ENCODER, num_attention_heads=2, mlm_head=True, nsp_head=True)


def test_it_imports_nothing_but_the_spec():
    trees = [ast.parse(path.read_text("utf-8")) for path in FOLDER.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    ours = {one for one in imported if one.startswith("tests.reference")}
    others = {one for one in imported - ours if one.split(".")[0] not in sys.stdlib_module_names}
    assert others == {"numpy", "paramproof.formulas.spec"}


@pytest.mark.parametrize("hidden_act", ACTIVATIONS)
def test_derivatives_agree_with_differences(hidden_act):
    """Richardson's extrapolation of central differences, good to about 1e-10."""
    case = Case(SPEC, Numerics(hidden_act=hidden_act), "float64", seed=3)

    def moved(step):
        weights = {path: w + step * case.direction[path] for path, w in case.weights.items()}
        return forward(case.spec, case.numerics, weights, *case.inputs)

    def difference(step):
        forwards, backwards = moved(step), moved(-step)
        return {kind: (forwards[kind] - backwards[kind]) / (2 * step) for kind in forwards}

    coarse, fine = difference(2e-4), difference(1e-4)
    slopes = derivative(case.spec, case.numerics, case.weights, case.direction, *case.inputs)
    assert set(slopes) == {"sequence", "pooled", "mlm", "nsp"}
    for kind, slope in slopes.items():
        assert np.abs(slope).max() > 0.01
        assert np.abs(slope - (4 * fine[kind] - coarse[kind]) / 3).max() < 1e-7


def test_a_single_head_agrees_with_the_equations():
    """One token attends to itself: softmax is 1, and the layer is written out by hand."""
    sizes = {"vocab_size": 2, "hidden_size": 2, "num_hidden_layers": 1, "num_attention_heads": 1}
    sizes |= {"intermediate_size": 1, "max_position_embeddings": 1, "type_vocab_size": 1}
    spec = replace(SMALL_ENCODER, **sizes, pooler=False)
    case = Case(spec, Numerics(layer_norm_eps=0.0, hidden_act="relu"), "float64")
    weights = {path: np.zeros_like(array) for path, array in case.weights.items()}
    for path in weights:
        if path.endswith("norm.scale"):
            weights[path] += 1
    weights["embeddings.word_embeddings.weight"][1] = [3, 1]  # normalised: [1, -1]
    weights["layers.0.attention.value.kernel"] += np.array([[0, 0], [4, 0]])  # [-4, 0]
    weights["layers.0.attention.output.kernel"] += np.eye(2)
    # [1, -1] + [-4, 0], normalised: [-1, 1]; relu(2 - 1) = 1, times [5, 0]: [4, 1].
    weights["layers.0.feed_forward.intermediate.kernel"] += np.array([[1], [2]])
    weights["layers.0.feed_forward.output.kernel"] += np.array([[5, 0]])
    weights["layers.0.feed_forward_layer_norm.bias"] += np.array([10, 20])
    ids = np.array([[1]])
    outputs = forward(spec, case.numerics, weights, ids, ids * 0, ids != 0)
    assert outputs["sequence"].tolist() == [[[11, 19]]]


def test_erf_agrees_with_its_series():
    """The series of erf, in fractions: 2/√π · Σ (-1)^n x^(2n+1) / (n! (2n+1))."""
    odd = [(n, 2 * n + 1) for n in range(30)]
    total = sum((-1) ** n * Fraction(3, 4) ** k / (factorial(n) * k) for n, k in odd)
    assert erf(np.array([0.75]))[0] == pytest.approx(float(total) * 2 / np.sqrt(np.pi), rel=1e-15)


def test_softmax_gives_a_masked_score_no_share():
    shares = softmax(np.array([1e4, 1e4, -np.inf]))
    assert shares.tolist() == [0.5, 0.5, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rounding_scatters_by_its_unit(dtype):
    case = Case(SPEC, Numerics(), dtype)
    weights = {path: array.astype("float64") for path, array in case.weights.items()}
    given = (case.spec, case.numerics, weights, *case.inputs)
    right, off = forward(*given), forward(*given, arithmetic=arithmetic("torch", dtype, seed=0))
    unit = {"float32": 2.0**-24, "float64": 2.0**-53}[dtype]
    assert unit < np.abs(off["sequence"] - right["sequence"]).max() < 1000 * unit


def test_a_step_may_be_rounded_more_coarsely():
    case = Case(SPEC, Numerics(), "float64")
    given = (case.spec, case.numerics, case.weights, *case.inputs)
    right = forward(*given)
    off = forward(*given, arithmetic=arithmetic("flax-nnx", "float64", seed=0))
    assert 1e-10 < np.abs(off["sequence"] - right["sequence"]).max() < 1e-4
