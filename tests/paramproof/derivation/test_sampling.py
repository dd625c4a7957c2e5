"""Sizes that are drawn meet the conditions, and go far from where they started."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.derivation.sampling import MAX_DEPTH, sample_sizes
from paramproof.formulas.condition import condition_in

FIRST = {"H": 768, "A": 12, "L": 12, "F": 3072}
USUAL = [
    *map(condition_in, ("A divides H", "2 divides ⌊H/A⌋", "H ≠ F", "F = 4·H")),
    *map(condition_in, ("H < 25000", "L > 2", "A < L", "A ≤ 40")),
]
WIDE = condition_in("L > H")


@given(
    st.integers(0, 10**6), st.sets(st.sampled_from([*USUAL, WIDE])), st.sets(st.sampled_from("AHF"))
)
def test_what_is_drawn(seed, conditions, fixed):
    """It meets the conditions; what is fixed stays, and loops are not repaired to be long.

    Or there are none: what is returned is never outside.
    """
    every = sorted(conditions, key=str)
    sizes = sample_sizes(Random(seed), FIRST, every, frozenset("L"), frozenset(fixed))
    if sizes is not None:
        assert all(condition.is_met(sizes) for condition in conditions)
        assert min(sizes.values()) >= 1
        assert all(sizes[name] == FIRST[name] for name in fixed)
        assert sizes["L"] <= (MAX_DEPTH**2 if conditions else MAX_DEPTH)


@pytest.mark.parametrize("condition", USUAL, ids=str)
def test_they_are_found(condition):
    found = [sample_sizes(Random(seed), FIRST, [condition]) for seed in range(20)]
    assert all(found)
    assert len({sizes["H"] for sizes in found}) > 10


def test_several_at_once_are_found():
    """Also the kernels of many convolutions, each of which is odd; or none where there are none."""
    conditions = [USUAL[0], USUAL[2], USUAL[4], USUAL[5]]
    found = [sample_sizes(Random(seed), FIRST, conditions, frozenset("L")) for seed in range(20)]
    assert sum(sizes is not None for sizes in found) > 15
    kernels = {f"k_{number}": 5 for number in range(12)}
    odd = [condition_in(f"2 does not divide {one}") for one in kernels]
    assert all(sample_sizes(Random(seed), kernels, odd) for seed in range(20))
    never = ["H > F", "H < F"]
    assert sample_sizes(Random(0), FIRST, [*map(condition_in, never)]) is None


def test_they_go_far():
    widths = [sample_sizes(Random(seed), FIRST, [])["H"] for seed in range(60)]
    assert min(widths) < 768 / 4
    assert max(widths) > 768 * 5


@pytest.mark.parametrize(
    ("conditions", "fixed"),
    [
        ("H = 0", ""),
        ("H = 9", "H"),
        ("H = 8 | H = 9", ""),
        ("H > 768", "H"),
        # Two conditions that contradict each other, with one between them that does not.
        ("H > 4 | A divides H | H ≤ 2", ""),
    ],
)
def test_nothing_is_drawn_where_no_value_is_left(conditions, fixed):
    stated = [*map(condition_in, conditions.split(" | "))]
    assert sample_sizes(Random(0), FIRST, stated, fixed=frozenset(fixed)) is None


def test_a_size_that_is_fixed_at_zero_stays():
    sizes = sample_sizes(Random(0), {**FIRST, "H": 0}, [USUAL[5]], fixed=frozenset("H"))
    assert sizes["H"] == 0


def test_ranges_say_where_letters_are_drawn_and_conditions_move_them():
    ranges = {"L": (151, 180), "H": (10**5, 2 * 10**5)}
    many = condition_in("L > 170")
    for seed in range(30):
        sizes = sample_sizes(
            Random(seed), FIRST, [USUAL[0], many], frozenset("L"), deepest=2, ranges=ranges
        )
        assert 170 < sizes["L"] <= 180
        assert sizes["H"] % sizes["A"] == 0
        assert sizes["H"] > 10**4


def test_sizes_at_which_a_condition_has_no_value_are_repaired():
    part = condition_in("⌊H/(A − 1)⌋ divides H")
    for seed in range(20):
        found = sample_sizes(Random(seed), {"H": 8, "A": 4}, [part], ranges={"A": (1, 1)})
        assert found is not None
        assert part.is_met(found)
