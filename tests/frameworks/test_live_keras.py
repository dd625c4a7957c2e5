"""Live models of Keras, functional and with their own names, on any backend."""

import pytest

from tests.specs import LIVE_ENCODER as SPEC

pytestmark = pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")


def report_on(model):
    from paramproof import compare

    return compare(model, SPEC)


def functional(norm=None, key_dim=4):
    import keras
    from keras import layers

    norm = norm or layers.LayerNormalization
    ids = keras.Input((None,), dtype="int32")
    segments = keras.Input((None,), dtype="int32")
    x = layers.Embedding(31, 12)(ids) + layers.Embedding(2, 12)(segments)
    x = x + layers.Embedding(17, 12)(keras.ops.cumsum(keras.ops.ones_like(ids), axis=1))
    x = layers.LayerNormalization()(x)
    for _ in range(2):
        x = norm()(x + layers.MultiHeadAttention(3, key_dim)(x, x))
        x = norm()(x + layers.Dense(12)(layers.Dense(20, "gelu")(x)))
    return keras.Model([ids, segments], layers.Dense(12, "tanh")(x[:, 0]))


def test_functional():
    report = report_on(functional())
    assert report.equal, report.render()
    assert report.frozen == 0


def test_statistics_are_not_trainable():
    from keras import layers

    report = report_on(functional(norm=layers.BatchNormalization))
    assert (report.equal, report.frozen) == (True, 4 * 2 * 12)


def test_frozen():
    model = functional()
    model.layers[-1].trainable = False
    report = report_on(model)
    assert (report.difference, report.frozen) == (-(12 * 12 + 12), 12 * 12 + 12)
    assert report.render().count("is frozen, but should be trainable") == 2


def test_key_dim_taken_for_the_width_of_all_heads():
    """A common mistake: key_dim is the width of one head."""
    report = report_on(functional(key_dim=12))
    assert report.difference == 2 * (4 * 12 * 24 + 3 * 24)
    assert "(12, 3, 12)" in report.render()


def test_not_built():
    import keras

    with pytest.raises(ValueError, match=r"Sequential is not built: sequential\w* has no weights"):
        report_on(keras.Sequential([keras.layers.Dense(3)]))
    with pytest.raises(ValueError, match=r"Dense is not built: dense\w* has no weights yet"):
        report_on(keras.layers.Dense(3))
    built = keras.layers.Dropout(0.5)
    built.build((None, 3))
    with pytest.raises(ValueError, match="Dropout is empty: it has no weights"):
        report_on(built)
