"""Caveats in words, with sizes in letters."""

from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.caveats import caveat_text, joined, sizes_fragment

WIDTH, HEADS = letter("hidden_size"), letter("heads")
LETTERS = {"hidden_size": "H", "heads": "A"}


def test_sizes_are_written_in_letters_and_text_as_it_is():
    """A field is called as a word of the sentence is, and that word stays."""
    larger = Condition(Relation.MORE, HEADS, expression(50), True)
    caveat = ("heads of ", WIDTH / HEADS, " were asked whether ", larger)
    assert caveat_text(caveat) == "heads of hidden_size/heads were asked whether heads > 50"
    assert caveat_text(caveat, LETTERS) == "heads of H/A were asked whether A > 50"


def test_what_is_said_of_sizes():
    assert caveat_text(sizes_fragment({"hidden_size": 12, "heads": 3}), LETTERS) == "H = 12, A = 3"
    assert caveat_text(joined([(WIDTH,), (HEADS,), ("more",)]), LETTERS) == "H, A, more"
    assert joined([]) == ()


def test_the_index_of_a_loop_is_spelt_out():
    said = "the index of a loop is read in a way that is not followed"
    assert caveat_text(("@12 is read in a way that is not followed",), LETTERS) == said
