"""docs/framework-differences.md is that of its cells, and another answer would change it."""

import json
import re
from dataclasses import replace

import pytest

from docs.writers.differences import reference as differences
from docs.writers.differences.page import render
from docs.writers.differences.pitfalls import PITFALLS

CELLS = differences.cells()
VERSIONS, COSTS = differences.versions(), differences.costs()


def test_page():
    again = "run python -m docs.writers.differences.reference, or tox run -e docs"
    assert differences.page() == differences.PAGE.read_text("utf-8"), again


def test_versions_are_those_of_the_constraints():
    data = json.loads(differences.CELLS.read_text("utf-8"))
    assert data["versions"] == differences.versions()
    for name, version in differences.versions().items():
        assert f"{name} {version}" in differences.PAGE.read_text("utf-8")


def test_every_cell_has_a_name_of_its_own():
    assert len({cell.id for cell in CELLS}) == len(CELLS) > 400


def test_the_page_opens_with_ten_sentences():
    text = differences.PAGE.read_text("utf-8").partition("## Tensors")[0]
    assert re.findall(r"^(\d+)\. ", text, re.MULTILINE) == [str(n) for n in range(1, 11)]
    assert len(PITFALLS) == 10


@pytest.mark.parametrize("section", ["shapes", "defaults", "counts", "abstract"])
def test_any_other_answer_changes_the_page(section):
    """Every answer is on the page, though not always what was asked."""
    page = differences.PAGE.read_text("utf-8")
    for cell in CELLS:
        if cell.section == section and cell.framework in ("torch", "keras-bert"):
            for fact in cell.facts:
                if fact == "asked":
                    continue
                other = replace(cell, facts={**cell.facts, fact: "another answer"})
                try:
                    changed = rendered([other if one == cell else one for one in CELLS])
                except ValueError:
                    continue  # One of the ten sentences does not hold of this answer.
                assert changed != page, (cell.id, fact)


def rendered(cells):
    return render(cells, VERSIONS, COSTS)


def test_a_sentence_of_frameworks_that_no_longer_agree_is_refused():
    (cell,) = (one for one in CELLS if one.id == "differences::keras-torch::layer_norm_eps")
    other = replace(cell, facts=cell.facts | {"answer": "1e-12"})
    with pytest.raises(ValueError, match="keras-torch do not say one thing of layer_norm_eps"):
        rendered([other if one == cell else one for one in CELLS])
