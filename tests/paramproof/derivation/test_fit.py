"""Formulas that are fitted to models of plain ints, and the conditions that are tried for them.

Counts and lengths are fitted to their values in several models.
"""

import pytest

from paramproof.derivation.fit import (
    equalities,
    first_fitting,
    possible_counts,
    possible_lengths,
    relations,
)
from paramproof.derivation.pipeline import DerivationError, Effort, derive
from paramproof.formulas.condition import condition_in
from paramproof.formulas.expression import expression, floor, letter
from tests.paramproof.derivation.toys import conditions, toy

pytestmark = pytest.mark.usefixtures("clock")

NEAR = Effort(far=False)
SIZES = {"hidden_size": 12, "heads": 3, "vocab_size": 100, "layers": 2}
OTHERS = "other tensors are created"


def decoder(hidden_size, heads, vocab_size, layers):
    width = hidden_size // heads
    blocks = [(f"layers.{n}.qkv", (hidden_size, 3, heads, width)) for n in range(layers)]
    return [("embedding", (vocab_size, hidden_size)), *blocks, ("norm", (2 * hidden_size,))]


def only_if(condition):
    def make(**sizes):
        if not condition_in(condition).is_met(sizes):
            raise ValueError("refused")
        return decoder(**sizes)

    return make


def longer_if(condition):
    def make(**sizes):
        model = decoder(**sizes)
        return [*model, ("more", (7,))] if condition_in(condition).is_met(sizes) else model

    return make


FLOORED = "3·L·H·A·⌊H/A⌋ + H·(V + 2)"
REFUSED = "the constructor refuses: ValueError: refused"


@pytest.mark.parametrize(
    ("make", "formula", "stated"),
    [
        (decoder, FLOORED, {}),
        (only_if("heads divides hidden_size"), "3·L·H² + H·(V + 2)", {"A divides H": REFUSED}),
        (only_if("hidden_size ≥ heads"), FLOORED, {"H ≥ A": REFUSED}),
        (longer_if("hidden_size > vocab_size"), FLOORED, {"V ≥ H": OTHERS}),
        (only_if("2 divides hidden_size"), FLOORED, {"2 divides H": REFUSED}),
        (only_if("hidden_size ≠ 1"), FLOORED, {"H ≠ 1": REFUSED}),
    ],
)
def test_conditions_are_found_by_trying_relations(make, formula, stated):
    found = derive(toy(make, **SIZES), effort=NEAR)
    assert (str(found.formula), conditions(found), found.fixed) == (formula, stated, ())
    assert not found.is_proved


def test_a_relation_that_only_changes_lengths():
    """All models have the same groups; the formula shows that one has another length."""

    def make(hidden_size, heads):
        return [("w", (hidden_size if hidden_size % heads else 2 * hidden_size, heads))]

    found = derive(toy(make, hidden_size=12, heads=3), effort=NEAR)
    assert (str(found.formula), conditions(found)) == ("2·H·A", {"A divides H": OTHERS})


def test_kinds_of_layers():
    def make(hidden_size, layers, dense):
        kinds = ("dense" if n < dense else "sparse" for n in range(layers))
        return [(f"layers.{n}.{kind}", (hidden_size,)) for n, kind in enumerate(kinds)]

    found = derive(toy(make, hidden_size=12, layers=5, dense=2), effort=NEAR)
    times = {one.path: str(one.times) for one in found.tensors}
    assert times == {"layers.*.dense": "de", "layers.*.sparse": "L − de"}
    assert list(conditions(found)) == ["L > de"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (only_if("hidden_size < 1"), "toy is not made: ValueError: refused"),
        (lambda **_: [], "toy has no parameters"),
        (longer_if("vocab_size = 100"), "toy: at other sizes other tensors were made, and it was"),
        (lambda hidden_size, **_: [("own", (hidden_size**4 + 1,))], r"own of \(20737\)"),
    ],
)
def test_no_formula(make, said):
    with pytest.raises(DerivationError, match=said):
        derive(toy(make, **SIZES), effort=NEAR)


def test_relations():
    found = list(map(str, relations({"a": 3, "b": 12, "c": 36})))
    # Neighbours come first.
    assert found[:3] == ["a divides b", "b divides c", "a divides c"]
    assert found[-3:] == ["b ≥ a", "c ≥ b", "c ≥ a"]
    assert {"4 divides b", "3 divides a", "6 divides c"} < {*found}
    equal = equalities({"a": 3, "b": 12, "c": 36, "d": 3})
    assert list(map(str, equal)) == ["c = a·b", "a = d", "c = b·d"]


@pytest.mark.parametrize("seed", range(24))
def test_the_length_of_a_loop_is_no_constant(seed):
    """Few layers are drawn, and three numbers of them may be the same by chance."""

    def made(width, layers):
        return [(f"layers.{index}.scale", (width,)) for index in range(layers)]

    few = Effort(fitted=4, held=2, deepest=4)
    found = derive(toy(made, width=12, layers=3), seed, effort=few)
    assert (str(found.formula), found.fixed) == ("L·H", ())


A, D, H, L = map(letter, "ADHL")
POINTS = (
    {"A": 7, "D": 11, "H": 389, "L": 53},
    {"A": 13, "D": 5, "H": 631, "L": 97},
    {"A": 5, "D": 29, "H": 457, "L": 71},
    {"A": 11, "D": 17, "H": 509, "L": 60},
    {"A": 3, "D": 23, "H": 887, "L": 84},
    {"A": 6, "D": 8, "H": 701, "L": 409},
)
ELSEWHERE = (
    {"A": 17, "D": 3, "H": 1009, "L": 211},
    {"A": 19, "D": 43, "H": 2003, "L": 127},
    {"A": 23, "D": 31, "H": 773, "L": 149},
)


def fit_length(lengths, points):
    return first_fitting(possible_lengths(lengths[0], points), lengths, points)


def fit_count(counts, points, loops):
    return first_fitting(possible_counts(counts[0], points[0], loops), counts, points)


def read(one, loops=("L",)):
    return fit_count([one.evaluate(point) for point in POINTS], POINTS, loops)


SIMPLE = [
    *(expression(1), expression(257), A * D * L, D * L, D * A - L, D * A + L, (L - D) * A),
    *((H - L) * D, L + D - A, L - D + 1, L - D - 1, L - D, D),
    *(L + number for number in range(-9, 10)),
    *(number * L for number in range(2, 11)),
    *(floor(L + more, step) for step in (2, 3, 12) for more in (0, 1, step - 1)),
    *(L - floor(L + more, 12) for more in (0, 7)),
    *(sign for more in (0, -1, A - 1) for sign in (floor(L + more, A), L - floor(L + more, A))),
]
COMPLEX = [floor(L, 13), L + D + 1, L * L * L * L]


@pytest.mark.parametrize("number", SIMPLE + COMPLEX, ids=str)
def test_read(number):
    found = read(number)
    assert (found is None) is (number in COMPLEX)
    for point in ELSEWHERE if found is not None else ():
        assert found.evaluate(point) == number.evaluate(point)


def test_a_loop_s_length_comes_first():
    """Where two are as often, it is as long as what ran."""
    points = [{"L": n, "M": n} for n in (3, 5, 8)]
    assert fit_count([3, 5, 8], points, ["M"]) == letter("M")
    assert fit_count([3, 5, 8], points, []) == L


F = letter("F")
PLACES = (
    {"A": 3, "F": 20, "H": 12},
    {"A": 5, "F": 31, "H": 35},
    {"A": 4, "F": 18, "H": 17},
    {"A": 7, "F": 90, "H": 64},
)


def at_places(one):
    return [one.evaluate(point) for point in PLACES]


@pytest.mark.parametrize(
    "length",
    [
        *(expression(7), H, 2 * H, 3 * H, H + 4, H - 3, H * A, A * A, H + F),
        *(floor(H, A), 2 * floor(H, A), A * floor(H, A), floor(H, 2), H * A + 3, H * A * F),
        *(2 * H + 3 * F, 4 * A + floor(H, A)),
    ],
    ids=str,
)
def test_explained(length):
    assert fit_length(at_places(length), PLACES) == length


@pytest.mark.parametrize("length", [H + F + A, 5 * H + F, H * A * F + 1], ids=str)
def test_not_explained(length):
    assert fit_length(at_places(length), PLACES) is None


def test_a_multiple_is_simpler_than_a_number_more():
    points = [{"A": n, "H": 2 * n - 3} for n in (3, 5, 4)]
    assert fit_length([6, 10, 8], points) == 2 * A
    assert fit_length([7, 11, 9], points) == H + 4


def test_the_heads_of_queries_keys_and_values():
    """Numbers of heads share one quotient of sizes, as in a fused tensor of the three."""
    fused = A * floor(H, A) + 2 * D * floor(H, A)
    assert fit_length([int(fused.value(point)) for point in POINTS], POINTS) == fused
