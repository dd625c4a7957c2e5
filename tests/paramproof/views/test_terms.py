"""A count in letters: the terms add up, and the printed text means what it should."""

import re
from functools import partial

import pytest

from paramproof.algebra.symbols import symbols
from paramproof.formulas import FAMILIES, Inventory, closed_form, inventory
from paramproof.views.formula import latex_sum, terms
from tests.notation import from_latex, value

FAMILY_NAMES = list(FAMILIES)


def letters_of(family):
    return symbols(FAMILIES[family].letters)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_the_terms_add_up(family):
    letters = letters_of(family)
    parts = terms(inventory(letters))
    total = sum(term.times * term.each for term in parts)
    assert total == inventory(letters).total() == closed_form(letters)
    # Each tensor is in one term.
    paths = [tensor.path for term in parts for tensor in term.tensors]
    assert paths == [tensor.path for tensor in inventory(letters)]
    assert all(tensor.source for term in parts for tensor in term.tensors)


def test_a_term_lists_the_parts_of_a_layer():
    paths = [term.path for term in terms(inventory(letters_of("llama")))]
    layer = ("attention_norm", "attention", "feed_forward_norm", "feed_forward")
    inside = [f"layers.*.{part}" for part in layer]
    assert paths == ["embeddings.word_embeddings", *inside, "final_norm", "lm_head"]


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_latex_adds_up(family):
    """Each line parses and equals the closed form, and so does the last one."""
    letters = letters_of(family)
    begin, *lines, result, end = latex_sum(inventory(letters), closed_form(letters)).splitlines()
    assert (begin, end) == (r"\begin{align*}", r"\end{align*}")
    shown = [line.partition("& ")[2].removeprefix("+ ").partition(" && ") for line in lines]
    read = partial(value, letters=letters._asdict())
    total = sum(read(from_latex(term)) for term, _, _ in shown)
    assert total == read(from_latex(result.removeprefix("={}& "))) == closed_form(letters)
    names = [re.fullmatch(r"\\text\{(.*)\} \\\\", name)[1] for _, _, name in shown]
    assert [name.replace(r"\_", "_") for name in names] == [
        t.path for t in terms(inventory(letters))
    ]


def test_latex_of_a_convention_that_counts_nothing():
    assert latex_sum(Inventory({}, ()), 0) == "0"
