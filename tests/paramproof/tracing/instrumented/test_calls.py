"""The hooks for calls: what C code reads unobserved is a caveat that names the size."""

import bisect
import itertools

import numpy
import pytest

from paramproof.tracing.instrumented.calls import call
from paramproof.tracing.instrumented.iteration import symbolic_range
from paramproof.tracing.instrumented.lengths import record_length
from paramproof.tracing.symbolic.symstr import SymStr
from tests.paramproof.tracing.instrumented.sized import H, L, caveats, length_of_list, size

TEXTS = [SymStr("b1", H), SymStr("a", H)]


@pytest.mark.parametrize(
    ("give", "said"),
    [
        (
            lambda: call(bisect.bisect, record_length([1, 2, 3], L), 2) == 2,
            ["L decides how long is what was given to bisect_right"],
        ),
        (
            lambda: call(itertools.cycle, symbolic_range(size(3, L))),
            ["L decides how long is what was given to cycle"],
        ),
        (
            lambda: call(int.from_bytes, b"1", SymStr("big", H)) == 49,
            ["H was given to int.from_bytes"],
        ),
        # A key that C code asks is a caveat, and one in Python is followed.
        (lambda: call(sorted, TEXTS, key=str.__len__)[0] is TEXTS[1], ["H was asked its __len__"]),
        (lambda: len(call(sorted, TEXTS, key=lambda one: 1)) == 2, []),
        (lambda: call(numpy.prod, [size(3, L), size(4, H)]).expression == L * H, []),
        (
            lambda: call(numpy.repeat, [1], size(2, L)).tolist() == [1, 1],
            ["L was given to numpy.repeat"],
        ),
        (lambda: call(numpy.zeros, size(2, H)).tolist() == [0, 0], ["H was given to numpy.zeros"]),
        (
            lambda: call(numpy.sum, record_length([1, 2], H)) == 3,
            ["H decides how long is what numpy.sum is given"],
        ),
        (lambda: call(numpy.sqrt, size(9, H)) == 3, ["H was given to numpy.sqrt"]),
    ],
)
def test_what_c_code_is_given(recorder, give, said):
    assert give()
    assert caveats(recorder) == said


@pytest.mark.parametrize(("more", "known"), [([3], False), (None, True)])
def test_extending_by_a_range_over_sizes(recorder, more, known):
    values = [1]
    call(values.extend, symbolic_range(size(2, L)) if more is None else more)
    assert length_of_list(values) == (known, None)


@pytest.mark.parametrize("name", ["pop", "next"])
def test_what_is_counted_in_a_loop_is_a_caveat(recorder, name):
    values = [1, 2, 3]
    numbers = iter(values)
    for _ in symbolic_range(size(2, L)).run():
        call(values.pop) if name == "pop" else call(next, numbers)
    assert caveats(recorder) == [f"L decides how often {name}() was called"]


def test_a_list_that_is_sorted_in_a_loop_keeps_its_length(recorder):
    values = record_length([1, 3, 2], L)
    for _ in symbolic_range(size(2, H)).run():
        call(values.sort, reverse=True)
    assert (values, length_of_list(values)) == ([3, 2, 1], (True, L))


def test_a_dict_that_is_updated_in_a_loop(recorder):
    """A value that differs between iterations is unknown."""
    found = {}
    for number, _ in enumerate(symbolic_range(size(2, H)).run()):
        call(found.update, alike=1, other=number)
    assert type(found["alike"]) is int
    assert found["other"].expression is None
