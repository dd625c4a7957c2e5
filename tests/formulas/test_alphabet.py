"""The order in which letters are printed."""

import copy
import pickle

import pytest

from paramproof.formulas.expression import letter
from paramproof.formulas.families import OURS, printing_order
from paramproof.formulas.notation import BUILT_IN, Alphabet, OrderedLetter, latex, order_of, text
from paramproof.formulas.spec import INDICATOR, LAYERS, ROWS, WIDTH, letter_kinds

FIRST = {"L": LAYERS, "V": ROWS, "T": ROWS, "H": WIDTH, "F": WIDTH, "mlm": INDICATOR}


def test_the_built_in_order_is_that_of_the_built_in_families():
    assert Alphabet.of({one.name: letter_kinds(one.letters) for one in OURS}) == BUILT_IN
    assert {printing_order(one.letters) for one in OURS} == {BUILT_IN}
    indicators, layers, rows, widths = BUILT_IN
    assert BUILT_IN.factors == (*indicators, *layers, *rows, *widths)
    assert BUILT_IN.summands == (*indicators, *layers, *widths, *rows)


def test_a_letter_carries_its_order():
    """Only formulas that contain the letter are printed in the order that it carries."""
    order = Alphabet(("classifier",), ("B",), ("S", "V"), ("H", "D"))
    b, s, h = (letter(OrderedLetter(name, order)) for name in ("B", "S", "H"))
    formula = b * (s * h + h * letter("D"))
    assert text(formula) == "B·(H·D + S·H)"
    assert latex(formula) == r"B \left(H D + S H\right)"
    assert text(formula.substitute({"B": 3})) == "3·H·(D + S)"
    plain = letter("B") * (letter("S") * letter("H") + letter("H") * letter("D"))
    assert plain == formula
    assert text(plain) == "H·B·(D + S)"


def test_copying_a_letter_keeps_its_order():
    one = OrderedLetter("B", BUILT_IN._replace(layers=("B",)))
    for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (again, again.order) == (one, one.order)
    assert order_of(["H", one]) == one.order
    assert order_of(["H", "B"]) == BUILT_IN


def test_a_new_letter_follows_its_predecessor():
    second = {"B": LAYERS, "V": ROWS, "U": ROWS, "S": ROWS, "T": ROWS, "G": WIDTH, "F": WIDTH}
    both = Alphabet.of({"first": FIRST, "second": second | {"head": INDICATOR}})
    assert both == (("head", "mlm"), ("B", "L"), ("V", "U", "S", "T"), ("G", "H", "F"))
    turned = Alphabet.of({"first": FIRST, "second": dict(reversed(FIRST.items()))})
    assert turned == Alphabet.of({"first": FIRST}), "the first families determine the order"


def test_a_letter_has_one_kind():
    message = (
        "the letter F of third is rows of a table, but a width in first: "
        "a letter must have the same kind in all families"
    )
    with pytest.raises(ValueError, match=r"^the letter F") as refused:
        Alphabet.of({"first": FIRST, "second": FIRST, "third": {"L": LAYERS, "F": ROWS}})
    assert str(refused.value) == message
