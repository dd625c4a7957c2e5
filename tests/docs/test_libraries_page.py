"""docs/libraries.md agrees with its results, whose counts all equal those of built models."""

import pytest

from docs.writers.blocks import AGAIN
from docs.writers.libraries_page import PAGE, SETS, known, render
from tests.libraries.registry import ENTRIES

RESULTS = {name: known(name) for name in SETS}


def test_page():
    assert render(RESULTS) == PAGE.read_text("utf-8"), AGAIN


def test_every_constructor_of_the_registry_has_a_result():
    assert {one["name"] for one in RESULTS["fixed"]} == {one.name for one in ENTRIES}
    assert len(ENTRIES) >= 40


@pytest.mark.parametrize("name", SETS)
def test_no_count_differs(name):
    assert [one["name"] for one in RESULTS[name] if one.get("wrong")] == []
    assert [one["name"] for one in RESULTS[name] if one["status"] == "failed"] == []
