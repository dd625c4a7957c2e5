"""The hooks for containers: what a trace knows of a list that a loop over sizes filled."""

import pytest

from paramproof.formulas.expression import letter
from paramproof.tracing.instrumented import containers
from paramproof.tracing.instrumented.iteration import make_list, symbolic_enumerate, symbolic_range
from paramproof.tracing.instrumented.lengths import (
    KnownLength,
    element_for_index,
    known_length,
    record_length,
)
from paramproof.tracing.run_length import repeat_list
from paramproof.tracing.symbolic.symint import SymInt
from tests.paramproof.tracing.instrumented.sized import H, L, length_of_list, size

pytestmark = pytest.mark.usefixtures("recorder")


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        (None, None, (False, None)),
        (L, None, (True, L + 2)),
        (None, L, (True, L + 2)),
        (L, H, (True, L + H)),
    ],
)
def test_the_length_of_a_sum(left, right, joined):
    one, other = [1, 2], [3, 4]
    for part, length in ((one, left), (other, right)):
        if length is not None:
            record_length(part, length)
    found = containers.add(one, other)
    assert found == [1, 2, 3, 4]
    assert length_of_list(found) == joined


@pytest.mark.parametrize("ends", [(None, 1), (0, 2), (1, None)])
def test_a_slice_of_a_list_of_unknown_length(ends):
    values = record_length([1, 2, 3])
    found = containers.get_item(values, slice(*ends))
    assert found == values[slice(*ends)]
    assert length_of_list(found) == (True, None)


def test_a_slice_of_a_list_of_known_length():
    values = record_length([1, 2, 3], L)
    found = containers.get_item(values, slice(1, None))
    assert (found, length_of_list(found)) == ([2, 3], (True, L - 1))


def test_a_slice_of_the_indices_of_a_loop():
    """The element at k of the slice is that at k + 1 of the list."""
    found = containers.get_item(make_list(symbolic_range(size(4, L))), slice(1, None))
    assert list(map(int, found)) == [1, 2, 3]
    for index, value in symbolic_enumerate(found):
        assert value.expression == index.expression + 1


def test_a_slice_that_is_inside_at_every_size_is_no_guard(recorder):
    values = record_length([0] * 5, L + H)
    found = containers.get_item(values, containers.make_slice(None, size(3, L), None))
    assert length_of_list(found) == (True, L)
    assert not recorder.guards


def test_a_slice_that_may_end_beyond_the_list_is_a_guard(recorder):
    found = containers.get_item(
        record_length([0] * 5, L), containers.make_slice(None, size(3, H), None)
    )
    assert length_of_list(found) == (True, H)
    assert {str(guard) for guard in recorder.guards} == {"H ≤ L"}


def test_an_element_has_the_index_that_reads_it():
    """A pair of a loop's indices, read in another place, has the index of that place."""
    known = KnownLength([], L, "@7")
    made = size(4, H), "text"
    again = (SymInt(4, H + letter("@7")), made)
    found = element_for_index(known, size(2, L - 1), again)
    assert found[0].expression == H + L - 1
    assert found[1] == made


def test_a_container_that_grows_in_a_loop_has_an_unknown_length():
    kept = {}
    for _ in symbolic_range(size(3, L)).run():
        containers.store(1, kept, "a place")
    assert length_of_list(kept) == (True, None)
    outside = {}
    containers.store(1, outside, "a place")
    assert length_of_list(outside) == (False, None)


def test_the_length_of_a_repeated_list():
    values = repeat_list([0], size(3, L))
    assert known_length(values).container is values
    assert length_of_list(values) == (True, L)
    assert length_of_list(list(values)) == (False, None)
