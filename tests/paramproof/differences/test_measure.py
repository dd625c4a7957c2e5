"""The measurements of framework differences, tried on NumPy layers with known behaviour."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from paramproof.differences import measure
from paramproof.differences.answer import Answer, braced, differing, names_text
from paramproof.differences.ask import count_in_letters
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


def test_masks():
    """What True means, and what a query without visible keys gives."""
    native = lambda mask: mask  # noqa: E731
    meanings = {True: "attend", False: "ignore"}
    found = {attended: measure.mask_polarity(attention(attended), native) for attended in meanings}
    assert found == meanings
    for empty, answer in ((0.0, "zeros"), (np.nan, "NaN"), (1 / TOKENS, "all keys alike")):
        assert measure.fully_masked_row(attention(True, empty), native) == answer
    with pytest.raises(measure.Unknown, match="makes no difference"):
        measure.mask_polarity(lambda x, _: x.cumsum(1)[:, ::-1] + x.sum(1, keepdims=True), np.copy)


@pytest.mark.parametrize(("axis", "answer"), [(1, "first"), (0, "second")])
def test_batch_axis(axis, answer):
    assert measure.batch_axis(lambda x: x + x.sum(axis, keepdims=True)) == answer


@pytest.mark.parametrize(("once", "answer"), [(0, "nothing"), (2 * WIDTH, "a norm")])
def test_what_a_stack_has_once(once, answer):
    assert measure.beyond_layers(lambda layers: [np.zeros((layers, 100)), np.zeros(once)]) == answer


def refuse(features, heads, width):
    if features % heads:
        raise ValueError("no")
    return projections(features, heads, width // heads)


def projections(features, heads, width, biases=True):
    """Return the parameters of heads that are each as wide as asked for, as in Keras."""
    kernels = [np.ones((features, heads * width))] * 3 + [np.ones((heads * width, features))]
    own = [np.ones(kernel.shape[1]) for kernel in kernels] * biases
    return [kernels[0], 2 * kernels[1], [*kernels, *own]]


@pytest.mark.parametrize(
    ("attention", "width", "biases", "answer"),
    [
        (refuse, "all heads", "yes", "ValueError"),
        (projections, "one head", "yes", "builds 193, not 224"),
        (partial(projections, biases=False), "one head", "no", "builds 168, not 196"),
    ],
)
def test_attentions(attention, width, biases, answer):
    """Heads are rounded down where the width is that of one, as in Keras and in Equinox."""
    assert measure.width_of(attention) == width
    assert measure.has_biases(attention) == biases
    assert measure.refusal(attention) == answer
    assert measure.drawn_key(attention) == "on its own"


SPECS = [
    replace(named_model(name).spec, mlm_head=True) for name in ("bert-tiny", "bert-base-uncased")
]


def test_a_count_in_letters():
    def of(count):
        return count_in_letters([count(spec.letters()) for spec in SPECS], SPECS)

    assert of(closed_form) == "0"
    assert of(lambda own: closed_form(own) + own.V * own.H + own.V) == "+ V·H + V"
    assert of(lambda own: closed_form(own) - (own.V + own.P + own.T) * own.H) == "− (V + P + T)·H"
    assert of(lambda own: 1024) == "1,024, whatever the model"
    with pytest.raises(ValueError, match="have no meaning in letters"):
        of(lambda own: closed_form(own) + 12345 * own.L)


def test_names_in_braces():
    assert braced(["a.query.kernel", "a.key.kernel"]) == "a.{query,key}.kernel"
    assert braced(["a", "a"]) == "a"
    assert braced(["aa", "aaa"]) == "{aa,aaa}"
    every = ["flax-linen", "keras-jax", "keras-torch", "torch"]
    assert names_text(every, every) == "all"
    assert names_text(every[1:], every) == "keras-{jax,torch}, torch"
    assert names_text(every[:1], every[:1]) == "flax-linen"


def test_what_differs():
    """An answer that all give is left out, also where another code counts the same number."""
    how = {"difference": "0", "bert-base-uncased": "5"}
    said = [
        *(Answer(name, "defaults", "gelu", facts={"answer": "relu"}) for name in "ab"),
        Answer("a", "defaults", "made", facts={"answer": "when made"}),
        Answer("b", "defaults", "made", facts={"answer": "by build"}),
        Answer("b", "defaults", "stack", facts={"answer": "nothing"}),
        *(Answer(name, "counts", "count.total", facts={**how, "how": name}) for name in "ab"),
    ]
    assert differing(said) == said[2:5]
