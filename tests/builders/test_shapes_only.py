"""Tools for tests of shapes: cached models, and frameworks with the same shapes."""

import pytest

from paramproof.builders.registry import frameworks
from paramproof.formulas import Weight
from tests.remembered import MAX_SPECS, Remembering
from tests.selection import SHAPES_ARE_THOSE_OF
from tests.specs import SPECS


class Counting:
    def __init__(self):
        self.asked = []

    def supports(self, spec):
        return True

    def build(self, spec, numerics=None, *, allocate=False, dtype="float32"):
        self.asked.append((spec, numerics, allocate, dtype))
        return self

    def weights(self):
        return [Weight(f"weight {len(self.asked)}", (1,), True, ())]


def test_a_spec_is_built_once():
    counting = Counting()
    abstract = Remembering(counting)
    for _ in range(2):
        paths = [abstract.build(spec).weights()[0].path for spec in SPECS.values()]
        assert paths == [f"weight {number}" for number in range(1, len(SPECS) + 1)]
    assert len(counting.asked) == len(SPECS)


def test_allocated_models_are_built_anew():
    counting = Counting()
    abstract = Remembering(counting)
    spec = SPECS["encoder"]
    for _ in range(2):
        assert abstract.build(spec, None, allocate=True, dtype="float64") is counting
    assert counting.asked == [(spec, None, True, "float64")] * 2


def test_the_cache_is_bounded():
    abstract = Remembering(Counting())
    for spec in range(MAX_SPECS + 1):
        abstract.build(spec)
    assert list(abstract.known) == list(range(1, MAX_SPECS + 1))


@pytest.mark.parametrize(("name", "other"), SHAPES_ARE_THOSE_OF.items())
def test_frameworks_with_the_same_shapes_share_a_file(name, other):
    assert frameworks()[name].module == frameworks()[other].module
