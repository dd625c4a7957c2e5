"""The one order of all families' letters."""

import pytest

from paramproof.formulas import FAMILIES
from paramproof.formulas.alphabet import Alphabet
from paramproof.formulas.families import alphabet
from paramproof.formulas.spec.quantity import INDICATOR, LAYERS, ROWS, WIDTH, letter_kinds

FIRST = {"L": LAYERS, "V": ROWS, "T": ROWS, "H": WIDTH, "F": WIDTH, "mlm": INDICATOR}


def test_the_letters_of_ours():
    """A literal: every printed sum is in this order."""
    assert alphabet() == Alphabet(
        indicators=("shared", "learned", "bias", "pooler", "mlm", "untied", "nsp"),
        layers=("N", "M", "L"),
        rows=("V", "U", "P", "T"),
        widths=("H", "A", "G", "K", "F"),
    )
    known = alphabet()
    assert known.factors == (*known[0], *known[1], *known[2], *known[3])
    assert known.summands == (*known[0], *known[1], *known[3], *known[2])


def test_a_new_letter_stands_behind_the_one_before_it():
    second = {"B": LAYERS, "V": ROWS, "U": ROWS, "S": ROWS, "T": ROWS, "G": WIDTH, "F": WIDTH}
    both = Alphabet.of({"first": FIRST, "second": second | {"head": INDICATOR}})
    assert both == (("head", "mlm"), ("B", "L"), ("V", "U", "S", "T"), ("G", "H", "F"))


def test_the_first_families_decide():
    turned = Alphabet.of({"first": FIRST, "second": dict(reversed(FIRST.items()))})
    assert turned == Alphabet.of({"first": FIRST})


def test_a_letter_is_of_one_kind():
    message = (
        "the letter F of third is rows of a table, and a width in first: "
        "a letter is of one kind in all families"
    )
    with pytest.raises(ValueError, match=r"^the letter F") as refused:
        Alphabet.of({"first": FIRST, "second": FIRST, "third": {"L": LAYERS, "F": ROWS}})
    assert str(refused.value) == message


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_printed_in_its_own_order(name):
    """What is declared is what is printed: within a kind no family's order is turned."""
    kinds = letter_kinds(FAMILIES[name].letters)
    for kind, order in zip((INDICATOR, LAYERS, ROWS, WIDTH), alphabet(), strict=True):
        own = [letter for letter, of in kinds.items() if of == kind]
        assert own == [letter for letter in order if letter in own]
