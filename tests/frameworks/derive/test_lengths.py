"""Lengths that may be 0 or less: conditions of the formula, where something else happens then."""

import pytest

from tests.frameworks.derive.deriving import conditions, derived

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.filterwarnings("ignore:Initializing zero-element tensors"),
]


@pytest.mark.parametrize(
    ("name", "formula", "stated"),
    [
        ("less_than_zero", "H² + H·wi − 3·H + wi − 4", {"H + wi ≥ 4": "a length is less than 0"}),
        ("heads", "A·⌊H/A⌋·(H + 1)", {}),
        (
            "refused",
            "⌊H/A⌋·(H + 1)",
            {"H ≥ A": "the constructor refuses: ValueError: no head has a width"},
        ),
        (
            "refused_at_once",
            "H² + H·wi − 3·H + wi − 4",
            {
                "H² + H·wi − 4·H ≠ 0": "the constructor refuses: ValueError: of no width",
                "H + wi > 4": "not tried",
            },
        ),
        ("rounded_up", "H·⌊(H − 1)/wi⌋ + H + ⌊(H − 1)/wi⌋ + 1", {}),
        ("asked", "H² − H·wi + H − wi", {"H > wi": "the constructor refuses: AssertionError"}),
    ],
)
def test_lengths(name, formula, stated):
    found = derived(f"lengths:{name}")
    assert str(found.formula) == formula
    assert conditions(found) == stated
    assert found.is_proved
    assert found.irrelevant_guards == ()


def test_heads_that_divide_nothing_and_are_not_more_than_it_is_wide():
    """The refusal of one guard is not attributed to another."""
    found = derived("lengths:scaled")
    assert str(found.formula) == "A·⌊H/A⌋·(H + 1)"
    refusal = "the constructor refuses: ZeroDivisionError: 0.0 cannot be raised to a negative power"
    assert conditions(found) == {"H ≥ A": refusal}
    assert [str(condition) for condition in found.irrelevant_guards] == ["A divides H"]
