"""Finding a formula of what nobody traced: lengths and numbers of layers are read from values."""

from contextlib import nullcontext

import pytest

from paramproof.derivation.pipeline import Effort, derive
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.tensor_groups import ObservedTensor


def made(sizes):
    return [(f"layers.{index}.scale", int(sizes["width"])) for index in range(sizes["layers"])]


def read(model, _):
    return [ObservedTensor(path, (width,), "trainable") for path, width in model]


@pytest.mark.parametrize("seed", range(24))
def test_the_length_of_a_loop_is_no_constant(seed):
    """Few layers are drawn, and three numbers of them may be the same by chance."""
    constructor = Constructor(
        "it", {"width": 12, "layers": 3}, made, read, lambda: nullcontext(), (__name__,)
    )
    found = derive(constructor, seed, effort=Effort(generic=2, held=2, deepest=4))
    assert str(found.formula) == "L·H"
    assert found.fixed == ()
