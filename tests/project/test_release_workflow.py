"""The release workflow runs commands that work here."""

import re
import shlex

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


def test_only_the_last_job_may_publish():
    """Nothing that installs or runs code of others has the right to upload."""
    before, last = TEXT.split("  publish:")
    assert "id-token: write" not in before
    assert "run:" not in last
