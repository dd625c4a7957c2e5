"""MLX: what it does not compute, and where it has no backend."""

from dataclasses import replace

import pytest

from paramproof.builders import load
from paramproof.builders.protocol import UnsupportedSpec
from paramproof.formulas.models import named_model
from tests.sessions import run_python

pytestmark = pytest.mark.framework("mlx")


def test_nothing_is_computed_when_a_model_is_built():
    """Its size would be 1.4 TB in float64; an array is computed when it is read."""
    model = load("mlx").build(named_model("encoder-175b").spec, dtype="float64")
    assert sum(weight.size for weight in model.weights()) == 174_755_291_136
    with pytest.raises(RuntimeError, match="allocate=True"):
        model.read()


def test_a_length_of_more_than_32_bits_is_refused():
    spec = replace(named_model("bert-base").spec, vocab_size=2**33)
    with pytest.raises(UnsupportedSpec, match="MLX has lengths of 32 bits alone"):
        load("mlx").build(spec)


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
    done = run_python("-c", code)
    assert done.stdout.startswith("mlx has no backend that it can load (")
    assert done.stdout.endswith("on Linux, install mlx[cpu]\n")
