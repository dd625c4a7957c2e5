"""Doubts are text about sizes, and are written in the letters that are shown."""

import pytest

from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.recorder import caveat_text, joined, sizes_fragment

WIDTH, HEADS = letter("hidden_size"), letter("heads")
LETTERS = {"hidden_size": "H", "heads": "A"}


def test_sizes_are_written_in_letters_and_text_as_it_is():
    """A field is called as a word of the sentence is, and that word stays."""
    looped = Condition(Relation.MORE, letter("@") * HEADS, expression(50), True)
    doubt = ("heads of ", WIDTH / HEADS, " were asked whether ", looped)
    assert caveat_text(doubt) == "heads of hidden_size/heads were asked whether @·heads > 50"
    assert caveat_text(doubt, LETTERS) == "heads of H/A were asked whether A·@ > 50"


@pytest.mark.parametrize("index", [letter("@"), letter("@12")])
def test_the_index_of_a_loop_is_spelt_out(index):
    said = "the index of a loop selected an element of a list (a.py:3)"
    assert caveat_text((index, " selected an element of a list (a.py:3)"), LETTERS) == said


def test_what_is_said_of_sizes():
    assert caveat_text(sizes_fragment({"hidden_size": 12, "heads": 3}), LETTERS) == "H = 12, A = 3"
    assert caveat_text(joined([(WIDTH,), (HEADS,), ("more",)]), LETTERS) == "H, A, more"
    assert joined([]) == ()
