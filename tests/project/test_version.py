"""The version is that of the newest tag, and a folder without tags has one, too."""

import re
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


def test_what_a_release_says(clone, tmp_path):
    """A script writes version, date and addresses, and keeps addresses that are not given."""
    files = ("CHANGELOG.md", "CITATION.cff", "docs/README.md", "pyproject.toml")
    for name in (*files, "releases/front.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    clone("add", ".")
    for said in (["1.0.0", "https://us.dev/p", "https://us.dev/source/"], ["1.0.1"]):
        subprocess.run(["sh", tmp_path / "releases/front.sh", *said], check=True)
    changes, citation, *others = ((tmp_path / name).read_text("utf-8") for name in files)
    assert re.search(r"^## 1\.0\.0 \(20[\d-]{8}\)$", changes, re.MULTILINE)
    assert re.findall(r"^version: 1\.0\.1\ndate-released: 20[\d-]{8}$", citation, re.MULTILINE)
    found = re.findall(r"https://(?:example\.org|us\.dev)/[^\s\"]*", "".join(others))
    usual = {"https://us.dev/p/", "https://us.dev/source", "https://us.dev/p/interactive/"}
    assert usual <= {*found}
    assert not any("example.org" in one for one in found)
