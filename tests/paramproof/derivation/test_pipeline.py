"""The attempts of a derivation: which sizes each one keeps fixed, and what is read from values."""

import pytest

from paramproof.derivation import pipeline
from paramproof.derivation.alignment import TraceAligner
from paramproof.derivation.pipeline import Effort, derive
from tests.paramproof.derivation.toys import toy


def layers(width, heads):
    return [("heads.weight", (heads, width)), ("rest", (width + 1,))]


def test_sizes_that_number_layers_stay_fixed_in_every_later_attempt(monkeypatch):
    fixed = []

    class Runner(pipeline.TraceRunner):
        def __init__(self, constructor, random, deepest, kept):
            fixed.append(set(kept))
            super().__init__(constructor, random, deepest, kept)

    monkeypatch.setattr(pipeline, "TraceRunner", Runner)
    monkeypatch.setattr(TraceAligner, "numbers_of_layers", lambda aligner: {"heads"})
    attempts = pipeline._aligners(
        toy(layers, width=12, heads=3),
        0,
        Effort(),
        lambda text: None,
    )
    assert [(one.richer, one.runner.fixed) for one in attempts] == [
        (True, set()),
        (True, {"heads"}),
    ]
    assert fixed == [set(), {"heads"}]


@pytest.mark.parametrize("seed", range(24))
def test_the_length_of_a_loop_is_no_constant(seed):
    """Few layers are drawn, and three numbers of them may be the same by chance."""

    def made(width, layers):
        return [(f"layers.{index}.scale", (width,)) for index in range(layers)]

    constructor = toy(made, width=12, layers=3)
    found = derive(constructor, seed, effort=Effort(generic=2, held=2, deepest=4))
    assert str(found.formula) == "L·H"
    assert found.fixed == ()
