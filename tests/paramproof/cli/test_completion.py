"""Completion of commands and of their arguments, as a real bash requests it."""

import os
import shutil
import subprocess
import sys

import pytest

from paramproof.bytes import BITS
from paramproof.cli.main import COMMANDS
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


FILES = ["compopt -o default", ""]
COMPLETIONS = {
    "": sorted(COMMANDS),
    "co": ["compare", "count"],
    "count ": [*model_names()],
    "count bert-large gpt2-": ["gpt2-medium", "gpt2-large", "gpt2-xl"],
    "count conf": FILES,
    "count gpt2 --json out": FILES,
    "count gpt2 --under ": [*CONVENTIONS],
    "count gpt2 --dtype ": [*BITS],
    "verify --model ll": [name for name in model_names() if name[:2] == "ll"],
    "verify --family ": [*FAMILIES],
    "models --family l": ["llama"],
    "verify --framework keras-t": ["keras-tensorflow", "keras-torch"],
    "differences --framework keras-t": ["keras-tensorflow", "keras-torch"],
    "differences --component ": components(),
    # Frameworks of other distributions.
    "verify --framework toy-w": ["toy-wrong"],
    "differences --framework toy-w": ["toy-wrong"],
}


@pytest.mark.parametrize("line", COMPLETIONS)
def test_completions(outsider, completed, line):
    assert completed(*line.split(" ")) == COMPLETIONS[line]


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
