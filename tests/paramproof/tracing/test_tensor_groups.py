"""What is read from values and counts, and how tensors of one kind are put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.derivation.fitting import fit_count, fit_length
from paramproof.derivation.guard_set import simplify_exact_division
from paramproof.formulas.derivation import Kind, Stored
from paramproof.formulas.division import floor
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.tensor_groups import (
    ObservedTensor,
    count_stored,
    group_tensors,
    kind_of,
    star_numbers,
)

A, H, L, M = map(letter, "AHLM")
POINTS = [
    {"H": 768, "A": 12, "L": 12, "M": 5},
    {"H": 91, "A": 7, "L": 5, "M": 9},
    {"H": 500, "A": 31, "L": 8, "M": 3},
    {"H": 1210, "A": 3, "L": 9, "M": 8},
]
HALF = floor(H, 2)


def values(one):
    return [int(one.value(point)) for point in POINTS]


@pytest.mark.parametrize(
    "wanted", [expression(7), H, 3 * H, H * A, H + A, HALF, 4 * HALF, H * HALF]
)
def test_a_length_is_what_the_program_computed(wanted):
    assert fit_length(values(wanted), POINTS, [H, A, HALF]) == wanted


@pytest.mark.parametrize(
    "lengths", [[1, 2, 3, 5], [768, 91, 500, 1211], [768 * 12, 1, 2, 3], values(floor(H, 3))]
)
def test_a_length_that_nothing_explains(lengths):
    assert fit_length(lengths, POINTS, [H, A, HALF, letter("@3"), H / A]) is None


@pytest.mark.parametrize(
    "wanted",
    [
        expression(2), L, L - 1, L + 2, 2 * L, L * M,
        floor(L, 2), L - floor(L, 3), floor(L + 2, 3), floor(L, M), L - floor(L, M),
    ],
)  # fmt: skip
def test_a_number_of_layers_is_near_the_loops(wanted):
    found = fit_count(values(wanted), POINTS, [L])
    assert found is not None
    assert values(found) == values(wanted)


def test_a_number_of_layers_that_nothing_explains():
    assert fit_count([3, 100, 7, 23], POINTS, [L, M]) is None


@given(
    st.fixed_dictionaries({"H": st.integers(1, 50), "A": st.integers(1, 9), "L": st.integers(1, 9)})
)
def test_folding_is_right_where_the_divisor_divides(sizes):
    sizes = {**sizes, "H": sizes["H"] * sizes["A"]}
    one = L * A * floor(H, A) + floor(H + 1, A) - 3 * floor(H, A) ** 2
    short = simplify_exact_division(one, [(H, A)])
    assert short.value(sizes) == one.value(sizes)
    assert short == L * H + floor(H + 1, A) - 3 * H * H / A / A


def test_folding_leaves_what_is_not_known():
    one = floor(H, A) + floor(H, 2)
    assert simplify_exact_division(one, []) == one
    assert simplify_exact_division(one, [(L, A), (H + 1, A + 1)]) == one
    assert simplify_exact_division(one, [(H + 1, A + 1), (H, A)]) == H / A + floor(H, 2)


def test_tensors_of_one_kind():
    one, two = (ObservedTensor(f"layers.{n}.weight", (8, 3), "trainable") for n in range(2))
    other = ObservedTensor("layers.2.weight", (8, 4), "trainable", ("layers.3.weight",))
    kind = Kind("layers.*.weight", "trainable", (), 2)
    assert kind_of(one) == kind_of(two) == kind
    assert kind_of(other).aliases == ("layers.*.weight",)
    assert count_stored([one, two, other])[Stored(kind, (8, 3))] == 2
    assert [group.count for group in group_tensors([one, two, other]).values()] == [2, 1]


def test_shapes_in_letters_tell_tensors_apart():
    wide = ObservedTensor("layers.0.weight", (8,), "trainable", (), (H,))
    narrow = ObservedTensor("layers.1.weight", (8,), "trainable", (), (A,))
    lost = ObservedTensor("layers.2.weight", (8,), "trainable")
    assert len(group_tensors([wide, narrow, lost])) == 3


def test_shapes_in_numbers_are_known_by_their_order():
    """A number may be a size that was lost: at other sizes the same tensor has another."""
    shapes = [(8,), (8, 3), (9,), (8,), (1,), (9, 3)]
    seen = [
        ObservedTensor("layers.0.weight", one, "trainable", (), tuple(map(expression, one)))
        for one in shapes
    ]
    found = group_tensors(seen)
    assert [(key.kind.rank, key.axes, key.order) for key in found] == [
        (1, (None,), 0),
        (2, (None, None), 0),
        (1, (None,), 1),
        (1, (None,), 2),
        (2, (None, None), 1),
    ]
    assert [group.shape for group in found.values()] == [(8,), (8, 3), (9,), (1,), (9, 3)]


def test_axes_in_letters_are_part_of_what_a_group_is_known_by():
    seen = ObservedTensor("weight", (8, 3), "trainable", (), (H, expression(3)))
    assert [(key.axes, key.order) for key in group_tensors([seen])] == [((H, None), 0)]


def test_what_has_no_elements_is_not_stored():
    seen = [
        ObservedTensor("weight", shape, "trainable")
        for shape in ((1,), (0,), (1, 0), (0, 1), (1, 1))
    ]
    assert [one.shape for one in count_stored(seen)] == [(1,), (1, 1)]


@pytest.mark.parametrize(
    ("path", "starred"),
    [
        ("Encoder-1-Norm", "Encoder-*-Norm"),
        ("0.12.kernel", "*.*.kernel"),
        ("dense1.kernel_2", "dense1.kernel_*"),
        ("1a.a1.A1.1Z.z1.1z", "1a.a1.A1.1Z.z1.1z"),
        ("12", "*"),
    ],
)
def test_numbers_that_stand_alone(path, starred):
    assert star_numbers(path) == starred
