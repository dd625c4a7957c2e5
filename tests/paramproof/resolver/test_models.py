"""A resolved model's account of itself: its status, how it was read, and its title."""

from dataclasses import replace

import pytest

from paramproof.formulas import Weight
from paramproof.formulas.condition import condition_in
from paramproof.formulas.derivation import PROVED
from paramproof.resolver import Model
from paramproof.resolver.models import CountedWeights
from tests.derivations import MIXTURE


@pytest.mark.parametrize(
    ("guard", "reasons"), [("V ≤ 40", 1), ("V ≤ 50", 0), ("V ≥ 50", 0), ("V ≥ 51", 1)]
)
def test_a_formula_has_one_status_and_says_where_its_proof_ends(guard, reasons):
    """A guard without effect on the count bounds the sizes for which the formula is proved."""
    assert MIXTURE.sizes["V"] == 50
    bounded = replace(MIXTURE, irrelevant_guards=(condition_in(guard),))
    found = Model(name="it", architecture=bounded)
    assert found.status == PROVED
    assert len(found.reasons) == reasons
    said = next(line for line in found.origin() if line.startswith("formula: "))
    assert said.endswith(f": {PROVED}")
    assert sum(line.startswith("not proved at these sizes: ") for line in found.origin()) == reasons


def test_the_origin_of_a_derived_formula():
    here = Model(name="it", architecture=MIXTURE, seconds=0.25)
    first, *others = here.origin()
    assert MIXTURE.name in first
    assert "transformers 5, torch 2" in first
    assert first.endswith(f": {PROVED}")
    assert others == []
    before = next(replace(here, seconds=None).origin())
    assert before == first.replace("derived in 0.2 s", "derived before")
    assert "catalogue" not in before


def test_a_shared_weight_of_a_live_model_counts_once():
    """Also where the further names are those of other layers, and become the same path."""
    shared = Weight("layers.0.w", (2, 3), True, aliases=("layers.1.w", "head.w"))
    named = CountedWeights.of("mine", [shared]).inventory()
    assert named.total() == 6
    assert [(one.path, one.tied_to) for one in named] == [
        ("layers.*.w", None),
        ("layers.*.w", "layers.*.w"),
        ("head.w", "layers.*.w"),
    ]


def test_a_weight_of_several_layers_belongs_to_a_layer():
    layers = [Weight(f"layers.{number}.w", (2, 3), True) for number in range(2)]
    named = CountedWeights.of("mine", [*layers, Weight("w", (2, 3), True)]).named
    assert [(one.repeat, one.parts.layer) for one in named] == [(2, True), (1, False)]
