"""The release workflow runs commands that work here."""

import os
import re
import shlex
import subprocess

import pytest

from docs.writers.blocks import ROOT
from paramproof.cli.main import main

TEXT = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
COMMANDS = re.findall(r"^ +- run: paramproof (\w.*)$", TEXT, re.MULTILINE)


def test_it_counts_explains_and_compares():
    assert {command.split()[0] for command in COMMANDS} == {"count", "explain", "diff"}


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_succeed(command, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["paramproof", *shlex.split(command)])
    main()  # A failure raises SystemExit.
    written = capsys.readouterr()
    assert (bool(written.out), written.err) == (True, "")


@pytest.mark.parametrize(
    ("heading", "accepted"),
    [("1.2.3 (2026-12-01)", True), ("1.2.3 (unreleased)", False), ("11.2.3 (2026-12-01)", False)],
)
def test_a_release_needs_its_release_notes(heading, accepted, tmp_path):
    (step,) = re.findall(r"^ +- run: (grep .*)$", TEXT, re.MULTILINE)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n", "utf-8")
    done = subprocess.run(
        ["bash", "-c", step],
        env={**os.environ, "GITHUB_REF_NAME": "v1.2.3"},
        cwd=tmp_path,
        capture_output=True,
    )
    assert (done.returncode == 0) == accepted


def test_only_the_last_job_may_publish():
    """Nothing that installs or runs code of others has the right to upload."""
    before, last = TEXT.split("  publish:")
    assert "id-token: write" not in before
    assert "run:" not in last
