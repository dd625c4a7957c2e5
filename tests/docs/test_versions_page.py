"""docs/versions.md agrees with the comparison of releases, and every difference has its cause."""

import re
import tomllib

import pytest

from docs.writers.blocks import AGAIN
from docs.writers.versions_page import CAUSES, PAGE, cause, page, render_catalogue
from paramproof.catalogue import read_type
from releases import algebra
from releases.__main__ import main, written
from releases.trying import counts, found, is_whole, releases
from sweep.entries.difference import Difference, DifferenceKind
from sweep.library.most_used import MOST_USED

TEXT = PAGE.read_text("utf-8")


def test_page():
    assert page() == TEXT, AGAIN


def test_the_catalogue_is_compared_with_every_release_from_which_it_is_derived():
    found = algebra.written()
    assert list(found) == [one.name for one in algebra.others()]
    assert all(one["types"] == list(MOST_USED) for one in found.values())
    own = f"transformers=={read_type('bert').versions['transformers']}"
    assert not found[own]["otherwise"]


def test_a_summary_of_a_releases_differences():
    """Formulas, classes and defaults are named; conditions and keys are counted."""
    formula = "BertModel: the formula changed by (2·H)"
    lines = [
        Difference(DifferenceKind.FORMULA, formula),
        Difference(DifferenceKind.PROPERTY, "BertModel: conditions: was [], is now ['H ≥ A']"),
        Difference(DifferenceKind.KEY, "is_new is a new key"),
    ]
    assert algebra.kept([one.data for one in lines]) == {"lines": [formula], "others": 2}
    found = {"types": ["bert", "llama", "t5"], "otherwise": {}}
    found["otherwise"]["bert"] = {"lines": [formula, *["BertForCats is gone"] * 4], "others": 2}
    found["otherwise"]["t5"] = {"lines": [], "others": 1}
    text = render_catalogue({"transformers==5.4.0": found, "transformers==5.1.0": {"error": "no"}})
    assert "| transformers 5.4.0 | 1 | 1 | 1 |" in text
    gone = "; ".join(["BertForCats is gone"] * 3)
    assert f"- transformers 5.4.0, `bert`: {formula}; {gone}; and 1 more.\n" in text
    assert "- transformers 5.1.0: `no`\n" in text


def test_the_table_names_every_release_tried():
    there = [one.name for one in releases()]
    assert len(set(there)) == len(there)
    assert list(written()) == there


@pytest.mark.parametrize("library", ["transformers", "flax", "jax", "keras", "tensorflow"])
def test_six_releases_or_more(library):
    """Each has a row in the library's table, with models that were built."""
    (section,) = re.findall(rf"^## {library}\n(.*?)(?:^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (\d[\w.]+) \|.*?(\d+) of (\d+)", section, re.MULTILINE)
    assert len({row[0] for row in rows}) >= 6
    assert all(0 < int(equal) <= int(models) for _, equal, models in rows)


def test_every_cause_belongs_to_a_release_that_differs():
    differ = {
        (release.name, framework)
        for release in releases()
        for framework, one in written()[release.name].items()
        if not is_whole(one)
    }
    said = [
        (name, framework)
        for one in tomllib.loads(CAUSES.read_text("utf-8"))["cause"]
        for name in one["releases"]
        for framework in one["frameworks"]
    ]
    assert sorted(said) == sorted(differ)


def test_a_difference_without_a_cause_is_not_written():
    (release,) = (one for one in releases() if one.library == "torch")
    assert is_whole(written()[release.name]["torch"])
    with pytest.raises(KeyError, match=f"has no cause for {release.name}, torch"):
        cause(release, "torch")


def result(status, family="llama", **more):
    return {"status": status, "model": "m", "spec": {"family": family}, "reason": "", **more}


def test_a_summary_of_verify():
    report = {"formula": 10, "actual": 1234}
    results = [
        result("equal"),
        result("different", report=report),
        result("different", report={"formula": 1, "actual": 2}),
        result("not expressible", "gpt", reason="no"),
        result("broken", "gpt", reason="two\nlines"),
        {"status": "not expressible", "spec": None, "reason": "none of them"},
    ]
    one = found({"versions": {"flax-nnx": {"flax": "1"}}, "results": results}, "flax-nnx")
    first = ["m", "1,234 parameters, and the formula has 10"]
    assert one == {
        "versions": {"flax": "1"},
        "families": {
            "llama": {"equal": 1, "different": 2, "first": first},
            "gpt": {"not expressible": 1, "broken": 1, "first": ["m", "two lines"]},
        },
    }
    assert counts(one) == (1, 4)
    assert not is_whole(one)


def test_a_framework_whose_process_ended():
    broken = {"status": "broken", "spec": None, "reason": "no jax"}
    one = found({"versions": {"torch": {}}, "results": [broken]}, "torch")
    assert one == {"versions": {}, "error": "no jax"}
    assert not is_whole(one)


def test_a_release_missing_from_the_table(capsys):
    assert main(["flax==0.1", "keras"]) == 2
    assert capsys.readouterr().err == "releases/table.toml does not name flax==0.1\n"
