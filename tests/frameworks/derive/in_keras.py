"""A decoder of Keras 3's own layers, whatever its backend."""

import keras


def model(hidden_size=12, heads=3, vocab_size=100, layers=2):
    inputs = x = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(vocab_size, hidden_size)(x)
    for _ in range(layers):
        x = keras.layers.MultiHeadAttention(heads, hidden_size // heads)(x, x)
        x = keras.layers.LayerNormalization()(x)
    return keras.Model(inputs, keras.layers.Dense(vocab_size, use_bias=False)(x))


class Heads(keras.layers.Layer):
    """Values of heads that are as wide as its input says, divided where nobody sees it."""

    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def build(self, shape):
        self.values = self.add_weight(shape=(shape[-1], self.heads, shape[-1] // self.heads))

    def call(self, x):
        return x


def divided(hidden_size=12, heads=3, vocab_size=100):
    inputs = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(vocab_size, hidden_size)(inputs)
    return keras.Model(inputs, Heads(heads)(x))


def built_before(hidden_size=12, vocab_size=100):
    """A layer that knows the width of its input, and asks the input whether it is that."""
    inputs = keras.Input((None,), dtype="int32")
    dense = keras.layers.Dense(hidden_size)
    dense.build((None, None, hidden_size))
    return keras.Model(inputs, dense(keras.layers.Embedding(vocab_size, hidden_size)(inputs)))


def unbuilt(hidden_size=12):
    return keras.layers.Dense(hidden_size)
