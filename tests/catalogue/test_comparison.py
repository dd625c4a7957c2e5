"""A type is derived again, and each difference from its file is a line, symbolically."""

import os
import subprocess
import sys
import time
from copy import deepcopy

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("types are derived again, in seconds each"),
]

pytest.importorskip("transformers")

from paramproof.catalogue.files import parse_type
from sweep.__main__ import restart_with_hash_seed
from sweep.entries.comparison import differences
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import OutOfTime, Reason
from sweep.jobs import compare
from sweep.library.model_types import classes_of_type
from sweep.pool import run_in_processes
from sweep.store import read_entry

GPT2 = read_entry("gpt2")

HEADS = [f"{name} is new" for name in classes_of_type("gpt2") if name != "GPT2Model"]
"""The classes that the test files lack, since they have the base model alone."""


def texts(data, *how):
    return [one.text for one in differences(parse_type(data), *how)]


def lines_after(change):
    """Return the differences from the file of GPT-2, with its base model alone, and changed."""
    data = deepcopy(GPT2)
    base = data["classes"]["GPT2Model"]
    data["classes"] = {"GPT2Model": base}
    change(data, base)
    lines = texts(data)
    assert set(HEADS) <= set(lines)
    return [line for line in lines if line not in HEADS]


def test_an_intact_file_has_no_differences():
    """It has a first variant, one with a flag, and one with a size in place of null."""
    assert lines_after(lambda data, base: None) == []
    assert len(GPT2["classes"]["GPT2Model"]["also"]) > 1


def test_names_without_an_effect_are_not_new_keys():
    """The class with a head looks for a text part; the base model does not."""
    data = deepcopy(GPT2)
    data["classes"] = {name: data["classes"][name] for name in ("GPT2Model", "GPT2LMHeadModel")}
    for one in data["classes"].values():
        one["also"] = []
    assert not [line for line in texts(data) if line.endswith("is a new key")]


def test_a_changed_tensor():
    def change(data, base):
        base["tensors"]["ln_f.bias"] = "2·H"

    lines = lines_after(change)
    assert lines[:3] == [
        "GPT2Model: the formula changed by (−H)",
        "GPT2Model: − ln_f.bias 1 × 2·H, trainable",
        "GPT2Model: + ln_f.bias 1 × H, trainable",
    ]
    assert lines[3] == "GPT2Model[add_cross_attention=True]: the formula changed by (−H)"


def test_a_changed_condition():
    def change(data, base):
        base["conditions"] = {"A divides V": "refused"}
        base["also"] = []

    (line,) = lines_after(change)
    assert line == "GPT2Model: conditions: was ['A divides V'], is now ['A divides H']"


def test_a_composed_variant_is_compared_with_models():
    """It was never derived."""
    data = deepcopy(GPT2)
    name = "GPT2ForTokenClassification"
    data["classes"] = {one: data["classes"][one] for one in ("GPT2Model", name)}
    head = data["classes"][name]
    together = next(one for one in head["also"] if one["doubts"] == ["put together"])
    assert [line for line in texts(data) if name in line] == []
    together["tensors"] = {**head["tensors"], "classifier.bias": "2·k"}
    (line,) = (line for line in texts(data) if name in line)
    changed = "GPT2ForTokenClassification[add_cross_attention=True]"
    assert line.startswith(f"{changed}: classifier.bias of (")
    assert "differs from the entry" in line


def test_a_fitted_variant_is_derived_only_if_models_differ():
    """The difference is then given symbolically, too."""
    data = deepcopy(GPT2)
    base = data["classes"]["GPT2Model"]
    base |= {"status": "fitted", "doubts": ["a doubt"], "also": []}
    data["classes"] = {"GPT2Model": base}
    assert [line for line in texts(data) if line not in HEADS] == []
    base["tensors"]["ln_f.bias"] = "2·H"
    lines = [line for line in texts(data) if line not in HEADS]
    assert lines[0].startswith("GPT2Model: ln_f.bias of (")
    assert lines[1] == "GPT2Model: the formula changed by (−H)"


@pytest.mark.parametrize("late", [True, False])
def test_a_variant_without_time_is_compared_with_models(monkeypatch, late):
    """The time is over before the variant is begun, or meanwhile."""

    def over(*_):
        raise OutOfTime

    monkeypatch.setattr(TypeSweep, "derive_variant", over)
    data = deepcopy(GPT2)
    base = data["classes"]["GPT2Model"]
    base["also"] = base["also"][:1]
    data["classes"] = {"GPT2Model": base}
    held = []
    seconds = 0 if late else 10**6
    assert set(texts(data, seconds, held)) == set(HEADS)
    assert held == ["GPT2Model", "GPT2Model[add_cross_attention=True]"]
    base["tensors"]["ln_f.bias"] = "2·H"
    lines = [one for one in texts(data, seconds) if one not in HEADS]
    assert [line.partition(" of (")[0] for line in lines] == [
        "GPT2Model: ln_f.bias",
        "GPT2Model[add_cross_attention=True]: ln_f.bias",
    ]


def test_a_changed_default():
    def change(data, base):
        data["letters"]["L"] = "n_layer = 13"
        base["also"] = []

    assert lines_after(change) == ["GPT2Model: L was 13 by default and is now 12"]


def test_new_and_removed_classes_and_keys():
    def change(data, base):
        data["classes"] = {"GPT2Gone": base}
        data["free"] = {
            sorts: " ".join(name for name in names.split() if name != "attn_pdrop")
            for sorts, names in data["free"].items()
        }
        base["also"] = []

    lines = lines_after(change)
    assert lines == ["GPT2Gone is gone", "GPT2Model is new", "attn_pdrop is a new key"]


def test_each_type_has_its_own_process():
    """A failure is reported under the type's name."""
    found = {
        name: what
        for name, what, _ in run_in_processes(["internvl_vision", "none"], compare, 60, 2)
    }
    assert found["internvl_vision"] == {"failed": {}, "differences": [], "held": []}
    failure = found["none"]["failed"]["none"]
    assert failure.reason is Reason.ERROR
    assert "there is no formula for the model type 'none'" in failure.why


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_a_process_ends_if_its_parent_is_killed(tmp_path):
    program = (
        "import os, time\nfrom sweep.pool import run_in_processes\n"
        "def work(*_):\n    os.symlink(f'/proc/{os.getpid()}', 'child')\n    time.sleep(600)\n"
        "next(run_in_processes(['bert'], work, 60, 1))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, env=environment)
    child = tmp_path / "child"
    while not child.exists():
        assert parent.poll() is None
        time.sleep(0.1)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 30
    while child.exists():
        assert time.monotonic() < deadline, "a process outlives its parent"
        time.sleep(0.1)


def test_python_restarts_with_a_fixed_hash_seed(monkeypatch):
    """The order of a set of names determines what is drawn."""
    begun = []
    monkeypatch.setattr(os, "execve", lambda *given: begun.append(given))
    monkeypatch.setattr(sys, "argv", ["sweep", "dots3_note", "--compare"])
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    restart_with_hash_seed()
    assert not begun
    monkeypatch.delenv("PYTHONHASHSEED")
    restart_with_hash_seed()
    ((_, arguments, environment),) = begun
    assert arguments[1:] == ["-m", "sweep", "dots3_note", "--compare"]
    assert environment["PYTHONHASHSEED"] == "0"
