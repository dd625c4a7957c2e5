"""A registered outsider, and the command line as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOY = Path(__file__).parent / "outsider" / "toy.py"
USER_FORMULAS = Path(__file__).with_name("user_formulas.py")


@pytest.fixture
def outsider(tmp_path, monkeypatch):
    """The toy framework, installed as a distribution of its own would be."""
    site = tmp_path / "site"
    info = site / "toy_framework-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "toy_framework.py").write_text(TOY.read_text())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-framework\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[paramproof.frameworks]\ntoy = toy_framework\n")
    monkeypatch.syspath_prepend(site)
    yield site
    sys.modules.pop("toy_framework", None)


@pytest.fixture
def paramproof(tmp_path):
    """Run the command in a fresh process, in a directory that is not the checkout."""

    def run(*arguments, **environment):
        path = os.pathsep.join(entry for entry in sys.path if entry)
        return subprocess.run(
            [
                sys.executable,
                "-P",
                "-c",
                "from paramproof.cli.main import main; main()",
                *arguments,
            ],
            env={**os.environ, "PYTHONPATH": path, **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


@pytest.fixture
def user_formulas(tmp_path):
    """``tests.user_formulas`` in the directory where the command runs, as in a checkout."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "user_formulas.py").write_text(USER_FORMULAS.read_text("utf-8"))
    return "tests.user_formulas"


@pytest.fixture
def refused(paramproof):
    """Run the command, expecting it to refuse: status 2 and one line on standard error."""

    def run(*arguments):
        done = paramproof(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done
        (line,) = done.stderr.splitlines()
        assert line.startswith("paramproof: ")
        return line

    return run
