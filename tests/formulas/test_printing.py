"""How shapes, differences and long lists are printed."""

import pytest

from paramproof.formulas.printing import (
    MAX_PATH_SHOWN,
    and_more,
    legible,
    path_text,
    shape_text,
    shown,
    signed,
    some_of,
)


@pytest.mark.parametrize(
    ("shape", "text"), [(None, "-"), ((), "()"), ((4,), "(4)"), ((2, 3), "(2, 3)")]
)
def test_a_shape(shape, text):
    assert shape_text(shape) == text


@pytest.mark.parametrize(("number", "text"), [(1024, "+1,024"), (-1024, "−1,024"), (0, "+0")])
def test_a_difference_has_a_sign(number, text):
    assert signed(number) == text


def test_a_long_list_names_some_items_and_counts_the_rest():
    assert and_more(["a", "b", "c", "d"], 2) == ["a", "b", "and 2 more"]
    assert some_of(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert some_of(["a", "b"], 1) == "a and 1 more"
    assert some_of(["a", "b", "c"], 2, "; ") == "a; b and 1 more"


def test_a_short_list_names_every_item():
    assert and_more(["a", "b"], 2) == ["a", "b"]
    assert some_of(["a", "b"], 2) == "a, b"
    assert some_of(["a"], 3) == "a"
    assert some_of([], 3) == ""


def test_a_long_shape_shows_its_first_axes():
    assert shape_text(range(20)) == "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...)"


@pytest.mark.parametrize(
    ("foreign", "text"),
    [
        ("layers.0.weight", "layers.0.weight"),
        ("\x1b[2J\x9b\n\r\t", r"\x1b[2J\x9b\n\r\t"),
        ("\u202e\u200b\udcff", r"\u202e\u200b\udcff"),
        ("größe·重量", "größe·重量"),
        (3, "3"),
    ],
)
def test_foreign_text_is_made_printable(foreign, text):
    assert legible(foreign) == text
    assert legible(text) == text


def test_foreign_text_is_cut():
    assert legible("x" * 80) == "x" * 80
    assert legible("x" * 10**6) == "x" * 77 + "..."
    assert len(legible("\x1b" * 80)) == 80
    assert shown("x" * 59) == repr("x" * 56)[:57] + "..."


def test_a_path_may_be_longer_than_a_cell():
    assert path_text("a" * MAX_PATH_SHOWN) == "a" * MAX_PATH_SHOWN
    assert path_text("a" * 10**4) == "a" * (MAX_PATH_SHOWN - 3) + "..."
    assert path_text("a\nb") == r"a\nb"
