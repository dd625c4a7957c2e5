"""Derivation finds what a model does far from its own sizes, or beyond other conditions."""

import pytest

from tests.frameworks.derive.deriving import conditions, count, derived

pytestmark = pytest.mark.framework("torch")

OTHERS = "other tensors are created"


@pytest.mark.parametrize(
    ("name", "stated", "last", "beyond"),
    [
        ("bisected", "H < 1000000", {"hidden_size": 999_999}, {"hidden_size": 10**6}),
        (
            "one_limit_beyond_another",
            "V ≤ 900000",
            {"vocab_size": 900_000},
            {"vocab_size": 900_001},
        ),
    ],
)
def test_what_is_asked_beyond_other_conditions_is_stated(name, stated, last, beyond):
    found = derived(f"far:{name}")
    assert conditions(found) == {stated: OTHERS}
    assert found.is_proved
    sizes = {letter: last.get(field, found.sizes[letter]) for letter, field in found.fields.items()}
    assert found.count(sizes) == count(f"far:{name}", **last)
    # It was traced up to the first question that had another answer, and no farther.
    assert not found.is_proved_at(sizes)
    there = {
        letter: beyond.get(field, found.sizes[letter]) for letter, field in found.fields.items()
    }
    assert found.formula.evaluate(there) != count(f"far:{name}", **beyond)
    with pytest.raises(ValueError, match="the formula holds where"):
        found.count(there)


@pytest.mark.parametrize(
    ("name", "sizes"), [("wide", {"H": 1601, "L": 3}), ("many_layers", {"H": 8, "L": 101})]
)
def test_nothing_is_counted_where_far_models_are_otherwise(name, sizes):
    found = derived(f"far:{name}")
    there = {field: sizes[letter] for letter, field in found.fields.items()}
    assert found.formula.evaluate(sizes) != count(f"far:{name}", **there)
    with pytest.raises(ValueError, match="the formula holds"):
        found.count(sizes)


def test_what_is_refused_far_away_is_held_closer():
    found = derived("far:limited")
    assert (str(found.formula), found.fixed, found.conditions) == ("L·(H² + H)", (), ())
    assert 64 * 15 * 0.7 < found.validated["H"][1] <= 5000


def test_a_model_is_validated_far_away():
    found = derived("branches:moves_nothing")
    low, high = found.validated["H"]
    assert low < 8
    assert high >= 8 * 300 * 0.7
