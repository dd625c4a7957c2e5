"""Common miscounts in linen, and by how much each one is off."""

import pytest

pytestmark = pytest.mark.framework("flax-linen")

B, S, H, F = 1, 3, 6, 5
DENSE = H * F + F
ATTENTION = 4 * (H * H + H)

COUNTS = {
    # Statistics, the cache of decoding (keys, values and the number of positions so far), sown
    # values and a user's variables are other collections.
    "batch norm": (2 * H + 2 * H, 2 * H, 2 * H),
    "decoding": (ATTENTION + 2 * B * S * H + 1, ATTENTION, ATTENTION),
    "losses": (DENSE + B * S * F, DENSE, DENSE),
    # ``init`` leaves out only these sown values.
    "intermediates": (DENSE, DENSE, DENSE),
    "remembering": (DENSE + B * S * H, DENSE, DENSE),
    # A submodule that is never called has no parameters.
    "head not called": (DENSE,) * 3,
    "head called": (DENSE + 2 * F + 2,) * 3,
    "called twice": (H * H + H,) * 3,
    "a new one for every call": (2 * (H * H + H),) * 3,
    # Its random key is an argument of every call; nnx and Keras keep one.
    "dropout": (0, 0, 0),
    # qkv_features is the width of all heads, and Keras's key_dim that of one.
    "qkv_features = 6": (ATTENTION,) * 3,
    "qkv_features = 12": (3 * (H * 12 + 12) + 12 * H + H,) * 3,
}
"""The entries of all variables, of ``params`` alone, and of our model's list."""


def modules():
    import jax.numpy as jnp
    from flax import linen as nn

    class Sowing(nn.Module):
        collection: str

        @nn.compact
        def __call__(self, x):
            x = nn.Dense(F)(x)
            self.sow(self.collection, "inner", x)
            return x

    class Remembering(nn.Module):
        @nn.compact
        def __call__(self, x):
            self.variable("memory", "last", jnp.zeros, x.shape)
            return nn.Dense(F)(x)

    class Setup(nn.Module):
        called: bool

        def setup(self):
            self.used, self.head = nn.Dense(F), nn.Dense(2)

        def __call__(self, x):
            x = self.used(x)
            return self.head(x) if self.called else x

    class Twice(nn.Module):
        anew: bool

        @nn.compact
        def __call__(self, x):
            dense = nn.Dense(H)
            return (nn.Dense(H) if self.anew else dense)(dense(x))

    attention = nn.MultiHeadDotProductAttention
    return {
        "batch norm": nn.BatchNorm(use_running_average=True),
        "decoding": attention(num_heads=3, decode=True),
        "losses": Sowing("losses"),
        "intermediates": Sowing("intermediates"),
        "remembering": Remembering(),
        "head not called": Setup(False),
        "head called": Setup(True),
        "called twice": Twice(False),
        "a new one for every call": Twice(True),
        "dropout": nn.Dropout(0.1, deterministic=True),
        "qkv_features = 6": attention(num_heads=2, qkv_features=6),
        "qkv_features = 12": attention(num_heads=2, qkv_features=12),
    }


def counts(module):
    import jax
    import jax.numpy as jnp

    from paramproof.builders.frameworks.flax_linen import LinenModel

    variables = jax.eval_shape(module.init, jax.random.key(0), jnp.ones((B, S, H)))
    if not variables:
        return 0, 0, 0
    ours = sum(weight.size for weight in LinenModel(module, variables).weights())
    trees = (variables, variables["params"])
    return *(sum(leaf.size for leaf in jax.tree.leaves(tree)) for tree in trees), ours


def test_counts():
    assert {name: counts(module) for name, module in modules().items()} == COUNTS
