"""The list of surviving mutants refers to existing code, and agrees with the docs."""

import inspect
import json
import pkgutil
import re
import tomllib

import pytest

from docs.writers import mutation_page
from docs.writers.blocks import EVIDENCE, block
from tests.mutation import survivors
from tests.mutation.survivors import ROOT, equivalent, score


@pytest.mark.parametrize("listed", equivalent(), ids=lambda change: change.function)
def test_a_listed_survivor_is_in_the_code(listed):
    function = pkgutil.resolve_name(listed.function)
    source = " ".join(line.strip() for line in inspect.getsource(function).splitlines())
    assert listed.before in source
    assert listed.after not in source
    assert len(equivalent()[listed]) > 20, "a reason"


def test_the_pages_show_the_list_and_one_score():
    page = mutation_page.PAGE.read_text("utf-8")
    assert block("survivors", page) == mutation_page.survivors(equivalent())
    assert block("score", page) == block("score", EVIDENCE.read_text("utf-8"))
    # A listed survivor of the last whole run is taken off the list with its code.
    survived = int(re.search(r" (\d+) survived", block("score", page))[1])
    assert 0 < len(equivalent()) <= survived


def test_which_mutants_survive(tmp_path, monkeypatch):
    """Mutants that were not run or that crashed survive; a failure or a timeout kills."""
    (tmp_path / "mutants" / "paramproof" / "formulas").mkdir(parents=True)
    statuses = {"f.x_a__mutmut_1": 1, "f.x_a__mutmut_2": 0, "f.x_a__mutmut_3": 36}
    statuses |= {"f.x_a__mutmut_4": None, "f.x_a__mutmut_5": -11, "f.x_a__mutmut_6": 33}
    meta = {"exit_code_by_key": statuses}
    (tmp_path / "mutants" / "paramproof" / "formulas" / "f.py.meta").write_text(json.dumps(meta))
    monkeypatch.setattr(survivors, "ROOT", tmp_path)
    monkeypatch.setattr(survivors, "change", lambda mutant: mutant[-1])
    assert list(survivors.survivors()) == ["2", "4", "5", "6"]
    assert score().startswith(
        "6 mutants of `formulas/`, `derivation/` and `tracing/`: 2 killed, 4 survived"
    )
    assert "33.3 %" in score()


def test_the_selected_tests_need_no_command():
    """mutmut copies the code that these tests import, and no command line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    selected = project["tool"]["mutmut"]["pytest_add_cli_args_test_selection"]
    found = [
        f"{path.name}: {test}"
        for one in selected
        for path in ([ROOT / one] if one.endswith(".py") else (ROOT / one).glob("*.py"))
        for test in re.findall(r"def (\w+)\([^)]*\bparamproof\b", path.read_text("utf-8"))
    ]
    assert not found
