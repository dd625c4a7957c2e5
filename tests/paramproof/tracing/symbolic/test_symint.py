"""A symbolic int computes as an int does, and whoever takes its number is heard."""

import copy
import math
import operator
import pickle
import struct
from fractions import Fraction

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas.expression import letter
from paramproof.tracing.caveats import caveat_text
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.arithmetic import expression_of, plain_number
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import SymInt

OPERATIONS = {
    name: getattr(operator, name)
    for name in (
        "add", "sub", "mul", "floordiv", "mod", "truediv", "eq", "ne", "lt", "le", "gt", "ge",
        "lshift", "rshift", "pow", "and_", "or_", "xor",
    )
} | {"divmod": divmod}  # fmt: skip


def size(value, name="H"):
    return SymInt(value, letter(name))


def number(found):
    if isinstance(found, tuple):
        return tuple(map(number, found))
    return plain_number(found) if isinstance(found, SymInt | SymFloat) else found


def outcome(function, *arguments):
    try:
        return number(function(*arguments))
    except Exception as error:
        return type(error), str(error).replace("'Size'", "'int'")


def heard(action):
    with recording() as recorder:
        action()
    return [caveat_text(doubt).partition(" (")[0] for doubt in recorder.caveats]


@pytest.mark.parametrize("name", OPERATIONS)
@given(
    value=st.integers(-30, 99), other=st.integers(-4, 40) | st.sampled_from((0.5, 0.1, -2.0, True))
)
def test_operations(name, value, other):
    """Every operator, in both orders: the value, its type, and the error where there is one."""
    operation = OPERATIONS[name]
    for arguments, symbolic in (
        ((value, other), (size(value), other)),
        ((other, value), (other, size(value))),
        ((value, value), (size(value), size(value))),
    ):
        if name == "pow" and abs(arguments[0]) > 1 and arguments[1] > 60:
            continue
        there, here = outcome(operation, *symbolic), outcome(operation, *arguments)
        assert there == here
        assert type(there) is type(here)


@pytest.mark.parametrize(
    "function",
    [
        abs, bool, float, hash, int, math.ceil, math.floor, math.trunc, operator.neg, operator.pos,
        repr, round, str, operator.invert, "{:,}".format, operator.index, complex, hex,
        int.bit_length, lambda one: one.bit_length(), lambda one: round(one, -1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [-7, 0, 5, 30522])
def test_functions_of_one(function, value):
    if function is int.bit_length:
        with pytest.raises(TypeError):
            function(size(value))
    else:
        assert number(function(size(value))) == function(value)


@pytest.mark.parametrize(
    ("action", "caveat"),
    [
        (lambda: int(size(9)), "H became a plain int"),
        (lambda: operator.index(size(9)), "H became a plain int"),
        (lambda: range(size(9)), "H became a plain int"),
        (lambda: [0, 1, 2][size(2)], "H became a plain int"),
        (lambda: [0, 1, 2][: size(2)], "H became a plain int"),
        (lambda: struct.pack("i", size(9)), "H became a plain int"),
        (lambda: bytes(size(9)), "H became a plain int"),
        (lambda: "x" * size(9), "H became a plain int"),
        (lambda: (0,) * size(9), "H became a plain int"),
        (lambda: numpy.zeros(size(9)), "H became a plain int"),
        (lambda: float(size(9)), "H became a plain float"),
        (lambda: math.sqrt(size(9)), "H became a plain float"),
        (lambda: complex(size(9)), "H became a complex number"),
        (lambda: str(size(9)), "H became text"),
        (lambda: f"{size(9):,}", "H became text"),
        (lambda: hash(size(9)), "H was looked up in a dict or a set"),
        (lambda: {8: 24}.get(size(10), 48), "H was looked up in a dict or a set"),
        (lambda: size(9).to_bytes(2, "big"), "H was asked for its to_bytes"),
        (lambda: round(size(9), -1), "H became a rounded int"),
        (lambda: pow(size(9), 2, 5), "H was raised to a power modulo a number"),
        (lambda: size(-8) ** 0.5, "H became a complex number"),
    ],
)
def test_whoever_takes_its_number_is_heard(action, caveat):
    assert heard(action) == [caveat]


@pytest.mark.parametrize("other", ["8", None, [], 1j, Fraction(1, 3)])
@pytest.mark.parametrize("name", ["add", "mul", "truediv", "lt", "eq"])
def test_what_is_no_number(name, other):
    for arguments, plain_ones in (((size(3), other), (3, other)), ((other, size(3)), (other, 3))):
        there, here = outcome(OPERATIONS[name], *arguments), outcome(OPERATIONS[name], *plain_ones)
        if isinstance(here, tuple):
            assert there[0] is here[0]
        else:
            assert there == here


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
@pytest.mark.parametrize("one", [size(768), size(768) / size(5, "A"), size(768) * 0.1])
def test_copies_remember(again, one):
    with recording() as recorder:
        for copied in (again(one), again({"a": [one]})["a"][0]):
            assert plain_number(copied) == plain_number(one)
            assert type(copied) is type(one)
            assert copied.expression == one.expression
            assert getattr(copied, "over", None) == getattr(one, "over", None)
    assert not recorder.caveats


@pytest.mark.parametrize("one", [numpy.float64(0.5), numpy.float32(0.5), numpy.int64(2)])
def test_numbers_of_numpy(one):
    assert number(size(8) * one) == 8 * one
    assert expression_of(numpy.float64(0.5)).constant == Fraction(1, 2)
