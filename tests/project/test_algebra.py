"""Polynomials as text, and one polynomial for all combinations of pooler and task heads."""

import sympy

from paramproof.algebra import symbols as algebra
from paramproof.algebra.symbols import ALL_HEADS, INDICATORS, SIZES, over_heads, text
from paramproof.formulas import closed_form

L, A, K, F, V, P, T = SIZES.values()


def test_text():
    assert text(0) == "0"
    assert text(-7) == "−7"
    assert text(-L * F) == "−L·F"
    assert text(4 * L * A**2 * K**2 - 2 * A * K) == "4·L·H² − 2·H"
    assert text(A**2 * K) == "H·A"
    assert text(A * K**3) == "H·K²"
    assert text(sympy.Rational(1, 2) * V) == "1/2·V"
    assert text(INDICATORS["untied"] * V * A * K) == "untied·V·H"


def test_the_formula_as_text():
    assert text(closed_form(algebra.letters())) == (
        "4·L·H² + 2·L·H·F + 9·L·H + L·F + V·H + P·H + T·H + 2·H + pooler·H² + pooler·H"
        " + mlm·H² + mlm·V + 3·mlm·H + untied·V·H + 2·nsp·H + 2·nsp"
    )


def test_combinations():
    assert len(ALL_HEADS) == 9
    assert str(ALL_HEADS[0]) == "pooler + mlm + untied + nsp"
    assert str(ALL_HEADS[-1]) == "bare"


def test_over_heads():
    """The closed form's nine values are the closed form; of fewer, what they can tell."""
    values = {heads: closed_form(algebra.letters(heads)) for heads in ALL_HEADS}
    assert sympy.expand(over_heads(values) - closed_form(algebra.letters())) == 0
    tied = closed_form(algebra.letters()).subs(INDICATORS["untied"], 0)
    # As keras-bert has them, and as Hugging Face: an MLM head only with both or neither.
    six = [heads for heads in ALL_HEADS if not heads.untied]
    five = [heads for heads in six if not heads.mlm or heads.pooler == heads.nsp]
    assert (len(six), len(five)) == (6, 5)
    for some in (six, five):
        assert sympy.expand(over_heads({heads: values[heads] for heads in some}) - tied) == 0
