"""A resolved model's account of itself: its status, how it was read, and its title."""

from paramproof.formulas import Weight
from paramproof.resolver.models import CountedWeights


def test_a_shared_weight_of_a_live_model_counts_once():
    """Also where the further names are those of other layers, and become the same path."""
    shared = Weight("layers.0.w", (2, 3), True, aliases=("layers.1.w", "head.w"))
    named = CountedWeights.of("mine", [shared]).inventory()
    assert named.total() == 6
    layer = "layers.*.w"
    found = [(one.path, one.tied_to) for one in named]
    assert found == [(layer, None), (layer, layer), ("head.w", layer)]


def test_a_weight_of_several_layers_belongs_to_a_layer():
    layers = [Weight(f"layers.{number}.w", (2, 3), True) for number in range(2)]
    named = CountedWeights.of("mine", [*layers, Weight("w", (2, 3), True)]).named
    assert [(one.repeat, one.parts.layer) for one in named] == [(2, True), (1, False)]
