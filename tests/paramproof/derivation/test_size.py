"""A size computes as an int does, and remembers exactly that."""

import copy
import math
import operator
import pickle
from fractions import Fraction

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.derivation.doubts import written
from paramproof.derivation.questions import recorded
from paramproof.derivation.symbolic.size import Ratio, Rounding, Size, made_by, plain
from paramproof.formulas.expression import letter

OPERATIONS = {
    name: getattr(operator, name)
    for name in (
        "add",
        "sub",
        "mul",
        "floordiv",
        "mod",
        "truediv",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
    )
} | {"divmod": divmod, "lshift": operator.lshift, "rshift": operator.rshift, "pow": pow}
SIZES = st.fixed_dictionaries({name: st.integers(1, 99) for name in "AHL"})
LEAVES = st.sampled_from("AHL") | st.integers(-9, 9)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.tuples(
        st.sampled_from(("add", "sub", "mul", "floordiv", "mod")), inner, inner
    ),
    max_leaves=6,
)


def size(value, name="H"):
    return Size(value, letter(name))


def computed(tree, leaf):
    """The value of a tree of operations, what it raises where it raises."""
    if not isinstance(tree, tuple):
        return leaf(tree)
    name, left, right = tree
    return OPERATIONS[name](computed(left, leaf), computed(right, leaf))


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error).replace("'Size'", "'int'")


@given(TREES, SIZES)
def test_programs_of_ints(tree, sizes):
    """Any arithmetic of sizes is that of ints, and its expression is worth what it is."""
    here = outcome(computed, tree, lambda leaf: sizes.get(leaf, leaf))
    there = outcome(computed, tree, lambda n: size(sizes[n], n) if n in sizes else n)
    assert there == here
    if isinstance(here, int):
        assert isinstance(there, int)
        assert made_by(there).value(sizes) == here


@pytest.mark.parametrize("name", OPERATIONS)
@given(
    value=st.integers(-30, 99), other=st.integers(-4, 40) | st.sampled_from((0.5, 0.1, -2.0, True))
)
def test_operations(name, value, other):
    """Every operator, in both orders: the value, its type, and the error where there is one."""
    operation = OPERATIONS[name]
    for arguments, remembering in (
        ((value, other), (size(value), other)),
        ((other, value), (other, size(value))),
        ((value, value), (size(value), size(value))),
    ):
        if name == "pow" and abs(arguments[0]) > 1 and arguments[1] > 60:
            continue
        there, here = outcome(operation, *remembering), outcome(operation, *arguments)
        assert there == here
        assert isinstance(there, type(here))


@pytest.mark.parametrize(
    "function",
    [
        abs, bool, float, hash, int, math.ceil, math.floor, math.trunc, operator.neg, operator.pos,
        repr, round, str, operator.invert, "{:,}".format,
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [-7, 0, 5, 30522])
def test_functions_of_one(function, value):
    assert function(size(value)) == function(value)


@pytest.mark.parametrize("other", ["8", None, [], 1j, Fraction(1, 3)])
@pytest.mark.parametrize("name", ["add", "mul", "truediv", "lt", "eq"])
def test_what_is_no_number(name, other):
    for arguments, plain_ones in (((size(3), other), (3, other)), ((other, size(3)), (other, 3))):
        there, here = outcome(OPERATIONS[name], *arguments), outcome(OPERATIONS[name], *plain_ones)
        if isinstance(here, tuple):
            assert there[0] is here[0]
        else:
            assert there == here


@given(SIZES, st.integers(1, 9))
def test_a_float_stands_for_its_fraction(sizes, number):
    """A quotient is rounded once; times a fraction of two nothing is; anything more is MORE."""
    wide, heads = size(sizes["H"]), size(sizes["A"], "A")
    once, exact, more = wide / heads, wide * 2.5 + number, wide / heads * number
    assert once.rounding is Rounding.ONCE
    assert float(once) == float(Fraction(once.expression.value(sizes)))
    assert exact.rounding is Rounding.NONE
    assert Fraction(float(exact)) == exact.expression.value(sizes)
    assert more.rounding is Rounding.MORE
    assert (wide * 0.1).rounding is Rounding.MORE


@given(SIZES, st.sampled_from((math.floor, math.ceil, math.trunc, round)), st.integers(0, 60))
def test_a_quotient_is_rounded_to_ints(sizes, function, less):
    """Up, down, to zero and to the nearest, of negative ones too."""
    rounded = function((size(sizes["H"]) - less) / size(sizes["A"], "A"))
    assert rounded == function(Fraction(sizes["H"] - less, sizes["A"]))
    assert made_by(rounded).value(sizes) == rounded


@pytest.mark.parametrize("halves", range(-7, 8))
def test_of_a_half_the_even_side_is_nearest(halves):
    nearest = round((size(10 + halves) - 10) / 2)
    assert made_by(nearest).value({"H": 10 + halves}) == nearest == round(halves / 2)


def test_a_negative_quotient_is_cut_off_towards_zero():
    cut = math.trunc((size(5) - 9) / size(3, "A"))
    assert cut == made_by(cut).value({"H": 5, "A": 3}) == -1


@pytest.mark.parametrize(
    "decided", [lambda: math.floor(size(100) * 0.29), lambda: size(100) * 0.29 < 29]
)
def test_what_floats_round_more_than_once_is_doubted(decided):
    with recorded() as recorder:
        math.floor(size(10) / size(3, "A"))
        assert not recorder.doubts
        decided()
    (doubt,) = recorder.doubts
    assert written(doubt).startswith("29·H/100 was computed in floats (")


def test_a_whole_quotient_is_a_question():
    with recorded() as recorder:
        assert (size(12) / size(4, "A")).is_integer()
        assert not (size(12) / size(5, "K")).is_integer()
    assert [str(condition) for condition in recorder.asked] == [
        "A divides H",
        "K does not divide H",
    ]


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
@pytest.mark.parametrize("one", [size(768), size(768) / size(5, "A")])
def test_copies_remember(again, one):
    for copied in (again(one), again({"a": [one]})["a"][0]):
        assert copied == one
        assert type(copied) is type(one)
        assert copied.expression == one.expression
        assert getattr(copied, "rounding", None) == getattr(one, "rounding", None)


def test_a_number_that_is_looked_up_is_doubted():
    """A table compares with what it has, so that one who is not found has asked nothing."""
    with recorded() as recorder:
        assert {8: 24}.get(size(10), 48) == 48
    (doubt,) = recorder.doubts
    assert written(doubt).startswith("H was looked up (")
    assert hash(size(10)) == hash(10)


def test_plain_ints_remember_nothing():
    assert type(plain(size(3))) is int
    assert type(size(3) - size(3)) is int
    assert type(size(3) // size(3)) is int


@pytest.mark.parametrize("number", [numpy.float64(0.5), numpy.float32(0.5), numpy.int64(2)])
def test_numbers_of_numpy(number):
    assert size(8) * number == 8 * number
    assert made_by(numpy.float64(0.5)).constant == Fraction(1, 2)


@pytest.mark.parametrize("other", [math.inf, -math.inf, math.nan])
def test_no_finite_number(other):
    with recorded() as recorder:
        assert (size(8) < other) is operator.lt(8, other)
        assert size(8) * other != 3
        assert plain(min(size(8), math.inf)) == 8
    assert not recorder.conditions
    assert not isinstance(size(8) * other, Ratio)
