"""docs/formulas.md agrees with the formulas, and a changed formula would be noticed."""

import re
from dataclasses import replace

import pytest

from docs.writers import formulas_page
from docs.writers.blocks import AGAIN, block
from paramproof.formulas import FAMILIES, terms
from paramproof.formulas.spec import FIELDS

TEXT = formulas_page.PAGE.read_text("utf-8")


def page_block(name):
    """Return a block of the page; in Markdown its indentation matters."""
    start, end = f"<!-- {name} -->\n\n", "\n\n<!-- end -->"
    return TEXT.partition(start)[2].partition(end)[0]


@pytest.mark.parametrize("name", ["parts", *FAMILIES])
def test_block(name):
    assert page_block(name) == formulas_page.blocks()[name], AGAIN


def test_every_block_is_written():
    names = re.findall(r"<!-- (?!end)(.*) -->", TEXT)
    assert names == ["parts", *FAMILIES] == list(formulas_page.blocks())
    assert all(block(name, TEXT) for name in names)


def test_another_docstring_is_noticed(monkeypatch):
    monkeypatch.setattr(terms.attention, "__doc__", "Count: 5·width².")
    assert formulas_page.parts() != page_block("parts")


def test_another_term_is_noticed():
    for name, found in FAMILIES.items():
        assert formulas_page.family(found) == page_block(name)
        other = next(family for family in FAMILIES.values() if family is not found)
        assert formulas_page.family(replace(found, closed_form=other.closed_form)) != page_block(
            name
        )


def test_every_part_in_use_documents_its_count():
    """A helper has no tensors of its own; every function that creates one is on the page."""
    helpers = {"within", "repeated", "present", "tied", "own_or_tied"}
    public = {
        name
        for name, value in vars(terms).items()
        if callable(value) and getattr(value, "__module__", "") == terms.__name__
    }
    assert public - helpers == {part.__name__ for part in formulas_page.part_functions()}


def test_every_letter_that_is_a_size_is_a_field():
    for found in FAMILIES.values():
        sizes = [FIELDS[name] for name in found.letters._fields if name.isupper()]
        assert set(sizes) <= set(found.spec.__dataclass_fields__)
