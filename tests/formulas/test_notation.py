"""Expressions as text and LaTeX mean what they should, with their letters in order."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES, closed_form
from paramproof.formulas.expression import (
    LETTERS,
    Expression,
    add_letters,
    ceiling,
    floor,
    latex,
    letter,
    sum_of,
    text,
)
from paramproof.formulas.families import OURS
from paramproof.formulas.notation import expression_in
from paramproof.formulas.spec import INDICATOR, LAYERS, ROWS, WIDTH, letter_kinds
from tests.notation import from_latex, value
from tests.polynomials import polynomials

NAMES = (*"AFGHKLMNPV", "HX", "mlm", "nsp", "untied")
SYMBOLS = {name: letter(name) for name in NAMES}
A, F, G, H, K, L, M, N, P, V, _, MLM, NSP, UNTIED = SYMBOLS.values()
SIZES = {name: 3 * number + 7 for number, name in enumerate(NAMES)}

QUOTIENT = re.compile("[/÷⌊⌈]")


TEXTS = """0 | −7 | −H | 9·H² + 4·H − F | L·(9·H + F) + V·H + 2 | H·(V + P) | H² + H
H² + V·H − 2·H | −2·L·H | H²·A − H² | −L·(5·H + F) | L·(5·H − F) | mlm·(H² + 3·H + V)
N + untied·V·H + nsp·(2·H + 2) | 2·H·K·(A + G) | H¹² | H/2 | H/(A·K) | H/(2·A) | H·(V/2 + P/2)
L·(H/2 + V/2) | N·(H + F) + L·(H + V) | N·(H + F) + M·L·(H + V) | F·HX | ⌊(−H + A)/7⌋
−⌈(−H + A)/7⌉ | 1/A | A·⌊H/A⌋ | 64·H·⌈V/64⌉ | ⌊(V + 1)/3⌋ | ⌊H/(2·A)⌋ | ⌊V·H/(L·A·K)⌋ | ⌊V/A²⌋
(H ÷ A) | int(H × −0.5) | gcd(H, A) | gcd((H + 1), A) | int(H/2) | plus((H ÷ A), F)
floor(sqrt(H)) | (2·H ÷ (2·A)) | ((H ÷ (2·A)) × (4·F))"""


@pytest.mark.parametrize("written", TEXTS.replace("\n", " | ").split(" | "))
def test_text(written):
    """Parsing reads sums of terms in any order; printing groups and sorts them."""
    one = expression_in(written)
    assert text(one) == text(sum_of(map(term, reversed(one.terms.items())))) == written
    assert value(written, SIZES) == one.value(SIZES)


def term(item):
    return Expression(dict([item]))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_text_of_a_familys_count_is_that_count(family):
    letters = FAMILIES[family].letters
    known = {name: letter(name) for name in letters._fields}
    closed = closed_form(letters(**known))
    assert value(text(closed), known) == closed
    assert value(from_latex(latex(closed)), known) == closed


@given(one=polynomials(), divisors=st.tuples(st.integers(1, 6), st.integers(0, 2)))
def test_text_means_what_the_expression_does(one, divisors):
    a, _ = one
    assert value(text(a), SYMBOLS) == a
    assert value(from_latex(latex(a)), SYMBOLS) == a
    number, power = divisors
    rounded = a + 3 * floor(a, number * A**power * L)
    assert value(text(rounded), SIZES) == rounded.value(SIZES)


def test_latex():
    assert text(letter("H'") * V) == "V·H'"
    assert latex(letter("V'") * H) == "V' H"
    assert latex(ceiling(V, 64) * H - V / 2) == (
        r"H \left\lceil\frac{V}{64}\right\rceil - \frac{V}{2}"
    )
    assert latex(MLM * (H**10 - 1)) == r"\mathrm{mlm} \left(H^{10} - 1\right)"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("H_text", r"H_{\text{text}}"),
        ("dr_text", r"\mathrm{dr}_{\text{text}}"),
        ("H_text_inner", r"H_{\text{text\_inner}}"),
        ("de_0", r"\mathrm{de}_{\text{0}}"),
        ("L2", r"\mathrm{L2}"),
        ("H_X", r"H_{\text{X}}"),
        ("H_text'", r"H_{\text{text}}'"),
    ],
)
def test_latex_of_an_index(name, written):
    """A bare ``_text`` would make only the t an index, and ``L2`` would mean L times 2."""
    assert latex(letter(name)) == written
    assert latex(3 * letter(name) ** 2 * V) in (rf"3 {written}^{{2}} V", rf"3 V {written}^{{2}}")
    assert text(letter(name)) == name


@pytest.fixture
def no_letters():
    """Take all letters out of the printing order, and return what it was."""
    kept = {kind: [*letters] for kind, letters in LETTERS.items()}
    for letters in LETTERS.values():
        letters.clear()
    yield kept
    LETTERS.update(kept)


def test_the_built_in_order_is_that_of_the_built_in_families(no_letters):
    for family in OURS:
        add_letters(letter_kinds(family.letters))
    assert no_letters == LETTERS


FIRST = {"L": LAYERS, "V": ROWS, "T": ROWS, "H": WIDTH, "F": WIDTH, "mlm": INDICATOR}
SECOND = {"B": LAYERS, "V": ROWS, "U": ROWS, "S": ROWS, "T": ROWS, "G": WIDTH, "F": WIDTH}


def test_a_new_letter_follows_its_predecessor(no_letters):
    add_letters(FIRST)
    add_letters(SECOND | {"head": INDICATOR})
    both = [*LETTERS.values()]
    assert both == [["head", "mlm"], ["B", "L"], ["V", "U", "S", "T"], ["G", "H", "F"]]
    add_letters(dict(reversed(FIRST.items())))
    assert [*LETTERS.values()] == both, "the first families determine the order"
