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


def attention(num_heads, key_dim, **options):
    from keras import layers

    layer = layers.MultiHeadAttention(num_heads, key_dim, **options)
    layer.build((None, None, H), (None, None, H))
    return layer


ATTENTION = 4 * (H * H + H)
COUNTS = {
    # ``variables`` holds a seed for every dropout, of two numbers.
    "dropouts": (DENSE, DENSE, 0, DENSE + 2 * 3),
    "dropouts at rate 0": (DENSE, DENSE, 0, DENSE),
    "attention with dropout": (ATTENTION, ATTENTION, 0, ATTENTION + 2),
    # ``count_params`` includes the statistics.
    "batch norm": (DENSE + 4 * F, DENSE + 2 * F, 2 * F, DENSE + 4 * F),
    "frozen": (DENSE + 4 * F, 0, DENSE + 4 * F, DENSE + 4 * F),
    "a layer used twice": (H * H + H, H * H + H, 0, H * H + H),
    # key_dim is the width of one head: passing the hidden size, as other frameworks expect, gives A
    # times the attention.
    "key_dim of a head": (ATTENTION, ATTENTION, 0, ATTENTION),
    "key_dim of all heads": (*(A * ATTENTION - (A - 1) * H,) * 2, 0, A * ATTENTION - (A - 1) * H),
    # One more column per head in the value's kernel and bias, one more row in the output's kernel.
    "value_dim": (*(ATTENTION + A * (H + 1 + H),) * 2, 0, ATTENTION + A * (H + 1 + H)),
}
"""By ``count_params()`` and in ``weights``; those trained, not trained; and in ``variables``."""


def modules():
    from keras import layers

    frozen, shared = with_batch_norm(), layers.Dense(H)
    frozen.trainable = False
    return {
        "dropouts": stack(layers.Dense(F), *(layers.Dropout(0.1) for _ in range(3))),
        "dropouts at rate 0": stack(layers.Dense(F), *(layers.Dropout(0.0) for _ in range(3))),
        "attention with dropout": attention(A, H // A, dropout=0.1),
        "batch norm": with_batch_norm(),
        "frozen": frozen,
        "a layer used twice": stack(shared, layers.ReLU(), shared),
        "key_dim of a head": attention(A, H // A),
        "key_dim of all heads": attention(A, H),
        "value_dim": attention(A, H // A, value_dim=H // A + 1),
    }


def with_batch_norm():
    from keras import layers

    return stack(layers.Dense(F), layers.BatchNormalization())


def test_counts():
    def counts(model):
        assert model.count_params() == entries(model.weights)
        groups = (model.trainable_weights, model.non_trainable_weights, model.variables)
        return model.count_params(), *map(entries, groups)

    assert {name: counts(module) for name, module in modules().items()} == COUNTS


def test_our_weights_list_these_statistics_as_not_trainable():
    from keras import backend

    loaded = load(f"keras-{backend.backend()}")
    weights = loaded.KerasModel(with_batch_norm(), allocated=True).weights()
    assert sum(weight.size for weight in weights if weight.trainable) == DENSE + 2 * F
    assert sum(weight.size for weight in weights if not weight.trainable) == 2 * F


def test_an_abstract_build_leaves_no_variable_to_allocate():
    """Keras lists variables without a value; the next scope to end allocates each of them."""
    import keras

    from paramproof.formulas.models import named_model
    from paramproof.verify.worker import peak_memory

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
