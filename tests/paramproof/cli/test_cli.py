"""The command line: its tables, its exit statuses, and one clear line for a mistake."""

import json
import re
import stat
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest


def test_frameworks(paramproof, outsider):
    done = paramproof("frameworks")
    assert done.returncode == 0
    for name in ("torch", "keras-bert", "flax-linen", "toy"):
        assert re.search(rf"^ {name} ", done.stdout, re.MULTILINE)
    assert re.search(rf"^ toy +numpy {metadata.version('numpy')}$", done.stdout, re.MULTILINE)
    command = "toy-absent: python -m pip install a-distribution-that-nobody-has"
    assert command in paramproof("frameworks", COLUMNS="40").stdout.splitlines()


PROOFS = ("paramproof.derivation.pipeline", "paramproof.verify.proof")


FRAMEWORKS = ("torch", "keras", "jax", "numpy", "transformers", "hypothesis")


@pytest.mark.parametrize(
    ("line", "slow"),
    [
        ("count bert-base", ("sympy", *PROOFS, *FRAMEWORKS)),
        ("count deepseek-v3", ("sympy", "importlib.metadata", *PROOFS, *FRAMEWORKS)),
        ("frameworks", ("sympy", *PROOFS)),
        ("--help", ("sympy",)),
        ("explain 2362368", FRAMEWORKS),
        ("count gpt2 --all-conventions", FRAMEWORKS),
        ("differences torch keras-jax", FRAMEWORKS),
        ("differences torch theano", FRAMEWORKS),
    ],
)
def test_slow_modules_are_imported_only_if_needed(paramproof, line, slow):
    """SymPy is slow to import, and so are frameworks and the packages that derive and prove."""
    done = paramproof(*line.split(), PYTHONPROFILEIMPORTTIME="1")
    imported = re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE)
    assert "paramproof.cli.main" in imported
    assert not {*slow} & {*imported}


def test_no_arguments_print_the_help(paramproof):
    """One per line, as ``--help`` prints it, but with another status."""
    done, asked = paramproof(), paramproof("--help")
    assert (done.returncode, done.stdout) == (2, "")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert done.stderr == asked.stdout


def test_the_help_shows_an_example_that_works(paramproof):
    """Take the command from each line, without its description."""
    examples = re.findall(r"^ +paramproof (.+?)  +\S", paramproof().stderr, re.MULTILINE)
    assert examples[0] == "count bert-base"
    assert len(examples) >= 3
    for example in examples:
        # Commands that start frameworks take long: run only their help.
        start = [] if example.split()[0] in ("count", "explain", "models") else ["--help"]
        assert paramproof(*example.split(), *start).returncode == 0


@pytest.mark.parametrize("command", [("explain", "5"), ("verify",), ("differences",)])
def test_an_impossible_file_is_refused_before_the_run(refused, tmp_path, command):
    (tmp_path / "file").write_text("as it was")
    (tmp_path / "astray").symlink_to(tmp_path / "nowhere" / "out.json")
    for path, reason in (
        ("nowhere/out.json", "its directory does not exist"),
        ("file/out.json", "Not a directory"),
        ("astray", "its directory does not exist"),
        (".", "it is a directory"),
        ("x" * 300, "File name too long"),
    ):
        line = refused(*command, "--json", path)
        assert line == f"paramproof: --json {path}: cannot be written: {reason}"
    assert (tmp_path / "file").read_text() == "as it was"


def test_json_is_written_to_existing_files_and_dangling_links(invocation, tmp_path):
    """A new file has the user's umask, and an old one keeps its mode."""
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    (tmp_path / "link").symlink_to(new)
    old.write_text("as it was")
    old.chmod(0o604)
    for path in ("link", "old.json"):
        asked = invocation("explain", "2362368", "bert-base", "--json", path)
        assert subprocess.run(**asked, umask=0o027, capture_output=True).returncode == 0
    assert json.loads(new.read_text())["exact"] == 2362368
    assert old.read_text() == new.read_text()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (new, old)] == [0o640, 0o604]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "new.json", "old.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line(paramproof):
    done = paramproof("explain", "2362368", "bert-base", "--json", "/dev/full")
    assert done.returncode == 2
    assert done.stderr == (
        "paramproof: --json /dev/full: cannot be written: No space left on device\n"
    )


@pytest.mark.parametrize("words", [("--help",), ("count", "bert-base"), ("count", "nobody's")])
def test_the_module_is_the_command(invocation, paramproof, words):
    asked = {**invocation(), "args": [sys.executable, "-P", "-m", "paramproof", *words]}
    done, usual = subprocess.run(**asked, capture_output=True, timeout=300), paramproof(*words)
    assert (done.returncode, done.stderr) == (usual.returncode, usual.stderr)
    assert done.stdout == usual.stdout
