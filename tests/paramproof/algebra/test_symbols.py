"""One polynomial for all combinations of parts, and H for A·K."""

from paramproof.algebra.symbols import folded, symbols
from paramproof.formulas import EncoderLetters, closed_form
from paramproof.formulas.expression import letter
from paramproof.formulas.notation import text
from paramproof.proof.parts import ALL_PARTS, encoder_letters, over_parts

L, A, K, V = map(letter, "LAKV")


def test_folded():
    assert text(folded(4 * L * A**2 * K**2 - 2 * A * K)) == "4·L·H² − 2·H"
    assert text(folded(A**2 * K)) == "H·A"
    assert text(folded(A * K**3)) == "H·K²"
    assert text(folded(V * K)) == "V·K"
    assert folded(7) == 7


def test_the_formula_of_heads_is_that_of_the_hidden_size():
    assert folded(closed_form(encoder_letters())) == closed_form(symbols(EncoderLetters))


def test_known_sizes_are_numbers():
    letters = encoder_letters(known={"T": 2, "A": 3})
    assert (letters.T, letters.A, letters.H) == (2, 3, 3 * K)


def test_combinations():
    assert len(ALL_PARTS) == 9
    assert str(ALL_PARTS[0]) == "pooler + mlm + untied + nsp"
    assert str(ALL_PARTS[-1]) == "bare"


def test_over_parts():
    """The closed form's nine values are the closed form; of fewer, what they can tell."""
    values = {parts: closed_form(encoder_letters(parts)) for parts in ALL_PARTS}
    assert over_parts(values) == closed_form(encoder_letters())
    tied = closed_form(encoder_letters()).substitute({"untied": 0})
    # As keras-bert has them, and as Hugging Face: an MLM head only with both or neither.
    six = [parts for parts in ALL_PARTS if not parts.untied]
    five = [parts for parts in six if not parts.mlm or parts.pooler == parts.nsp]
    assert (len(six), len(five)) == (6, 5)
    for some in (six, five):
        assert over_parts({parts: values[parts] for parts in some}) == tied
