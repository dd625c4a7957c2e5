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


def test_a_list_of_symbolic_length_is_given_to_c_code(recorder):
    assert call(bisect.bisect, record_length([1, 2, 3], L), 2) == 2
    assert caveats(recorder) == ["L decides how long is what was given to bisect_right"]


def test_a_range_over_sizes_is_given_to_c_code(recorder):
    call(itertools.cycle, symbolic_range(size(3, L)))
    assert caveats(recorder) == ["L decides how long is what was given to cycle"]


def test_text_with_a_size_is_given_to_c_code(recorder):
    assert call(int.from_bytes, b"1", SymStr("big", H)) == 49
    assert caveats(recorder)[0] == "H was given to int.from_bytes"


def test_a_key_that_c_code_asks_is_a_caveat(recorder):
    texts = [SymStr("b1", H), SymStr("a", H)]
    assert call(sorted, texts, key=str.__len__)[0] is texts[1]
    assert caveats(recorder) == ["H was asked its __len__"]


def test_a_key_in_python_is_followed(recorder):
    assert len(call(sorted, [SymStr("b1", H), SymStr("a", H)], key=lambda one: 1)) == 2
    assert caveats(recorder) == []


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


def test_a_product_by_numpy_is_followed(recorder):
    assert call(numpy.prod, [size(3, L), size(4, H)]).expression == L * H
    assert caveats(recorder) == []


def test_other_functions_of_numpy_are_caveats(recorder):
    assert call(numpy.repeat, [1], size(2, L)).tolist() == [1, 1]
    assert call(numpy.zeros, size(2, H)).tolist() == [0, 0]
    assert call(numpy.sum, record_length([1, 2], H)) == 3
    assert call(numpy.sqrt, size(9, H)) == 3
    assert caveats(recorder) == [
        "L was given to numpy.repeat",
        "H was given to numpy.zeros",
        "H decides how long is what numpy.sum is given",
        "H was given to numpy.sqrt",
    ]
