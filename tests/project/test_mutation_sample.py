"""The sample of mutants: which are drawn, which tests run on them, and what the command says."""

import inspect
import json
import os
import pkgutil
import re
import subprocess
from argparse import Namespace
from dataclasses import dataclass, replace

import pytest

from docs.writers import mutation_page
from docs.writers.blocks import EVIDENCE, block
from tests.mutation import __main__ as command
from tests.mutation import trying, wide
from tests.mutation.survivors import EQUIVALENT_SAMPLED, Change, equivalent
from tests.mutation.trying import Result, stored_results, suites_of, try_mutants
from tests.mutation.wide import Mutant, files, sample

MUTANTS = [Mutant("paramproof/tracing/recorder.py", number, "0" * 12) for number in range(50)]
RESULT = Result(
    *("paramproof/tracing/recorder.py", 0, "0" * 12),
    *("paramproof.tracing.recorder.f", "return 1", "return 2"),
    *("survived", "tests/paramproof/tracing", 1.5),
)


@pytest.mark.parametrize("listed", equivalent(EQUIVALENT_SAMPLED), ids=lambda one: one.function)
def test_a_listed_survivor_is_in_the_code(listed):
    function = pkgutil.resolve_name(listed.function)
    source = " ".join(line.strip() for line in inspect.getsource(function).splitlines())
    assert listed.before in source
    assert listed.after not in source
    assert len(equivalent(EQUIVALENT_SAMPLED)[listed]) > 20, "a reason"


def test_the_pages_show_the_list_and_one_score():
    page = mutation_page.PAGE.read_text("utf-8")
    listed = equivalent(EQUIVALENT_SAMPLED)
    assert block("sampled-survivors", page) == mutation_page.survivors(listed)
    score = block("sampled-score", page)
    assert score == block("sampled-score", EVIDENCE.read_text("utf-8"))
    # A listed mutant of a file that has changed is not in the score.
    assert 0 < int(re.search(r" (\d+) survived", score)[1]) <= len(listed)


def test_files_of_the_wide_scope():
    """Every file of the packages is in one of the two scopes, and none in both."""
    found = files()
    assert {"paramproof/tracing/recorder.py", "paramproof/tracing/symbolic/symint.py"} < {*found}
    assert {"paramproof/matching/names.py", "paramproof/resolver/lookup.py"} < {*found}
    assert "paramproof/catalogue/entries.py" in found
    assert "paramproof/tracing/caveats.py" not in found
    assert not any(one.startswith(("paramproof/formulas", "paramproof/checks")) for one in found)


def test_a_sample_depends_on_the_seed_alone():
    assert sample(MUTANTS, 10, 1) == sample(iter(MUTANTS), 10, 1) == sample(MUTANTS, 20, 1)[:10]
    assert sample(MUTANTS, 10, 1) != sample(MUTANTS, 10, 2)
    assert len({*sample(MUTANTS, 100, 1)}) == 50
    others = [replace(one, path="paramproof/tracing/more.py") for one in MUTANTS]
    both = sample(MUTANTS + others, 100, 1)
    assert [one for one in both if one in MUTANTS] == sample(MUTANTS, 50, 1)


def test_the_tests_of_a_file():
    own = ["tests/paramproof/tracing/test_recorder.py", "tests/paramproof/tracing"]
    assert [one.tests for one in suites_of("paramproof/tracing/recorder.py", own=True)] == [own]
    first, further = suites_of("paramproof/tracing/recorder.py", own=False)
    assert first.tests == own
    assert {"tests/foolers/test_foolers.py", "tests/frameworks/derive"} <= {*further.tests}
    assert first.seconds < further.seconds
    (symbolic,) = suites_of("paramproof/tracing/symbolic/symint.py", own=True)
    assert symbolic.tests[-1] == own[-1]
    (alone,) = suites_of("paramproof/catalogue/accepts.py", own=False)
    assert alone.tests == ["tests/paramproof/catalogue"]


def test_every_named_test_exists():
    for path in files():
        for suite in suites_of(path, own=False):
            for one in suite.tests:
                assert (trying.ROOT / one).exists(), one


@dataclass(frozen=True)
class Toy:
    """A mutant of a project with one file."""

    path: str
    number: int
    digest: str
    source: str

    change = Change("paramproof.toy.adding.add", "return a + b", "return a - b")


SOURCE = "def add(a, b):\n    return a + b\n"
TEST = "from paramproof.toy.adding import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n"


@pytest.fixture
def toy_project(tmp_path, monkeypatch):
    project = tmp_path / "project"
    for path, text in {
        "paramproof/__init__.py": "",
        "paramproof/toy/__init__.py": "",
        "paramproof/toy/adding.py": SOURCE,
        "tests/paramproof/toy/test_adding.py": TEST,
        "conftest.py": "def pytest_addoption(parser):\n"
        "    parser.addoption('--framework', action='append')\n",
    }.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    subprocess.run(["git", "init", "--quiet", project], check=True)
    monkeypatch.setattr(trying, "ROOT", project)
    # The plug-in of paramproof is not in this project.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return project


def toy(number, old, new):
    return Toy("paramproof/toy/adding.py", number, "0" * 12, SOURCE.replace(old, new))


def statuses(mutants, folder):
    # Results have no source, so they are compared by number.
    found = try_mutants(mutants, folder, processes=1, own=False)
    return {one.number: one.status for one in found}


def test_mutants_are_tried_in_a_copy(toy_project, tmp_path, monkeypatch):
    monkeypatch.setattr(trying, "OWN_SECONDS", 2)
    monkeypatch.setattr(trying, "asdict", lambda one: _without_source(one))
    endless = "while True: pass\n    return a + b"
    tried = [
        toy(0, "a + b", "a - b"),
        toy(1, "a + b", "a * b"),
        toy(2, "return a + b", endless),
        toy(3, "a + b", "a // b"),
    ]
    assert statuses(tried, tmp_path / "results") == {
        0: "killed",
        1: "survived",
        2: "timed out",
        3: "killed",
    }
    stored = stored_results(tmp_path / "results")
    assert [one.status for one in stored.values()] == ["killed", "survived", "timed out", "killed"]
    assert (toy_project / "paramproof/toy/adding.py").read_text() == SOURCE


def _without_source(one):
    names = [name for name in one.__dataclass_fields__ if name != "source"]
    return {name: getattr(one, name) for name in names}


def test_tests_that_fail_without_a_mutant_are_an_error(toy_project, tmp_path):
    (toy_project / "paramproof/toy/adding.py").write_text(SOURCE.replace("+", "-"))
    with pytest.raises(RuntimeError, match=r"the tests of the original are killed: .*test_adding"):
        statuses([toy(0, "a + b", "a * b")], tmp_path / "results")
    assert stored_results(tmp_path / "results") == {}


def test_the_newest_result_counts(tmp_path):
    lines = [replace(RESULT, status=status) for status in ("survived", "killed")]
    text = "".join(json.dumps(trying.asdict(one)) + os.linesep for one in lines)
    (tmp_path / "results.jsonl").write_text(text)
    assert stored_results(tmp_path) == {RESULT.mutant: lines[1]}


def sampled(monkeypatch, tmp_path, statuses, listed=(), stored=None, again=False):
    """Run the command on a mutant per status; return the exit status, and the numbers that ran."""
    mutants = MUTANTS[: len(statuses)]
    results = {
        mutant: replace(
            RESULT, number=mutant.number, after=f"return {mutant.number}", status=status
        )
        for mutant, status in zip(mutants, statuses, strict=True)
    }
    ran = []

    def try_mutants(wanted, *_):
        ran.extend(one.number for one in wanted)
        return [results[one] for one in wanted]

    changes = {results[mutants[number]].change: "a reason" for number in listed}
    monkeypatch.setattr(wide, "mutants", lambda _: MUTANTS)
    monkeypatch.setattr(wide, "sample", lambda population, *_: mutants)
    monkeypatch.setattr(trying, "try_mutants", try_mutants)
    old = {
        mutants[number]: replace(results[mutants[number]], status=status)
        for number, status in (stored or {}).items()
    }
    monkeypatch.setattr(trying, "stored_results", lambda _: old)
    monkeypatch.setattr(command, "equivalent", lambda _: changes)
    options = Namespace(
        files=[],
        sample=len(statuses),
        seed=3,
        folder=tmp_path,
        processes=1,
        own=False,
        again=again,
        write=False,
    )
    return command.run_sample(options), ran


def test_the_list_is_compared_with_the_sample(monkeypatch, tmp_path, capsys):
    found = ["killed", "survived", "timed out"]
    assert sampled(monkeypatch, tmp_path, found) == (1, [0, 1, 2])
    assert (
        "survived: paramproof.tracing.recorder.f\n  - return 1\n  + return 1"
        in capsys.readouterr().out
    )
    assert sampled(monkeypatch, tmp_path, found, listed=[0, 1])[0] == 1
    assert "stale, did not survive: paramproof.tracing" in capsys.readouterr().out
    assert sampled(monkeypatch, tmp_path, found, listed=[1])[0] == 0
    assert capsys.readouterr().out.splitlines()[-2] == (
        "3 of 50 mutants, drawn at random: 2 killed (1 of them by the time limit), 1 survived, "
        "all of them equivalent (66.7 % killed)."
    )


def test_a_run_goes_on_with_stored_results(monkeypatch, tmp_path):
    found, stored = ["killed"] * 3, {0: "killed", 1: "survived"}
    assert sampled(monkeypatch, tmp_path, found, stored=stored) == (1, [2])
    assert sampled(monkeypatch, tmp_path, found, stored=stored, again=True) == (0, [2, 1])


def test_a_sample_is_asked_for_by_its_option(monkeypatch):
    monkeypatch.setattr(command, "run_all", lambda write: ("all", write))
    monkeypatch.setattr(command, "run_sample", lambda options: (options.sample, options.seed))
    assert command.main(["--write"]) == ("all", True)
    assert command.main(["--sample", "5", "--seed", "9"]) == (5, 9)
