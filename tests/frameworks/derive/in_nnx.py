"""The same decoder in nnx."""

from flax import nnx


class Decoder(nnx.Module):
    def __init__(self, hidden_size, heads, vocab_size, layers, rngs):
        self.embedding = nnx.Embed(vocab_size, hidden_size, rngs=rngs)
        self.attention = nnx.List(
            nnx.MultiHeadAttention(heads, hidden_size, decode=False, rngs=rngs)
            for _ in range(layers)
        )
        self.norm = nnx.List(nnx.LayerNorm(hidden_size, rngs=rngs) for _ in range(layers))
        self.head = nnx.Linear(hidden_size, vocab_size, use_bias=False, rngs=rngs)


def model(hidden_size=12, heads=3, vocab_size=100, layers=2):
    return Decoder(hidden_size, heads, vocab_size, layers, nnx.Rngs(0))
