"""Fold A·K into H."""

from paramproof.algebra.symbols import folded, symbols
from paramproof.formulas import EncoderLetters, closed_form
from paramproof.formulas.expression import letter
from paramproof.formulas.notation import text
from tests.cases import letters_of

L, A, K, V = map(letter, "LAKV")


def test_folded():
    assert text(folded(4 * L * A**2 * K**2 - 2 * A * K)) == "4·L·H² − 2·H"
    assert text(folded(A**2 * K)) == "H·A"
    assert text(folded(A * K**3)) == "H·K²"
    assert text(folded(V * K)) == "V·K"
    assert folded(7) == 7


def test_a_formula_of_heads_becomes_one_of_the_hidden_size():
    assert folded(closed_form(letters_of("encoder"))) == closed_form(symbols(EncoderLetters))
