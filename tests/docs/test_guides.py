"""The tutorial and the how-to guides: their commands print what they show, their tests pass."""

import re
import shlex

import pytest

from docs.writers.blocks import AGAIN, ROOT, block, samples, trimmed
from docs.writers.guides import PAGES, files, write_files
from paramproof.cli.main import cli
from tests.plugin import run_pytest

SAMPLES = [(page, command) for page in PAGES for command in samples(page)]


@pytest.mark.parametrize(
    ("page", "command"), SAMPLES, ids=[f"{page.stem}: {command}" for page, command in SAMPLES]
)
def test_what_is_printed(paramproof, tmp_path, page, command):
    write_files(page, tmp_path)
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    assert block(command, page.read_text("utf-8")).strip() == printed.strip(), AGAIN


def test_there_are_samples():
    assert len(SAMPLES) == 8


def test_the_guarded_configuration(tmp_path):
    page = ROOT / "docs" / "how-to" / "guard-a-model.md"
    write_files(page, tmp_path)
    done = run_pytest(tmp_path, "test_config.py")
    assert "1 passed" in done.stdout, done.stdout
    changed = files(page)["config.json"].replace("4096", "4224")
    (tmp_path / "config.json").write_text(changed, "utf-8")
    assert "1 failed" in run_pytest(tmp_path, "test_config.py").stdout


def test_many_configurations(paramproof, tmp_path):
    write_files(ROOT / "docs" / "how-to" / "count-a-configuration.md", tmp_path)
    done = paramproof("count", "--jsonl", "configs.jsonl", "--json", "counts.jsonl")
    assert done.returncode == 2
    counted, refused = (tmp_path / "counts.jsonl").read_text("utf-8").splitlines()
    assert '"about":{"name":"small"}' in counted
    assert "did you mean 'hidden_size'" in refused


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_options_exist(page):
    """Each option of a command in a block is one that the command has."""
    lines = page.read_text("utf-8").replace("\\\n", " ").splitlines()
    for line in lines:
        if found := re.match(r" {4,}(?:\S*/)?paramproof (\w+) (.*)", line):
            command = cli.get_command(None, found[1])
            options = {name for param in command.params for name in param.opts}
            used = {word for word in shlex.split(found[2], comments=True) if word[:2] == "--"}
            assert used <= options, line
