"""docs/commands.md: its samples match the commands' output, and its tables are complete."""

import re

import pytest

from docs.writers.blocks import AGAIN, block, samples, trimmed
from docs.writers.commands_page import PAGE, lines
from paramproof.cli.main import GROUPS, OTHER_NAMES, UNLISTED, cli
from tests.printed import COMPLETION_IN_BASH

TEXT = PAGE.read_text("utf-8")


@pytest.mark.parametrize("command", samples(PAGE))
def test_samples_match_the_output(paramproof, command):
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    assert block(command, TEXT).strip() == printed.strip(), AGAIN


def test_there_are_samples():
    assert len(samples(PAGE)) == 3


def test_many_configurations(paramproof, tmp_path):
    asked, answered = lines().values()
    (tmp_path / "configs.jsonl").write_text(asked, "utf-8")
    done = paramproof("count", "--jsonl", str(tmp_path / "configs.jsonl"))
    assert (done.returncode, done.stdout) == (2, answered)
    assert {name: block(name, TEXT).strip() for name in lines()} == {
        "lines in": asked,
        "lines out": answered.strip(),
    }, AGAIN


def test_every_command_is_described_and_those_of_the_help_have_a_row():
    start = TEXT.partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z]+)", start, re.MULTILINE)
    assert sorted([*rows, *OTHER_NAMES]) == sorted(
        name for names in GROUPS.values() for name in names
    )
    assert sorted([*rows, *OTHER_NAMES, *UNLISTED]) == sorted(cli.list_commands(None))
    assert all(f"`{name}`" in start for name in [*OTHER_NAMES, *UNLISTED])


def test_a_user_formula(paramproof, outsider, user_formulas):
    """Every correct framework gives the sample, the toy framework included."""
    (shown,) = re.findall(r"^    (actual 5 − .*\n    .*)$", TEXT, re.MULTILINE)
    arguments = ("--framework", "toy", "--model", "bert-tiny", "--examples", "5")
    printed = paramproof("verify", "--formula", f"{user_formulas}:without_biases", *arguments)
    assert shown.replace("\n    ", "\n") in printed.stdout, printed.stderr


def test_completion():
    """The line for bash is the one tested in a real bash, and each shell has a line."""
    assert f"| bash | `{COMPLETION_IN_BASH}` |" in TEXT
    for shell in ("bash", "zsh", "fish"):
        assert re.search(rf"^\| {shell} \| `.*_COMPLETE={shell}_source paramproof", TEXT, re.M)
