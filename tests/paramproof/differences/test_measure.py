"""The measurements of framework differences, tried on NumPy layers with known behaviour."""

import math
from dataclasses import replace

import numpy as np
import pytest

from paramproof.differences import measure
from paramproof.differences import rows as grid
from paramproof.differences.answer import Answer
from paramproof.differences.count_in_letters import count_in_letters
from paramproof.differences.measure import FAN_IN, FAN_OUT, TOKENS, WIDTH
from paramproof.formulas import closed_form
from paramproof.formulas.models import named_model

RANDOM = np.random.default_rng(0)


def norm(epsilon):
    def normalise(x):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + np.float32(epsilon))

    return normalise


@pytest.mark.parametrize("epsilon", [1e-3, 1e-5, 1e-6, 1e-7, 1e-12, 1e-14])
def test_epsilon(epsilon):
    assert float(measure.epsilon(norm(epsilon))) == epsilon
    assert float(measure.epsilon(norm(1.5 * epsilon))) == pytest.approx(1.5 * epsilon)


def test_activations():
    erf = np.vectorize(math.erf)
    cubic = lambda x: math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)  # noqa: E731
    assert measure.activation(lambda x: x * (1 + erf(x / math.sqrt(2))) / 2) == "gelu by erf"
    assert measure.activation(lambda x: x * (1 + np.tanh(cubic(x))) / 2) == "gelu by tanh"
    assert measure.activation(lambda x: np.maximum(x, 0)) == "relu"
    with pytest.raises(measure.Unknown, match="an activation that gives"):
        measure.activation(np.tanh)


SHAPE = (FAN_IN, FAN_OUT)


@pytest.mark.parametrize(
    ("array", "answer"),
    [
        (np.zeros(SHAPE), "zeros"),
        (RANDOM.normal(0, 0.02, SHAPE), "normal, σ = 0.02"),
        (RANDOM.normal(0, 1, SHAPE), "normal, σ = 1"),
        (RANDOM.uniform(-0.05, 0.05, SHAPE), "uniform, σ = 0.05/√3"),
        (RANDOM.uniform(-1, 1, SHAPE) / math.sqrt(FAN_IN), "uniform, σ = 1/√(3·in)"),
        (RANDOM.normal(0, FAN_OUT**-0.5, SHAPE), "normal, σ = 1/√out"),
    ],
)
def test_initialisers(array, answer):
    assert measure.initialiser(array, *SHAPE) == answer


def test_an_unknown_initialiser():
    with pytest.raises(measure.Unknown, match="drawn with a deviation of"):
        measure.initialiser(RANDOM.normal(0, 0.123, SHAPE), *SHAPE)


def attention(attended, empty=0.0):
    """Return self-attention with one head, whose mask has ``attended`` for a visible key."""

    def attend(x, mask):
        seen = mask == attended
        scores = x @ x.transpose(0, 2, 1) / WIDTH + np.where(seen, 0, -np.inf)[:, None, :]
        with np.errstate(invalid="ignore"):
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights = weights / weights.sum(-1, keepdims=True)
        return np.where(seen.any(), weights, np.full_like(weights, empty)) @ x

    return attend


@pytest.mark.parametrize(("attended", "meaning"), [(True, "attend"), (False, "ignore")])
def test_masks(attended, meaning):
    assert measure.mask_polarity(attention(attended)) == meaning


@pytest.mark.parametrize(
    ("empty", "answer"), [(0.0, "zeros"), (np.nan, "NaN"), (1 / TOKENS, "all keys alike")]
)
def test_a_query_without_visible_keys(empty, answer):
    assert measure.fully_masked_row(attention(True, empty)) == answer


def test_a_mask_without_effect():
    with pytest.raises(measure.Unknown, match="makes no difference"):
        measure.mask_polarity(lambda x, mask: x.cumsum(1)[:, ::-1] + x.sum(1, keepdims=True))


@pytest.mark.parametrize(("axis", "answer"), [(1, "first"), (0, "second")])
def test_batch_axis(axis, answer):
    assert measure.batch_axis(lambda x: x + x.sum(axis, keepdims=True)) == answer


@pytest.mark.parametrize(("once", "answer"), [(0, "nothing"), (2 * WIDTH, "a norm")])
def test_what_a_stack_has_once(once, answer):
    assert measure.beyond_layers(lambda layers: 100 * layers + once) == answer


def test_refusals():
    def refuse(width, heads):
        raise ValueError("no")

    def rounding(biases):
        """Return the entries of heads that are rounded down, as in Keras and in Equinox."""

        def count(width, heads):
            inner = width // heads * heads
            return 4 * width * inner + biases * (3 * inner + width)

        return count

    assert measure.refusal(refuse) == "ValueError"
    assert measure.refusal(rounding(biases=True)) == "builds 193, not 224"
    assert measure.refusal(rounding(biases=False)) == "builds 168, not 196"
    assert measure.has_biases(rounding(biases=True)) == "yes"
    assert measure.has_biases(rounding(biases=False)) == "no"
    with pytest.raises(KeyError, match="600"):
        measure.has_biases(lambda width, heads: 600)


SPECS = [
    replace(named_model(name).spec, mlm_head=True) for name in ("bert-tiny", "bert-base-uncased")
]


def test_a_count_in_letters():
    def of(count):
        return count_in_letters([count(spec.letters()) for spec in SPECS], SPECS, [46, 206])

    assert of(closed_form) == "0"
    assert of(lambda own: closed_form(own) + own.V * own.H + own.V) == "+ V·H + V"
    assert of(lambda own: closed_form(own) - own.H * own.H - own.H) == "− pooler"
    assert of(lambda own: 2 * closed_form(own) + 2) == "+ N + 2"
    assert of(lambda own: 1024) == "1,024, whatever the model"
    with pytest.raises(ValueError, match="have no meaning in letters"):
        of(lambda own: closed_form(own) + 12345 * own.L)


def test_names_that_differ_in_a_part():
    assert grid.braced(["a.query.kernel", "a.key.kernel"]) == "a.{query,key}.kernel"
    assert grid.braced(["a", "a"]) == "a"
    assert grid.braced(["aa", "aaa"]) == "{aa,aaa}"


def test_frameworks_that_agree():
    every = ["flax-linen", "keras-jax", "keras-torch", "torch"]
    cells = [Answer(name, "defaults", "gelu") for name in every]
    assert grid.names(cells, every) == "all"
    assert grid.names(cells[1:], every) == "keras-{jax,torch}, torch"
    assert grid.names(cells[:1], every[:1]) == "flax-linen"
