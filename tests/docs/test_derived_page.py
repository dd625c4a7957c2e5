"""docs/derived.md agrees with its data, and its formulas give the numbers beside them."""

import re

import pytest

from docs.writers.blocks import AGAIN
from docs.writers.derived_page import PAGE, TYPES, known, render
from paramproof.formulas.expression import letter

ENTRIES = known()


def test_page():
    assert render(ENTRIES) == PAGE.read_text("utf-8"), AGAIN


def test_types():
    assert tuple(ENTRIES) == TYPES, AGAIN
    assert len(TYPES) >= 24


@pytest.mark.parametrize("name", TYPES)
def test_formula_as_printed(name):
    """Python evaluates the printed formula to the number at the sizes beside it."""
    *lines, result = ENTRIES[name]["formula"]
    printed = " ".join(lines)
    for sign, operator in (("·", "*"), ("×", "*"), ("−", "-")):
        printed = printed.replace(sign, operator)
    printed = printed.translate(str.maketrans({"²": "**2", "³": "**3"}))
    # Python has // for a rounded quotient, ⌊a/b⌋.
    while "⌊" in printed:
        printed = re.sub(r"⌊([^⌊⌋]*)/([^⌊⌋/]*)⌋", r"((\1)//(\2))", printed)
    while "⌈" in printed:
        printed = re.sub(r"⌈([^⌈⌉]*)/([^⌈⌉/]*)⌉", r"(-(-(\1)//(\2)))", printed)
    assert (
        eval(printed.strip().removeprefix("+"), {}, dict(ENTRIES[name]["sizes"]))
        == (ENTRIES[name]["parameters"])
    )
    assert result == f"  = {ENTRIES[name]['parameters']:,}"


def test_every_letter_has_a_field():
    for one in ENTRIES.values():
        assert set(one["sizes"]) == set(one["fields"])
        assert all(letter(name) for name in one["sizes"])
        assert one["held"] >= 21
