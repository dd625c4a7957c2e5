"""Common miscounts in MLX, and by how much each one is off."""

import math
import os
import subprocess
import sys

import pytest

from paramproof.builders import load
from paramproof.formulas import inventory
from paramproof.formulas.models import named_model
from tests.frameworks.unchecked import AS_THE_FORMULA, assert_outcome, spec_without_checks
from tests.specs import SMALL_ENCODER

pytestmark = pytest.mark.framework("mlx")

H, F, A = SMALL_ENCODER.hidden_size, SMALL_ENCODER.intermediate_size, 3
DENSE = H * F + F
BERT = named_model("bert-base").spec


@pytest.fixture
def nn():
    from mlx import nn

    return nn


def entries(tree):
    """Return the entries of every array in a tree, each time that it is in it."""
    from mlx.utils import tree_flatten

    return sum(array.size for _, array in tree_flatten(tree))


def counts(module):
    """Return the entries of ``parameters()``, of ``trainable_parameters()``, and of our list."""
    from paramproof.builders.frameworks.mlx.model import stored_arrays

    ours = sum(one.size for one in stored_arrays(module) if one.trainable)
    return entries(module.parameters()), entries(module.trainable_parameters()), ours


def layers_of(spec):
    """Return the entries of all layers of an encoder, by the formula."""
    named = inventory(spec.letters())
    return sum(one.size * one.repeat for one in named if one.path.startswith("layers."))


def test_its_encoder_has_no_attention_biases_and_one_norm_more(nn):
    """At BERT-base: four biases of H fewer in each of 12 layers, and a norm of 2·H at the end."""
    hidden = BERT.hidden_size
    sizes = BERT.num_hidden_layers, hidden, BERT.num_attention_heads, BERT.intermediate_size
    encoder = nn.TransformerEncoder(*sizes)
    assert layers_of(BERT) == 85_054_464
    assert entries(encoder.parameters()) - layers_of(BERT) == -48 * hidden + 2 * hidden == -35_328
    del encoder["ln"]
    for layer in encoder.layers:
        layer.attention = nn.MultiHeadAttention(hidden, BERT.num_attention_heads, bias=True)
    assert entries(encoder.parameters()) == layers_of(BERT)


def test_frozen_parameters_are_parameters(nn):
    module = nn.Sequential(nn.Linear(H, F), nn.Linear(F, H))
    module.layers[0].freeze()
    rest = F * H + H
    assert counts(module) == (DENSE + rest, rest, rest)


def test_a_frozen_bias_stays_frozen_by_its_key(nn):
    module = nn.Linear(H, F)
    module.freeze(keys="bias")
    assert counts(module) == (DENSE, DENSE - F, DENSE - F)


def test_the_statistics_of_a_batch_norm_are_parameters(nn):
    """They are frozen, and stay so: ``unfreeze`` does not make them trainable."""
    norm = nn.BatchNorm(H)
    assert counts(norm) == (4 * H, 2 * H, 2 * H)
    norm.unfreeze()
    assert counts(norm) == (4 * H, 2 * H, 2 * H)


def test_a_shared_module_is_listed_twice_and_stored_once(nn):
    shared = nn.Linear(H, H)
    own = H * H + H
    assert counts(nn.Sequential(shared, shared)) == (2 * own, 2 * own, own)


def test_a_shared_array_is_no_longer_shared_after_an_update(nn):
    """An optimiser puts a new array in each place, so a model ties by ``as_linear``."""
    from mlx import optimizers

    table, head = nn.Embedding(F, H), nn.Linear(H, F, bias=False)
    head.weight = table.weight
    module = nn.Sequential(table, head)
    assert counts(module)[2] == F * H
    optimizers.SGD(0.1).update(module, module.trainable_parameters())
    assert counts(module)[2] == 2 * F * H


@pytest.mark.parametrize("hide", [lambda one: (one,), lambda one: {"a": (one,)}])
def test_a_module_in_a_tuple_is_not_found(nn, hide):
    """A list or a dict is searched; of a tuple nobody says that it is not."""

    class Net(nn.Module):
        def __init__(self, hidden):
            super().__init__()
            self.parts = hidden

    assert counts(Net([nn.Linear(H, F)])) == (DENSE,) * 3
    assert counts(Net({"a": nn.Linear(H, F)})) == (DENSE,) * 3
    assert counts(Net(hide(nn.Linear(H, F)))) == (0, 0, 0)


def test_an_attribute_with_an_underscore_is_not_a_parameter(nn):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self._hidden = nn.Linear(H, F)
            self.shown = nn.Linear(H, F)

    assert counts(Net()) == (DENSE,) * 3


def test_rotary_and_sinusoidal_positions_have_no_parameters(nn):
    assert counts(nn.RoPE(H)) == counts(nn.SinusoidalPositionalEncoding(H)) == (0, 0, 0)


def test_a_dropout_has_no_parameters(nn):
    assert counts(nn.Dropout(0.5)) == (0, 0, 0)


def test_an_inner_width_of_0_is_four_times_the_width(nn):
    """``mlp_dims or 4 * dims``: 0 counts as not given."""
    layer = nn.TransformerEncoderLayer(H, A, 0)
    assert layer.linear1.weight.shape == (4 * H, H)


def test_float64_is_stored_in_full_and_computed_in_float32():
    """On the CPU; elsewhere MLX has no float64. The header names the steps that are float32."""
    import mlx.core as mx
    import numpy as np

    x = np.linspace(0.1, 2, 50)
    with mx.stream(mx.cpu):
        given = mx.array(x, dtype=mx.float64)
        assert np.array_equal(np.array(given), x)
        assert np.abs(np.array(mx.tanh(given)) - np.tanh(x)).max() < 1e-15
        for ours, right in ((mx.exp, np.exp), (mx.sin, np.sin), (mx.erf, np.vectorize(math.erf))):
            error = np.abs(np.array(ours(given)) - right(x)).max()
            assert 1e-9 < error < 1e-5


def test_nothing_is_computed_when_a_model_is_built(nn, monkeypatch):
    """Its size would be 1.4 TB in float64; an array is computed when it is read."""
    spec = named_model("encoder-175b").spec
    model = load("mlx").build(spec, dtype="float64")
    assert sum(weight.size for weight in model.weights()) == 174_755_291_136
    with pytest.raises(RuntimeError, match="allocate=True"):
        model.read()


def test_building_needs_no_compiler(nn, monkeypatch):
    """MLX compiles its activations on the CPU with a C++ compiler; a forward pass here does not."""
    import mlx.core as mx

    from paramproof.builders.frameworks.mlx.model import on_cpu

    calls = []
    square = mx.compile(lambda x: calls.append(x) or x * x)
    for _ in range(3):
        with on_cpu():
            mx.eval(square(mx.array([2.0])))
    assert len(calls) == 3


# Field and value: the error, or the difference to the closed form at the same letters.
LAYER = 4 * H * H + 9 * H + 2 * H * F + F
NEGATIVE = (ValueError, "Negative dimensions not allowed")
WITHOUT_OUR_CHECKS = {
    ("hidden_size", 10): (ValueError, "divisible by the number of heads"),
    ("hidden_size", 0): (ZeroDivisionError, "division by zero"),
    ("hidden_size", -6): (ValueError, "math domain error"),
    ("num_hidden_layers", -1): LAYER,  # none are built, which is one more than -1
    ("num_attention_heads", 4): (ValueError, "divisible by the number of heads"),
    ("num_attention_heads", 0): (ZeroDivisionError, "modulo by zero"),
    ("num_attention_heads", -3): AS_THE_FORMULA,
    # ``mlp_dims or 4 * dims`` in each of the two layers.
    ("intermediate_size", 0): 2 * (2 * H * 4 * H + 4 * H),
    ("intermediate_size", -1): NEGATIVE,
    ("vocab_size", 0): AS_THE_FORMULA,
    ("vocab_size", -1): NEGATIVE,
    ("max_position_embeddings", 0): AS_THE_FORMULA,
    ("max_position_embeddings", -1): NEGATIVE,
    ("type_vocab_size", 0): AS_THE_FORMULA,
    ("type_vocab_size", -1): NEGATIVE,
}


# MLX 0.31 makes an array of the shape (-1, 6), which has no entries until somebody reads it.
ROWS = [
    pytest.param(*row, marks=[pytest.mark.documented("mlx")] if outcome is NEGATIVE else ())
    for row, outcome in WITHOUT_OUR_CHECKS.items()
]


@pytest.mark.parametrize(("field", "value"), ROWS)
def test_impossible_sizes_without_our_checks(field, value):
    outcome = WITHOUT_OUR_CHECKS[field, value]
    assert_outcome(load("mlx"), spec_without_checks(**{field: value}), outcome)


def test_a_missing_backend_is_absent_and_not_broken():
    """The wheel for Linux has no backend of its own."""
    code = (
        "import sys; sys.modules['mlx.core'] = None\n"
        "from paramproof.builders import FrameworkUnavailable, load\n"
        "try: load('mlx')\n"
        "except FrameworkUnavailable as error: print(error)"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("mlx has no backend that it can load (")
    assert done.stdout.endswith("on Linux, install mlx[cpu]\n")
