"""The list of surviving mutants refers to existing code, and agrees with the docs."""

import inspect
import json
import pkgutil
import re
import tomllib

import pytest

from docs.writers import mutation_page
from docs.writers.blocks import EVIDENCE, block
from tests.mutation import __main__ as command
from tests.mutation import survivors
from tests.mutation.survivors import ROOT, Change, equivalent, score

CHANGE = Change("paramproof.formulas.spec._require", "if not condition:", "if condition:")


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
    assert f" {len(equivalent())} survived" in block("score", page)


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


@pytest.mark.parametrize(
    ("mutant", "function"),
    [
        ("paramproof.formulas.spec.x__require__mutmut_1", "paramproof.formulas.spec._require"),
        (
            "paramproof.formulas.encoder.x_inventory__mutmut_21",
            "paramproof.formulas.encoder.inventory",
        ),
        (
            "paramproof.formulas.spec.xǁNumericsǁ__post_init____mutmut_4",
            "paramproof.formulas.spec.Numerics.__post_init__",
        ),
        (
            "paramproof.formulas.comparison.xǁ_Comparisonǁrows__mutmut_9",
            "paramproof.formulas.comparison._Comparison.rows",
        ),
    ],
)
def test_names_as_mutmut_writes_them(mutant, function):
    assert survivors._function(mutant) == function


@pytest.mark.parametrize(
    ("listed", "found", "status", "said"),
    [
        ([], [CHANGE], 1, "survived: paramproof.formulas.spec._require"),
        ([CHANGE], [], 1, "stale, did not survive: paramproof.formulas.spec._require"),
        ([CHANGE], [CHANGE], 0, "a score"),
    ],
)
def test_the_list_is_compared_with_the_run(listed, found, status, said, monkeypatch, capsys):
    monkeypatch.setattr(command.subprocess, "run", lambda *_, **__: None)
    monkeypatch.setattr(command.shutil, "rmtree", lambda *_, **__: None)
    monkeypatch.setattr(command, "survivors", lambda: found)
    monkeypatch.setattr(command, "equivalent", lambda: dict.fromkeys(listed, "a reason"))
    monkeypatch.setattr(command, "score", lambda: "a score\n")
    monkeypatch.setattr(command, "block", lambda name, text: "a score\n")
    assert command.main([]) == status
    assert said in capsys.readouterr().out


def test_another_score_in_the_docs_fails(monkeypatch, capsys):
    monkeypatch.setattr(command, "block", lambda name, text: "another\n")
    for name in ("run", "rmtree"):
        owner = command.subprocess if name == "run" else command.shutil
        monkeypatch.setattr(owner, name, lambda *_, **__: None)
    monkeypatch.setattr(command, "survivors", lambda: [])
    monkeypatch.setattr(command, "equivalent", dict)
    monkeypatch.setattr(command, "score", lambda: "a score\n")
    assert command.main([]) == 1
    assert "has another score" in capsys.readouterr().out


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
