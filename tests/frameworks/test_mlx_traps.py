"""Common miscounts in MLX, and by how much each one is off."""

import os
import subprocess
import sys

import pytest

from paramproof.builders import load
from paramproof.formulas import inventory
from paramproof.formulas.models import named_model

pytestmark = pytest.mark.framework("mlx")

H, F, A = 6, 5, 3
DENSE = H * F + F
REST = F * H + H

COUNTS = {
    "frozen first layer": (DENSE + REST, REST, REST),
    "frozen bias": (DENSE, DENSE - F, DENSE - F),
    # Statistics are frozen, and stay so: ``unfreeze`` does not make them trainable.
    "batch norm": (4 * H, 2 * H, 2 * H),
    "unfrozen batch norm": (4 * H, 2 * H, 2 * H),
    # Listed twice and stored once.
    "a shared module": (2 * (H * H + H), 2 * (H * H + H), H * H + H),
    # A list or a dict is searched; of a tuple nobody says that it is not.
    "in a list": (DENSE,) * 3,
    "in a dict": (DENSE,) * 3,
    "in a tuple": (0, 0, 0),
    "in a tuple in a dict": (0, 0, 0),
    "with an underscore": (0, 0, 0),
    "rotary positions": (0, 0, 0),
    "sines": (0, 0, 0),
    "dropout": (0, 0, 0),
    # ``mlp_dims or 4 * dims``: an inner width of 0 counts as not given.
    "an inner width of 0": (4 * H * H + 4 * H + (2 * H * 4 * H + 5 * H),) * 3,
}
"""The entries of ``parameters()``, of ``trainable_parameters()``, and of our list."""


def modules():
    from mlx import nn

    class Net(nn.Module):
        def __init__(self, **parts):
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

    first, bias, norm, shared = nn.Linear(H, F), nn.Linear(H, F), nn.BatchNorm(H), nn.Linear(H, H)
    first.freeze()
    bias.freeze(keys="bias")
    norm.unfreeze()
    return {
        "frozen first layer": nn.Sequential(first, nn.Linear(F, H)),
        "frozen bias": bias,
        "batch norm": nn.BatchNorm(H),
        "unfrozen batch norm": norm,
        "a shared module": nn.Sequential(shared, shared),
        "in a list": Net(parts=[nn.Linear(H, F)]),
        "in a dict": Net(parts={"a": nn.Linear(H, F)}),
        "in a tuple": Net(parts=(nn.Linear(H, F),)),
        "in a tuple in a dict": Net(parts={"a": (nn.Linear(H, F),)}),
        "with an underscore": Net(_hidden=nn.Linear(H, F)),
        "rotary positions": nn.RoPE(H),
        "sines": nn.SinusoidalPositionalEncoding(H),
        "dropout": nn.Dropout(0.5),
        "an inner width of 0": nn.TransformerEncoderLayer(H, A, 0),
    }


def entries(tree):
    """Return the entries of every array in a tree, each time that it is in it."""
    from mlx.utils import tree_flatten

    return sum(array.size for _, array in tree_flatten(tree))


def counts(module):
    from paramproof.builders.frameworks.mlx import stored_arrays

    ours = sum(one.size for one in stored_arrays(module) if one.trainable)
    return entries(module.parameters()), entries(module.trainable_parameters()), ours


def test_counts():
    assert {name: counts(module) for name, module in modules().items()} == COUNTS


def test_its_encoder_has_no_attention_biases_and_one_norm_more():
    """At BERT-base: four biases of H fewer in each of 12 layers, and a norm of 2·H at the end."""
    from mlx import nn

    spec = named_model("bert-base").spec
    hidden, heads = spec.hidden_size, spec.num_attention_heads
    encoder = nn.TransformerEncoder(spec.num_hidden_layers, hidden, heads, spec.intermediate_size)
    layers = inventory(spec.letters()).total("layers")
    assert layers == 85_054_464
    assert entries(encoder.parameters()) - layers == -48 * hidden + 2 * hidden == -35_328
    del encoder["ln"]
    for layer in encoder.layers:
        layer.attention = nn.MultiHeadAttention(hidden, heads, bias=True)
    assert entries(encoder.parameters()) == layers


def test_nothing_is_computed_when_a_model_is_built():
    """Its size would be 1.4 TB in float64; an array is computed when it is read."""
    model = load("mlx").build(named_model("encoder-175b").spec, dtype="float64")
    assert sum(weight.size for weight in model.weights()) == 174_755_291_136
    with pytest.raises(RuntimeError, match="allocate=True"):
        model.read()


def test_building_needs_no_compiler():
    """MLX compiles its activations on the CPU with a C++ compiler; a forward pass here does not."""
    import mlx.core as mx

    from paramproof.builders.frameworks.mlx import on_cpu

    calls = []
    square = mx.compile(lambda x: calls.append(x) or x * x)
    for _ in range(3):
        with on_cpu():
            mx.eval(square(mx.array([2.0])))
    assert len(calls) == 3


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
