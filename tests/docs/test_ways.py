"""The ways of docs/architecture.md: the functions that data pass, in order."""

import json
import re
import sys

import pytest
from click.testing import CliRunner

from docs.writers.blocks import PAGES, ROOT
from paramproof.cli.main import cli

SECTION = PAGES["architecture"].read_text("utf-8").partition("\n## Four ways")[2]
WAYS = {
    one.splitlines()[0]: re.findall(r"^1\. `([\w.]+)`", one, re.MULTILINE)
    for one in SECTION.partition("\n## ")[0].split("\n### ")[1:]
}
"""The functions of each way, by the title of its section."""


def file_of(stop):
    """Return the file of a function or method; it defines the name."""
    names = stop.split(".")
    paths = (ROOT.joinpath(*names[:n]).with_suffix(".py") for n in range(len(names) - 1, 0, -1))
    path = next(path for path in paths if path.is_file())
    assert re.search(rf"^ *(def|class) {names[-1]}\b", path.read_text("utf-8"), re.MULTILINE), stop
    return path


def test_there_are_four():
    assert len(WAYS) == 4


@pytest.mark.parametrize("way", WAYS)
def test_a_way_is_short_and_never_returns(way):
    assert 5 <= len(WAYS[way]) <= 14
    files = [file_of(stop) for stop in WAYS[way]]
    changes = [here for before, here in zip([None, *files], files, strict=False) if here != before]
    assert len(changes) == len(set(changes))


def test_count_goes_this_way(tmp_path):
    """Every function is called, each for the first time after the one before."""
    config, called = tmp_path / "config.json", {}
    config.write_text(json.dumps({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}))

    def note(frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("paramproof."):
            name = f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}"
            called.setdefault(name, len(called))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        result = CliRunner().invoke(cli, ["count", str(config)])
    finally:
        sys.setprofile(before)
    assert result.exit_code == 0, result.output
    order = [called[stop] for stop in WAYS["`paramproof count config.json`"]]
    assert order == sorted(order)
