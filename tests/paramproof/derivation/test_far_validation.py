"""Formulas are compared with models at far larger sizes, as time allows."""

import pytest

from paramproof.derivation import validation
from paramproof.derivation.pipeline import Effort, derive
from tests.paramproof.derivation.toys import toy

pytestmark = pytest.mark.usefixtures("clock")

WIDE = 64 * 300 * 1.4
"""No size that is 64 at first is drawn wider."""


def layers(hidden_size, num_layers):
    return [(f"layers.{i}.weight", (hidden_size, hidden_size)) for i in range(num_layers)]


def rows(vocab_size, hidden_size):
    return [("embedding", (vocab_size, hidden_size))]


def square(hidden_size):
    return [("weight", (hidden_size, hidden_size))]


def width(shapes):
    return shapes[0][1][-1]


def bias_where(differs):
    return lambda shapes: [("bias", (7,))] if differs(shapes) else []


def refusing(refuses):
    def unseen(shapes):
        if refuses(shapes):
            raise ValueError("Validator: too large")
        return []

    return unseen


@pytest.mark.parametrize("turn", [64 * 9, 64 * 30, 64 * 90, 64 * 200])
def test_a_width_that_decides_unheard_is_fixed(turn):
    unseen = bias_where(lambda shapes: shapes[0][1][0] >= turn)
    found = derive(toy(rows, unseen, vocab_size=64, hidden_size=8))
    assert found.fixed == ("V",)
    assert any("did not vary once the formula had failed" in one for one in found.reasons)
    assert found.validated["V"] == (64, 64)
    assert found.validated["H"][1] > 8 * 200


def test_some_letters_are_far_beside_others_that_are_near():
    """Sizes that are all as many times as large are as large as before, compared to each other."""
    seen = []
    unseen = bias_where(lambda shapes: seen.append(sorted(shapes[0][1])))
    derive(toy(rows, unseen, vocab_size=64, hidden_size=64))
    mixed = [sizes for sizes in seen if sizes[0] < 64 * 10 and sizes[1] > 64 * 200]
    assert len(mixed) == 2
    together = [sizes for sizes in seen if sizes[0] > 64 * 10]
    assert len(together) == len(validation.FAR_FACTORS)


def test_a_depth_that_decides_unheard_is_fixed():
    found = derive(
        toy(layers, bias_where(lambda shapes: len(shapes) > 150), hidden_size=8, num_layers=3)
    )
    assert found.fixed == ("L",)
    assert found.validated["L"] == (3, 3)
    assert found.validated["H"][1] > 8 * 200


def test_how_far_it_was_held_is_said():
    found = derive(toy(layers, hidden_size=64, num_layers=3))
    low, high = found.validated["H"]
    assert low < 64 / 2
    assert 64 * 300 * 0.7 <= high <= WIDE
    low, high = found.validated["L"]
    assert low == 1
    assert 150 < high <= 180


def test_what_is_far_refused_is_made_closer():
    """The limit of a validator neither prevents a formula nor becomes a condition."""
    unseen = refusing(lambda shapes: width(shapes) > 5000)
    found = derive(toy(rows, unseen, vocab_size=64, hidden_size=64))
    assert found.fixed == ()
    assert found.conditions == ()
    assert 64 * 40 * 0.7 <= found.validated["H"][1] <= 5000
    assert found.validated["V"][1] >= 64 * 300 * 0.7


def test_what_refuses_every_far_model_is_asked_a_few_times_only():
    refused = []

    def refuses(shapes):
        refused.append(max(shapes[0][1]) > 64 * 10)
        return refused[-1]

    found = derive(toy(rows, refusing(refuses), vocab_size=64, hidden_size=64))
    assert found.fixed == ()
    assert max(high for _, high in found.validated.values()) < 64 * 10
    assert 0 < sum(refused) <= 8


def test_width_goes_as_far_as_there_is_time(clock):
    """Code that runs over a table of H times H: at 15 times the size it takes 225 times as long."""
    unseen = clock.takes(lambda shapes: (width(shapes) / 64) ** 2 / 1000)
    found = derive(toy(square, unseen, hidden_size=64))
    assert 64 * 15 * 0.7 <= found.validated["H"][1] <= 64 * 40 * 1.4
    # A model of 300 times the size would take 90 seconds.
    assert max(clock.spent) < 4


def test_depth_goes_as_far_as_there_is_time(clock):
    unseen = clock.takes(lambda shapes: len(shapes) / 100)
    found = derive(toy(layers, unseen, hidden_size=8, num_layers=3))
    assert 75 < found.validated["L"][1] <= 90
    assert found.fixed == ()


def test_of_depths_that_multiply_one_is_deep_at_a_time(clock):
    def experts(num_layers, num_experts):
        return [
            (f"layers.{i}.experts.{j}.weight", (5,))
            for i in range(num_layers)
            for j in range(num_experts)
        ]

    unseen = clock.takes(lambda shapes: len(shapes) / 1000)
    found = derive(toy(experts, unseen, num_layers=3, num_experts=4))
    assert found.validated["L"][1] > 150
    assert found.validated["E"][1] > 150
    # Both at once would take 20 seconds; the two deepest are the last two.
    assert all(0.15 < seconds <= 2 * 0.18 for seconds in clock.spent[-2:])


def test_far_models_change_no_other_sizes():
    """How many there are depends on the time: what else is drawn must not."""
    seen = []
    unseen = bias_where(lambda shapes: seen.append(width(shapes)))
    derive(toy(square, unseen, hidden_size=64), effort=Effort(far=False))
    near, seen[:] = list(seen), []
    derive(toy(square, unseen, hidden_size=64))
    assert seen[: len(near)] == near
    assert len(seen) == len(near) + 4


def test_validated_is_what_was_made():
    made = []
    unseen = bias_where(lambda shapes: made.append(shapes[0][1]))
    found = derive(toy(rows, unseen, vocab_size=64, hidden_size=64))
    for name, axis in (("V", 0), ("H", 1)):
        sizes = [shape[axis] for shape in made]
        assert found.validated[name] == (min(sizes), max(sizes))


def test_far_beyond_what_it_was_fitted_on_it_says_so():
    found = derive(toy(layers, hidden_size=64, num_layers=3))
    assert not found.is_proved
    high = found.validated["H"][1]
    assert not any("lies outside" in one for one in found.reasons_at({"H": high, "L": 2}))
    low = found.validated["H"][0]
    said = f"H = {high + 1} lies outside the sizes it was validated at ({low} to {high})"
    assert found.reasons_at({"H": high + 1, "L": 2})[0] == said
