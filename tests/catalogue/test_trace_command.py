"""``python -m sweep`` writes what it reads, and what it traces is what the data have."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sweep import programs

ROOT = Path(programs.__file__).parents[1]


def contents(folder):
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def test_files_are_written_as_they_were_read(monkeypatch, tmp_path):
    before, files = contents(programs.FOLDER), programs.read_files()
    monkeypatch.setattr(programs, "FOLDER", tmp_path)
    programs.write_files(files)
    after = contents(tmp_path)
    assert [one for one in {**before, **after} if before.get(one) != after.get(one)] == []


@pytest.mark.framework("transformers")
@pytest.mark.documented("transformers")
def test_tracing_again_changes_nothing():
    """The command restarts itself with a hash seed: sets of transformers decide on an order."""
    command = [sys.executable, "-m", "sweep", "bert", "gpt2", "llama", "--compare"]
    env = {name: one for name, one in os.environ.items() if name != "PYTHONHASHSEED"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_class_is_untraced_by_a_fault_of_the_interpreter():
    """Classes of these types need a library that is not installed, or are broken themselves."""
    untraced = json.loads((ROOT / "sweep" / "untraced.json").read_text("utf-8"))
    faults = "inside of the interpreter", "has no attribute"
    found = {kind for kind, why in untraced.values() if any(one in why for one in faults)}
    assert found == {"layoutlmv2", "pe_audio_video", "timm_backbone", "voxtral_realtime_text"}
