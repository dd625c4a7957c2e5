"""How shapes, differences and long lists are written."""

import pytest

from paramproof.formulas.printing import and_more, shape_text, signed, some_of


@pytest.mark.parametrize(
    ("shape", "text"), [(None, "-"), ((), "()"), ((4,), "(4)"), ((2, 3), "(2, 3)")]
)
def test_a_shape(shape, text):
    assert shape_text(shape) == text


@pytest.mark.parametrize(("number", "text"), [(1024, "+1,024"), (-1024, "−1,024"), (0, "+0")])
def test_a_difference_has_a_sign(number, text):
    assert signed(number) == text


def test_of_a_long_list_some_are_named_and_the_rest_counted():
    assert and_more(["a", "b", "c", "d"], 2) == ["a", "b", "and 2 more"]
    assert some_of(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert some_of(["a", "b"], 1) == "a and 1 more"


def test_of_a_short_list_all_are_named():
    assert and_more(["a", "b"], 2) == ["a", "b"]
    assert some_of(["a", "b"], 2) == "a, b"
    assert some_of(["a"], 3) == "a"
    assert some_of([], 3) == ""
