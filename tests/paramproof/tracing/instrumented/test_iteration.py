"""The hooks for loops: zip, enumerate and lists, over a range of symbolic length."""

import pytest

from paramproof.tracing.instrumented.builtin_models import symbolic_zip
from paramproof.tracing.instrumented.iteration import (
    make_list,
    symbolic_enumerate,
    symbolic_iteration,
    symbolic_range,
)
from paramproof.tracing.instrumented.lengths import record_length
from tests.paramproof.tracing.instrumented.sized import L, caveats, length_of_list, size

pytestmark = pytest.mark.usefixtures("recorder")


def test_zip_with_a_plain_range():
    """The range counts with the loop: its value at index k is 2 + 3·k."""
    pairs = list(symbolic_zip(symbolic_range(size(3, L)), range(2, 11, 3)))
    assert [tuple(map(int, pair)) for pair in pairs] == [(0, 2), (1, 5), (2, 8)]
    for index, value in pairs:
        assert value.expression == 2 + 3 * index.expression


def test_zip_with_a_plain_list():
    pairs = list(symbolic_zip(symbolic_range(size(2, L)), [5, 5]))
    assert [(int(one), int(other)) for one, other in pairs] == [(0, 5), (1, 5)]


def test_zip_is_as_long_as_the_shortest(recorder):
    found = symbolic_zip(symbolic_range(size(3, L)), [1, 2, 3, 4])
    assert (found.length, found.total) == (L, 3)
    assert {str(guard) for guard in recorder.guards} == {"L ≤ 4"}


def test_zip_with_a_generator_is_a_caveat(recorder):
    pairs = list(symbolic_zip(symbolic_range(size(2, L)), iter("ab")))
    assert [one for _, one in pairs] == ["a", "b"]
    assert caveats(recorder) == ["L decides how often next() was called"]


def test_strict_zip_refuses_other_lengths():
    with pytest.raises(ValueError, match="different lengths"):
        symbolic_zip(symbolic_range(size(3, L)), [1, 2], strict=True)


def test_an_element_has_the_index_of_its_iteration():
    """A list of a loop's indices, read by another loop, has that loop's indices."""
    values = make_list(symbolic_range(size(3, L)))
    assert length_of_list(values) == (True, L)
    for index, value in symbolic_enumerate(values):
        assert value.expression == index.expression


def test_a_list_of_unknown_length_is_iterated_over_as_one():
    values = record_length([1, 2])
    assert symbolic_iteration(values).length is None
    assert list(symbolic_iteration(values)) == [1, 2]
    assert symbolic_iteration([1, 2]) is None


@pytest.mark.parametrize(
    ("item", "inside"), [(1, False), (2, True), (3, False), (4, True), (6, True), (8, False)]
)
def test_items_of_a_range_over_sizes(item, inside):
    """The range has 2, 4 and 6, whether its first or its last number is asked for."""
    assert (item in symbolic_range(2, size(8, L), 2)) == inside
    assert (item in symbolic_range(size(6, L), 1, -2)) == inside
