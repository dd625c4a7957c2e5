"""Strings that contain sizes: what is made from one, and which decisions are caveats."""

import pytest

from paramproof.formulas.expression import letter
from paramproof.tracing.caveats import caveat_text
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symstr import SEARCH_METHODS, SymStr

H = letter("H")


@pytest.mark.parametrize("name", sorted(SEARCH_METHODS))
def test_a_search_for_digits_is_a_caveat(name):
    with recording() as recorder:
        found = getattr(SymStr("layer1", H, plain=True), name)("1")
    assert found == getattr("layer1", name)("1")
    ((*text, _),) = recorder.caveats
    assert caveat_text(text) == "H was searched as text"


@pytest.mark.parametrize("name", ["startswith", "endswith", "count"])
def test_a_search_that_no_number_decides_is_none(name):
    """A position is one that the digits before it decide, so `find` and `index` always are."""
    with recording() as recorder:
        assert getattr(SymStr("layer1", H, plain=True), name)("r") == getattr("layer1", name)("r")
    assert not recorder.caveats


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda one: one % (1, 7), "layer1, 7"),
        (lambda one: one + "x", "layer%d, %dx"),
        (lambda one: "x" + one, "xlayer%d, %d"),
        (lambda one: one * 2, "layer%d, %dlayer%d, %d"),
        (lambda one: one[:5], "layer"),
        (lambda one: f"{one:>14}", "   layer%d, %d"),
    ],
)
def test_what_is_made_of_a_string_with_a_size(make, text):
    found = make(SymStr("layer%d, %d", H, plain=True))
    assert str.__eq__(found, text)
    assert (type(found), found.expression, found.plain) == (SymStr, H, True)
