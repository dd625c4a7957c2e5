"""A decoder of Keras 3's own layers, whatever its backend."""

import keras


def model(hidden_size=12, heads=3, vocab_size=100, layers=2):
    """Attention, a norm and a head, of Keras's functional interface."""
    inputs = x = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(vocab_size, hidden_size)(x)
    for _ in range(layers):
        x = keras.layers.MultiHeadAttention(heads, hidden_size // heads)(x, x)
        x = keras.layers.LayerNormalization()(x)
    return keras.Model(inputs, keras.layers.Dense(vocab_size, use_bias=False)(x))


def unbuilt(hidden_size=12):
    """A layer that has seen no input."""
    return keras.layers.Dense(hidden_size)
