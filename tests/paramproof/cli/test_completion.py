"""Completion of commands and of their arguments, as a real bash requests it."""

import os
import shutil
import subprocess
import sys

import pytest

from paramproof.bytes import BITS
from paramproof.differences.answer import components
from paramproof.formulas import FAMILIES
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.models import model_names
from tests.printed import COMPLETION_IN_BASH as SETUP

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="no bash")

ASK = """
compopt() { printf 'compopt %s %s\\n' "$1" "$2"; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_paramproof_completion paramproof
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def on_path(tmp_path, invocation):
    """Return the environment of a shell that finds ``paramproof`` on its path."""
    asked = invocation()
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "paramproof"
    script.write_text(f"#!{sys.executable} -P\n{asked['args'][-1]}\n")
    script.chmod(0o755)
    return asked["env"] | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def completed(on_path, tmp_path):
    """Return bash's completions of the last of some words."""

    def run(*words):
        done = subprocess.run(
            ["bash", "--norc", "-c", SETUP + ASK, "bash", "paramproof", *words],
            env=on_path,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split("\n")[:-1]

    return run


def test_commands(completed):
    assert completed("co") == ["compare", "count"]
    assert "models" in completed("")


def test_models(completed):
    assert completed("count", "") == [*model_names()]
    assert completed("count", "bert-large", "gpt2-") == ["gpt2-medium", "gpt2-large", "gpt2-xl"]
    assert completed("verify", "--model", "ll") == [n for n in model_names() if n[:2] == "ll"]


def test_files_if_no_model_matches(completed):
    assert completed("count", "conf") == ["compopt -o default", ""]
    assert completed("count", "gpt2", "--json", "out") == ["compopt -o default", ""]


@pytest.mark.parametrize("command", ["verify", "differences"])
def test_frameworks(outsider, completed, command):
    """Including frameworks of other distributions."""
    assert completed(command, "--framework", "keras-t") == ["keras-tensorflow", "keras-torch"]
    assert "toy-wrong" in completed(command, "--framework", "toy")


def test_families(completed):
    assert completed("verify", "--family", "") == list(FAMILIES)
    assert completed("models", "--family", "l") == ["llama"]


def test_other_names(completed):
    assert completed("count", "gpt2", "--under", "") == list(CONVENTIONS)
    assert completed("count", "gpt2", "--dtype", "") == list(BITS)
    assert completed("differences", "--component", "") == components()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_each_shell(on_path, shell):
    """Zsh and fish may be absent; at least the script is theirs."""
    done = subprocess.run(
        ["paramproof"],
        executable=shutil.which("paramproof", path=on_path["PATH"]),
        env=on_path | {"_PARAMPROOF_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_PARAMPROOF_COMPLETE={shell}_complete" in done.stdout
