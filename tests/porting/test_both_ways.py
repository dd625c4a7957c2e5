"""From PyTorch to each framework that can share its process and back, exact to the bit."""

import pytest

from paramproof.builders import load
from paramproof.builders.registry import frameworks
from paramproof.weights.transfer import build_with, canonical_weights, stored_tensors, transfer
from tests.bitwise import assert_same, odd_weights
from tests.builders.refused import refuses_family
from tests.specs import SPECS

OTHERS = [
    one.name
    for one in frameworks().values()
    if one.extra and not one.environment and "torch" not in one.distributions
]
"""The frameworks of this repository that need no environment variables, nor PyTorch."""

PAIRS = [(name, family) for name in OTHERS for family in SPECS if not refuses_family(name, family)]


@pytest.mark.shared("weights are carried to each of ten frameworks and back")
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_both_ways(together, pair):
    name, family = pair
    together(["torch", name])
    torch, framework, spec = load("torch"), load(name), SPECS[family]
    # Fixed positions are the same in all, and not every framework stores them.
    trainable = [tensor for tensor in stored_tensors(spec).values() if tensor.trainable]
    weights = odd_weights(trainable, "float32")
    first = build_with(torch, spec, weights)
    other, last = (builder.build(spec, allocate=True) for builder in (framework, torch))
    transfer(first, other, spec)
    found = canonical_weights(other, spec)
    assert_same({path: found[path] for path in weights}, weights)
    transfer(other, last, spec)
    assert_same(last.read(), first.read())
