"""The version is that of the newest tag, and a folder without tags has one, too."""

import shutil
import subprocess

import pytest

from docs.writers.blocks import ROOT
from tests.sessions import run_python


@pytest.fixture
def clone(tmp_path):
    """Create a repository of one commit that is built as this project is; return a git command."""
    own = ("git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.org")

    def git(*arguments):
        subprocess.run([*own, *arguments], cwd=tmp_path, check=True, capture_output=True)

    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    git("init")
    git("add", ".")
    git("commit", "--message", "Begin")
    return git


def version(folder):
    """Return the version that a build of the folder would have."""
    # A folder of tests may lie in somebody's repository.
    own = {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
    done = run_python("-m", "hatchling", "version", cwd=folder, **own)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_tags(clone, tmp_path):
    assert version(tmp_path).startswith("0.0.1.dev1+g")
    clone("tag", "v0.3.1")
    assert version(tmp_path) == "0.3.1"
    clone("commit", "--allow-empty", "--message", "Go on")
    assert version(tmp_path).startswith("0.3.2.dev1+g")


def test_no_repository(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    assert version(tmp_path) == "0.0.0"
