"""docs/framework-differences.md agrees with the record, and any other answer would change it."""

import re
from dataclasses import replace

import pytest

from docs.writers.differences import reference as differences
from docs.writers.differences.page import render
from docs.writers.differences.pitfalls import PITFALLS
from paramproof.differences.answer import RECORDED, recorded

VERSIONS, CELLS = recorded()


def test_page():
    again = "run python -m docs.writers.differences.reference, or tox run -e docs"
    assert differences.page() == differences.PAGE.read_text("utf-8"), again


def test_versions_agree_with_the_constraints():
    assert differences.versions() == VERSIONS
    page = differences.PAGE.read_text("utf-8")
    for framework in VERSIONS.values():
        assert all(f"{name} {version}" in page for name, version in framework.items())


def test_the_record_is_as_it_is_written():
    assert differences.record(VERSIONS, CELLS) == RECORDED.read_text("utf-8")


def test_every_cell_has_its_own_name():
    assert len({cell.id for cell in CELLS}) == len(CELLS) > 400


def test_the_page_opens_with_every_pitfall():
    text = differences.PAGE.read_text("utf-8").partition("## Tensors")[0]
    assert re.findall(r"^(\d+)\. ", text, re.MULTILINE) == [
        str(n) for n in range(1, len(PITFALLS) + 1)
    ]
    assert len(PITFALLS) >= 10


@pytest.mark.parametrize("section", ["shapes", "defaults", "counts"])
def test_any_other_answer_changes_the_page(section):
    """Every answer is on the page, though sometimes in other words."""
    page = differences.PAGE.read_text("utf-8")
    changed_frameworks = set()
    for cell in CELLS:
        if cell.section == section and cell.framework in ("torch", "keras-bert"):
            for fact in cell.facts:
                if fact == "asked":
                    continue
                other = replace(cell, facts={**cell.facts, fact: "another answer"})
                try:
                    changed = rendered([other if one == cell else one for one in CELLS])
                except ValueError:
                    continue  # One of the ten sentences is not true for this answer.
                assert changed != page, (cell.id, fact)
                changed_frameworks.add(cell.framework)
    assert changed_frameworks == {"torch", "keras-bert"}


def rendered(cells):
    return render(VERSIONS, cells)


def test_a_sentence_about_differing_frameworks_is_refused():
    (cell,) = (one for one in CELLS if one.id == "differences::keras-torch::layer_norm_eps")
    other = replace(cell, facts=cell.facts | {"answer": "1e-12"})
    with pytest.raises(ValueError, match="keras-torch do not say one thing of layer_norm_eps"):
        rendered([other if one == cell else one for one in CELLS])
