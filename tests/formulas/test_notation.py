"""Expressions as text and LaTeX, in the notation of the field, mean what they should."""

import pytest
from hypothesis import given

from paramproof.formulas import FAMILIES, closed_form
from paramproof.formulas.computed import Computed, computed
from paramproof.formulas.division import ceiling, floor
from paramproof.formulas.expression import expression, letter
from paramproof.formulas.notation import latex, text
from tests.notation import parsed, parsed_latex
from tests.polynomials import polynomials

A, F, G, H, K, L, M, N, P, V = map(letter, "AFGHKLMNPV")
MLM, NSP, UNTIED = map(letter, ("mlm", "nsp", "untied"))


@pytest.mark.parametrize(
    ("one", "written"),
    [
        (expression(0), "0"),
        (expression(-7), "−7"),
        (-H, "−H"),
        (4 * H + 9 * H**2 - F, "9·H² + 4·H − F"),
        (L * (9 * H + F) + V * H + 2, "L·(9·H + F) + V·H + 2"),
        ((V + P) * H, "H·(V + P)"),
        (H * H + H, "H² + H"),
        (H * H + V * H - 2 * H, "H² + V·H − 2·H"),
        (-2 * L * H, "−2·L·H"),
        (H * H * A - H * H, "H²·A − H²"),
        (-L * (5 * H + F), "−L·(5·H + F)"),
        (L * (5 * H - F), "L·(5·H − F)"),
        (MLM * (H**2 + 3 * H + V), "mlm·(H² + 3·H + V)"),
        (UNTIED * V * H + NSP * (2 * H + 2) + N, "N + untied·V·H + nsp·(2·H + 2)"),
        (2 * H * K * A + 2 * H * G * K, "2·H·K·(A + G)"),
        (H**12, "H¹²"),
        (H / 2, "H/2"),
        (H / (A * K), "H/(A·K)"),
        (H / (2 * A), "H/(2·A)"),
        (H * (V + P) / 2, "H·(V/2 + P/2)"),
        (L * (H + V) / 2, "L·(H/2 + V/2)"),
        (L * (H + V) + N * (H + F), "N·(H + F) + L·(H + V)"),
        (L * M * (H + V) + N * (H + F), "N·(H + F) + M·L·(H + V)"),
        (letter("HX") * F, "F·HX"),
        (floor(A - H, 7), "⌊(−H + A)/7⌋"),
        (floor(H - A, 7), "−⌈(−H + A)/7⌉"),
        (1 / A, "1/A"),
        (A * (H // A), "A·⌊H/A⌋"),
        (ceiling(V, 64) * 64 * H, "64·H·⌈V/64⌉"),
        (floor(V + 1, 3), "⌊(V + 1)/3⌋"),
    ],
)
def test_text(one, written):
    assert text(one) == written
    assert parsed(written) == one


@pytest.mark.parametrize(
    ("one", "written"),
    [
        (computed("over", H, A), "(H ÷ A)"),
        (computed("int", Computed("times", (H, -0.5))), "int(H × −0.5)"),
        (computed("gcd", H, A), "gcd(H, A)"),
        (computed("gcd", H + 1, A), "gcd((H + 1), A)"),
        (computed("int", H / 2), "int(H/2)"),
        (computed("plus", Computed("over", (H, A)), F), "plus((H ÷ A), F)"),
        (computed("floor", Computed("sqrt", (H,))), "floor(sqrt(H))"),
    ],
)
def test_the_text_of_a_computed_number(one, written):
    assert text(one) == written


@pytest.mark.parametrize("family", FAMILIES)
def test_the_text_of_a_familys_count_parses_back(family):
    letters = FAMILIES[family].letters
    closed = closed_form(letters(*map(letter, letters._fields)))
    assert parsed(text(closed)) == closed
    assert parsed_latex(latex(closed)) == closed


@given(one=polynomials())
def test_text_parses_back(one):
    a, _ = one
    assert parsed(text(a)) == a
    assert parsed_latex(latex(a)) == a
    assert parsed(text(a + 3 * floor(a, 5))) == a + 3 * floor(a, 5)


def test_a_primed_letter():
    assert text(letter("H'") * V) == "V·H'"
    assert latex(letter("V'") * H) == "V' H"


def test_latex():
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
