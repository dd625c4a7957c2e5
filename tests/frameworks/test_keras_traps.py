"""Common miscounts in Keras 3, on any backend, and by how much each one is off."""

import inspect
import math

import pytest

from paramproof.builders import load
from tests.specs import SPECS

pytestmark = pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")

H, F, A = 12, 5, 2
DENSE = H * F + F


def entries(variables):
    return sum(math.prod(variable.shape) for variable in variables)


def stack(*layers):
    import keras

    return keras.Sequential([keras.Input((H,)), *layers])


def with_batch_norm():
    from keras import layers

    return stack(layers.Dense(F), layers.BatchNormalization())


def attention(num_heads, key_dim, **options):
    from keras import layers

    layer = layers.MultiHeadAttention(num_heads, key_dim, **options)
    layer.build((None, None, H), (None, None, H))
    return layer


@pytest.mark.parametrize(("rate", "seeds"), [(0.1, 3), (0.0, 0)])
def test_variables_hold_a_seed_for_every_dropout(rate, seeds):
    from keras import layers

    model = stack(layers.Dense(F), *(layers.Dropout(rate) for _ in range(3)))
    assert model.count_params() == entries(model.weights) == DENSE
    assert entries(model.variables) == DENSE + 2 * seeds
    assert len(model.variables) == 2 + seeds


def test_attention_with_dropout_has_a_seed():
    dropping = attention(A, H // A, dropout=0.1)
    assert dropping.count_params() == entries(dropping.weights) == 4 * (H * H + H)
    assert entries(dropping.variables) == 4 * (H * H + H) + 2


def test_count_params_includes_the_statistics_of_a_batch_norm():
    model = with_batch_norm()
    assert model.count_params() == entries(model.weights) == DENSE + 2 * F + 2 * F
    assert entries(model.trainable_weights) == DENSE + 2 * F
    assert entries(model.non_trainable_weights) == 2 * F


def test_our_weights_list_these_statistics_as_not_trainable():
    from keras import backend

    loaded = load(f"keras-{backend.backend()}")
    weights = loaded.KerasModel(with_batch_norm(), allocated=True).weights()
    assert sum(weight.size for weight in weights if weight.trainable) == DENSE + 2 * F
    assert sum(weight.size for weight in weights if not weight.trainable) == 2 * F


def test_an_unbuilt_model_silently_counts_0():
    import keras

    class Unbuilt(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(F)

        def call(self, x):
            return self.dense(x)

    model = Unbuilt()
    assert model.weights == []
    with pytest.raises(ValueError, match="the layer isn't built"):
        model.count_params()
    model(keras.ops.ones((1, H)))
    assert entries(model.weights) == model.count_params() == DENSE


def test_training_adds_variables_to_the_optimizer_and_the_metrics():
    import numpy as np

    model = with_batch_norm()
    before, seen = model.count_params(), [id(variable) for variable in model.variables]
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.ones((2, H), "float32"), np.ones((2, F), "float32"), verbose=0)
    assert model.count_params() == before
    assert [id(variable) for variable in model.variables] == seen
    # Adam keeps two moments of every trainable weight, its step and its learning rate.
    assert entries(model.optimizer.variables) == 2 * entries(model.trainable_weights) + 2
    # Loss and metric have a total and a count each.
    assert entries(model.metrics_variables) == 2 * 2


def test_freezing_does_not_change_count_params():
    model = with_batch_norm()
    before = model.count_params()
    model.trainable = False
    assert model.trainable_weights == []
    assert model.count_params() == entries(model.non_trainable_weights) == before


def test_a_layer_used_twice_is_counted_once():
    from keras import layers

    shared = layers.Dense(H)
    assert stack(shared, layers.ReLU(), shared).count_params() == H * H + H


@pytest.mark.parametrize("key_dim", [H // A, H])
def test_key_dim_is_the_width_of_one_head(key_dim):
    """Passing the hidden size, as other frameworks expect, gives A times the attention."""
    width = A * key_dim
    count = 3 * (H * width + width) + width * H + H
    assert attention(A, key_dim).count_params() == count
    assert (count == 4 * (H * H + H)) == (key_dim == H // A)


def test_key_dim_of_the_hidden_size_is_explained():
    from paramproof.explanation.ways import describe
    from paramproof.resolver import resolve

    spec = SPECS["encoder"]
    number = attention(spec.num_attention_heads, spec.hidden_size).count_params()
    wide = {way.what: way.number for way in describe(resolve(spec)).ways if way.kind == "wide"}
    assert wide["layers.*.attention"] == number


def test_a_value_dim_of_its_own_changes_value_and_output():
    wider = attention(A, H // A, value_dim=H // A + 1)
    # One more column per head in the value's kernel and bias, one more row in the output's kernel.
    assert wider.count_params() - 4 * (H * H + H) == A * (H + 1 + H)


def test_an_abstract_build_leaves_no_variable_to_allocate():
    """Keras lists variables without a value; the next scope to end allocates each of them."""
    import keras

    from paramproof.formulas.models import named_model
    from paramproof.workers.memory import peak_memory

    builder = load(f"keras-{keras.backend.backend()}")
    model = builder.build(named_model("bert-base").spec)
    before = peak_memory()
    with keras.StatelessScope():
        pass
    # The model's 109 million parameters would take 438 MB.
    assert peak_memory() - before < 50e6
    assert len(model.weights()) == 5 + 12 * 16 + 2


def test_no_backend_computes_in_an_abstract_build(monkeypatch):
    """Hence shapes are tested with one of the three (``SHAPES_ARE_THOSE_OF`` in selection.py)."""
    import keras
    from keras.src import backend

    def forbidden(*arguments, **options):
        raise AssertionError("a backend computes")

    for part in (backend.numpy, backend.nn, backend.math, backend.random, backend.linalg):
        for name, function in vars(part).items():
            if inspect.isfunction(function) and function.__module__ == part.__name__:
                monkeypatch.setattr(part, name, forbidden)
    with pytest.raises(AssertionError, match="a backend computes"):
        keras.ops.ones((1,))
    builder = load(f"keras-{keras.backend.backend()}")
    for spec in SPECS.values():
        assert builder.build(spec).weights()


def test_only_torch_multiplies_float64_in_float32():
    """A dense layer computes in float32 there, and without a bias its output is float32."""
    from contextlib import nullcontext

    from keras import backend, layers, ops

    precise = nullcontext
    if backend.backend() == "jax":
        from jax import enable_x64 as precise
    with precise(True):
        x = ops.ones((1, 2), dtype="float64")
        plain = layers.Dense(3, use_bias=False, dtype="float64")(x)
        biased = layers.Dense(3, dtype="float64")(x)
    expected = "float32" if backend.backend() == "torch" else "float64"
    assert backend.standardize_dtype(plain.dtype) == expected
    assert backend.standardize_dtype(biased.dtype) == "float64"


def test_llama_is_refused_without_keras_rms_norm(monkeypatch):
    """As before Keras 3.9; the other families are supported."""
    import keras

    from paramproof.builders.frameworks.keras import supports

    assert supports(SPECS["llama"]) is True
    monkeypatch.delattr(keras.layers, "RMSNormalization")
    assert supports(SPECS["llama"]) == (
        f"Keras {keras.__version__} has no RMSNormalization, and 3.9 has one for LLaMA"
    )
    assert supports(SPECS["encoder"]) is True
