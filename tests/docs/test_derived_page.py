"""docs/derived.md agrees with its data, and its formulas give the numbers beside them."""

import re

import pytest

from docs.writers.blocks import AGAIN
from docs.writers.derived_page import PAGE, RESULTS, TYPES, known, render

DERIVATIONS = known()

TEXT = PAGE.read_text("utf-8")


def test_page():
    assert render(DERIVATIONS) == TEXT, AGAIN


def test_types():
    assert tuple(DERIVATIONS) == TYPES, AGAIN
    assert len(TYPES) >= 24


@pytest.mark.parametrize("name", TYPES)
def test_formula_as_printed(name):
    """Python evaluates the printed formula to the number at the sizes beside it."""
    section = re.search(rf"^## {name}\n(.*?)\nHolds", TEXT, re.MULTILINE | re.DOTALL)[1]
    number, sizes = re.search(r"([\d,]+) parameters at (.*)\.", section).groups()
    values = dict(one.split(" = ") for one in sizes.split(", "))
    printed = " ".join(re.findall(r"^ {4}(.*)$", section, re.MULTILINE))
    for sign, operator in (("·", "*"), ("×", "*"), ("−", "-")):
        printed = printed.replace(sign, operator)
    printed = printed.translate(str.maketrans({"²": "**2", "³": "**3"}))
    # Python has // for a rounded quotient, ⌊a/b⌋.
    while "⌊" in printed:
        printed = re.sub(r"⌊([^⌊⌋]*)/([^⌊⌋/]*)⌋", r"((\1)//(\2))", printed)
    while "⌈" in printed:
        printed = re.sub(r"⌈([^⌈⌉]*)/([^⌈⌉/]*)⌉", r"(-(-(\1)//(\2)))", printed)
    known_sizes = {key: int(value.replace(",", "")) for key, value in values.items()}
    assert eval(printed.strip(), {}, known_sizes) == int(number.replace(",", ""))
    legend = re.search(r"^(\S+ `.*`)\.$", section, re.MULTILINE)[1]
    assert [one.split()[0] for one in legend.split(", ")] == list(values)


def test_formulas_are_validated():
    assert min(one.held for one in DERIVATIONS.values()) >= 21


def test_the_data_name_no_path_of_a_machine():
    assert "site-packages" not in RESULTS.read_text("utf-8")
