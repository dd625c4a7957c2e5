"""Common miscounts in nnx, and by how much each one is off."""

import pytest

pytestmark = pytest.mark.framework("flax-nnx")

B, S, H, F, R = 1, 3, 6, 5, 2
DENSE = H * F + F
ATTENTION = 4 * (H * H + H)

COUNTS = {
    # Each dropout keeps a key and a count.
    "dropouts": (DENSE + 2 * 3, DENSE, DENSE, {"RngKey": 3, "RngCount": 3}),
    "batch norm": (2 * H + 2 * H, 2 * H, 2 * H, {"BatchStat": 2 * H}),
    # The keys and values of every position, and the number of positions so far.
    "decoding": (ATTENTION + 2 * B * S * H + 1, ATTENTION, ATTENTION, {"Cache": 2 * B * S * H + 1}),
    # Fine-tuning with rank R adds that many parameters to a layer, and they are listed.
    "LoRA": (*(DENSE + R * (H + F),) * 3, {"LoRAParam": R * (H + F)}),
    "an nnx.List": (*(3 * DENSE,) * 3, {}),
    "a shared module": (*(H * H + H,) * 3, {}),
    # linen creates parameters when a module is called, nnx when it is constructed.
    "never called": (*(DENSE,) * 3, {}),
}
"""The entries of the whole state, of ``nnx.Param`` alone, of our list, and of other filters."""


def modules():
    from flax import nnx

    class Held(nnx.Module):
        def __init__(self, layers):
            self.layers = layers

    rngs = nnx.Rngs(0)
    decoding = nnx.MultiHeadAttention(3, H, decode=True, rngs=rngs)
    decoding.init_cache((B, S, H))
    shared = nnx.Linear(H, H, rngs=rngs)
    dropouts = [nnx.Dropout(0.1, rngs=nnx.Rngs(0)) for _ in range(3)]
    return {
        "dropouts": nnx.Sequential(nnx.Linear(H, F, rngs=rngs), *dropouts),
        "batch norm": nnx.BatchNorm(H, rngs=rngs),
        "decoding": decoding,
        "LoRA": nnx.LoRALinear(H, F, lora_rank=R, rngs=rngs),
        "an nnx.List": Held(nnx.List(nnx.Linear(H, F, rngs=rngs) for _ in range(3))),
        "a shared module": nnx.Sequential(shared, shared),
        "never called": Held(nnx.Linear(H, F, rngs=rngs)),
    }


def counts(module, filters):
    import jax
    from flax import nnx

    from paramproof.builders.frameworks.flax_nnx import NnxModel

    def entries(*of):
        return sum(leaf.size for leaf in jax.tree.leaves(nnx.state(module, *of)))

    ours = sum(weight.size for weight in NnxModel(module).weights())
    others = {name: entries(getattr(nnx, name)) for name in filters}
    return entries(), entries(nnx.Param), ours, others


def test_counts():
    found = {name: counts(module, COUNTS[name][3]) for name, module in modules().items()}
    assert found == COUNTS


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_plain_sequence_of_modules_is_refused(kind):
    from flax import nnx

    class Plain(nnx.Module):
        def __init__(self):
            self.layers = kind([nnx.Linear(H, F, rngs=nnx.Rngs(0))])

    with pytest.raises(ValueError, match=f"Found data on value of type .*{kind.__name__}"):
        Plain()
