"""Running a task in a checkout, by the name of the check."""

import json
import sys
from importlib import util
from types import ModuleType

import pytest

from paramproof.hunt.execution import in_checkout, run_task
from paramproof.hunt.files import file_of
from paramproof.hunt.tasks import CATALOGUE, POINTS, Task


def test_a_checkout_has_the_sweep_beside_the_catalogue():
    assert in_checkout()


def test_without_a_checkout(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    assert not in_checkout()


def test_an_unrelated_sweep_package(monkeypatch, tmp_path):
    folder = tmp_path / "sweep"
    folder.mkdir()
    for name in ("__init__", "tasks"):
        (folder / f"{name}.py").touch()
    monkeypatch.setattr(
        util, "find_spec", lambda name: util.spec_from_file_location(name, folder / "__init__.py")
    )
    assert not in_checkout()
    # Only a folder with both is a checkout.
    (tmp_path / "paramproof" / "catalogue").mkdir(parents=True)
    assert in_checkout()


@pytest.fixture
def fake_sweep(monkeypatch):
    """Replace the comparison with transformers; return the list of recorded calls."""
    module, asked = ModuleType("sweep.tasks"), []

    def check(model_type, seed, number):
        asked.append((model_type, seed, number))
        yield {}
        yield {"what": 1, "expected": 2, "actual": 3, "report": "4"}

    module.points = module.catalogue = check
    monkeypatch.setitem(sys.modules, "sweep.tasks", module)
    return asked


@pytest.mark.parametrize(
    ("task", "command"),
    [
        (Task(POINTS, "transformers", "bert", 7, 2), "python -m sweep bert --random 2 --seed 7"),
        (Task(CATALOGUE, "transformers", "bert"), "python -m sweep bert --compare"),
    ],
)
def test_what_the_sweep_finds(fake_sweep, tmp_path, task, command):
    steps = []
    run_task(task, tmp_path, steps.append)
    assert fake_sweep == [("bert", task.seed, task.number)]
    assert steps == [1, 2]
    different, closing = map(json.loads, file_of(tmp_path, task.name).read_text().splitlines())
    assert different == {
        "different": task.name,
        "what": 1,
        "expected": 2,
        "actual": 3,
        "report": "4",
        "command": command,
    }
    assert (closing["checked"], closing["equal"], closing["of"]) == (2, 1, "bert")
