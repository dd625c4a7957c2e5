"""The Windows workflow on the public forge has commands that work here, on existing Pythons."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

from docs.writers.blocks import ROOT

TEXT = (ROOT / ".github" / "workflows" / "windows.yml").read_text("utf-8")
STEPS = re.findall(r"^ +- run: (.*)$", TEXT, re.MULTILINE)
OURS = [step for step in STEPS if re.search(r"\bparamproof \w", step)]


@pytest.fixture
def bash(tmp_path):
    """Run a step as the forge does, with this checkout as the installed package."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, start in {"python": "", "paramproof": "-m paramproof"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {start} "$@"\n', "utf-8")
        (programs / name).chmod(0o755)
    own = {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }

    def run(step):
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step],
            cwd=tmp_path,
            env={**os.environ, **own},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )

    return run


def test_it_counts_explains_and_compares():
    commands = {command for step in OURS for command in re.findall(r"\bparamproof (\w+)", step)}
    assert commands >= {"count", "explain", "diff", "models"}
    assert any("| paramproof count -" in step for step in OURS)


@pytest.mark.parametrize("step", OURS)
def test_its_commands_succeed(bash, step):
    done = bash(step)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_fails_fails_its_step(bash):
    assert bash("paramproof count nobody-has-it").returncode == 2
    assert bash("paramproof count nobody-has-it | cat").returncode == 2


def test_its_other_commands_are_known():
    assert [step for step in STEPS if step not in OURS] == [
        "python -m pip wheel --no-deps --wheel-dir dist .",
        "python -m pip install --upgrade pip",
        "python -m pip install --constraint constraints.txt dist/*.whl",
        "python -m pip install --constraint constraints.txt --group test",
        "pytest tests/formulas",
    ]


def test_its_pythons_agree_with_the_lanes():
    (line,) = re.findall(r"^ +python: \[(.*)\]$", TEXT, re.MULTILINE)
    pythons = {version.strip('"').replace(".", "") for version in line.split(", ")}
    lanes = (ROOT / "tox.ini").read_text("utf-8")
    (others,) = re.findall(r"formulas-py3{(.*?)}", lanes)
    assert pythons <= {"311", *(f"3{minor}" for minor in others.split(","))}


def test_its_group_of_dependencies_exists():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    assert set(re.findall(r"--group (\w+)", TEXT)) <= groups.keys()
