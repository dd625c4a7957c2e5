"""The version is that of the newest tag, and a folder without tags has one, too."""

import re
import shutil
import subprocess
import tomllib

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


def test_what_a_release_says(clone, tmp_path):
    """The script writes version, date and addresses; without addresses it keeps those."""
    for name in ("CHANGELOG.md", "CITATION.cff", "docs/README.md", "releases/front.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    clone("add", ".")
    before = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]

    def say(version, *addresses):
        script = ["sh", tmp_path / "releases/front.sh", version, *addresses]
        subprocess.run(script, check=True, stderr=subprocess.PIPE)
        return [(tmp_path / name).read_text("utf-8") for name in ("CITATION.cff", "docs/README.md")]

    assert before["Documentation"] in (tmp_path / "docs/README.md").read_text("utf-8")
    say("1.0.0", "https://us.dev/p", "https://us.dev/source/")
    citation, home = say("1.0.1")
    assert re.findall(r"^version: 1\.0\.1\ndate-released: 20[\d-]{8}$", citation, re.MULTILINE)
    assert citation.count("date-released") == 1
    after = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert after["Source"] == "https://us.dev/source"
    assert after["Documentation"] == "https://us.dev/p/"
    assert "https://us.dev/p/interactive/" in home
    assert "example.org" not in "".join([citation, home, *after.values()])
    changes = (tmp_path / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## 1\.0\.0 \(20\d\d-\d\d-\d\d\)$", changes, re.MULTILINE)
