"""Branches: on sizes they are conditions, on anything else held-out models see them, or nothing."""

import pytest

from tests.frameworks.derive.deriving import conditions, constructor, count, derived

pytestmark = pytest.mark.framework("torch")

OTHERS = "other tensors are created"

CONDITIONS = {
    "large_vocabulary": ("V·H", {"V ≤ 25000"}),
    "both_large": ("V·H", {"V ≤ 25000", "H ≤ 300"}),
    "one_after_the_other": ("V·H", {"V ≤ 25000"}),
    "by_float": ("H² + H", {"dr/100 < 1/2"}),
    "by_ratio": ("2·F·(H + 1)", {"minus((F ÷ H), 2.6) > 0"}),
    "by_truth_of_a_ratio": ("H² + H", {"H − 5 ≠ 0"}),
    "by_a_negative_floor": ("H² + H", {"H ≥ ⌊H/2⌋ + 3"}),
    "frozen_when_large": ("H² + H", {"H < 1000"}),
    "projected": ("V·e", {"e = H"}),
    "by_remainder": ("H² + H", {"mod((H ÷ A), 1) = 0"}),
    "by_bits": ("H² + H", {"and(H, (H − 1)) ≠ 0"}),
}


@pytest.mark.parametrize(("name", "formula", "stated"), [(k, *v) for k, v in CONDITIONS.items()])
def test_a_branch_on_sizes_is_a_condition(name, formula, stated):
    found = derived(f"branches:{name}")
    assert str(found.formula) == formula
    assert conditions(found) == dict.fromkeys(stated, OTHERS)
    assert found.is_proved
    assert all(place[0].endswith("branches.py") for one in found.conditions for place in one.places)
    assert all(one.places for one in found.conditions)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("large_vocabulary", {"V": 25_001, "H": 8}),
        ("both_large", {"V": 25_001, "H": 301}),
        ("one_after_the_other", {"V": 30_000, "H": 512}),
        ("frozen_when_large", {"H": 1000}),
        ("projected", {"V": 31, "H": 8, "e": 9}),
        ("by_ratio", {"H": 10, "F": 26}),
        ("by_truth_of_a_ratio", {"H": 5}),
        ("by_remainder", {"H": 13, "A": 4}),
        ("by_bits", {"H": 64}),
        ("by_a_decimal", {"H": 10_000}),
        ("by_a_root", {"H": 10_000}),
    ],
)
def test_beyond_it_nothing_is_counted(name, sizes):
    """There the formula would be wrong."""
    found = derived(f"branches:{name}")
    there = {field: sizes[letter] for letter, field in found.fields.items()}
    assert found.formula.evaluate(sizes) != count(f"branches:{name}", **there)
    with pytest.raises(ValueError, match="the formula holds where"):
        found.count(sizes)


@pytest.mark.parametrize("seed", range(6))
def test_what_does_harm_with_another_is_the_only_condition(seed):
    """With any random sizes, the two other guards turn out to be irrelevant."""
    from paramproof.derivation.pipeline import derive

    found = derive(constructor("branches:odd_where_large"), seed)
    assert conditions(found) == {"2 divides H": "the constructor refuses: ValueError: odd"}
    assert [str(condition) for condition in found.irrelevant_guards] == ["H > 20", "V > 50"]


def test_what_moves_nothing_bounds_the_proof_only():
    found = derived("branches:moves_nothing")
    assert not found.conditions
    assert [str(condition) for condition in found.irrelevant_guards] == ["V ≤ 25000"]
    assert found.is_proved_at({"V": 25_000, "H": 8})
    assert not found.is_proved_at({"V": 25_001, "H": 8})
    assert found.count({"V": 30_000, "H": 8}) == 240_000


def test_what_the_constructor_says_is_one_legible_line():
    said = r"the constructor refuses: ValueError: too \x1b[31mwide"
    assert conditions(derived("branches:too_wide")) == {"H ≤ 20": said}


def test_on_the_other_side():
    """The formula is that of the sizes one starts from."""
    found = derived("branches:large_vocabulary", vocab_size=30_000)
    assert str(found.formula) == "H² + V·H + H"
    assert conditions(found) == {"V > 25000": OTHERS}
    unequal = derived("branches:projected", hidden_size=9)
    assert str(unequal.formula) == "H·e + V·e + H"
    assert conditions(unequal) == {"e ≠ H": OTHERS}


@pytest.mark.parametrize(
    ("name", "stated"), [("by_a_decimal", "(H × 0.29) < 2900"), ("by_a_root", "sqrt(H) < 100")]
)
def test_a_branch_on_a_float_is_asked_of_the_float(name, stated):
    """As the constructor computes it; the other side, beyond 10,000, is not tried."""
    found = derived(f"branches:{name}")
    assert conditions(found) == {stated: "not tried"}
    assert found.is_proved
    assert found.count({"H": 9999}) == count(f"branches:{name}", hidden_size=9999)


def test_a_loop_that_halves_is_a_branch_at_every_round():
    found = derived("branches:halves")
    assert len(found.tensors) == 6
    assert found.is_proved
    assert conditions(found)["⌊⌊⌊H/2⌋/2⌋/2⌋ ≤ 3"] == OTHERS
    for width in range(16, 32):
        assert found.count({"H": width}) == count("branches:halves", hidden_size=width)
    for width in (15, 32):
        with pytest.raises(ValueError, match="the formula holds where"):
            found.count({"H": width})


@pytest.mark.parametrize(
    ("name", "cause", "said"),
    [
        ("by_chance", "NOT_EXPLAINED", "not explained: weight of"),
        ("by_number_of_calls", "NOT_EXPLAINED", "not explained: weight of"),
        # The message also names the line at which the size was lost.
        (
            "by_bits_of_text",
            "NOT_AS_DERIVED",
            r"not as derived at hidden_size = .*; hidden_size .*\(branches\.py:\d+\)$",
        ),
    ],
)
def test_not_derived(name, cause, said):
    """What changes from build to build, or with what nobody hears, does not hold."""
    from paramproof.derivation.pipeline import DerivationError

    with pytest.raises(DerivationError, match=f"^branches:{name}: {said}") as caught:
        derived(f"branches:{name}")
    assert caught.value.cause.name == cause


def test_the_environment_is_not_seen(monkeypatch):
    """A branch on the environment leaves no caveat, as docs/evidence.md describes."""
    found = derived("branches:by_environment")
    assert (str(found.formula), found.is_proved, found.conditions) == ("H² + H", True, ())
    monkeypatch.setenv("WITHOUT_BIAS", "1")
    assert found.count({"H": 8}) != count("branches:by_environment")
    assert str(derived("branches:by_environment").formula) == "H²"
