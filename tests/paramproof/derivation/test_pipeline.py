"""The formulas that a derivation fits to models."""

import pytest

from paramproof.derivation.pipeline import Effort, derive
from tests.paramproof.derivation.toys import toy


@pytest.mark.parametrize("seed", range(24))
def test_the_length_of_a_loop_is_no_constant(seed):
    """Few layers are drawn, and three numbers of them may be the same by chance."""

    def made(width, layers):
        return [(f"layers.{index}.scale", (width,)) for index in range(layers)]

    constructor = toy(made, width=12, layers=3)
    found = derive(constructor, seed, effort=Effort(fitted=4, held=2, deepest=4))
    assert str(found.formula) == "L·H"
    assert found.fixed == ()
