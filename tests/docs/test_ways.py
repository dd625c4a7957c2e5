"""The ways of docs/architecture.md: the functions that data pass, in order."""

import ast
import json
import re
import sys

import pytest
from click.testing import CliRunner

from docs.writers.blocks import ROOT
from paramproof.cli.main import cli

PAGE = ROOT / "docs" / "architecture.md"
STOP = re.compile(r"^1\. `([\w.]+)`", re.MULTILINE)

MOST_STOPS = 14


def ways():
    """Return the functions of each way, by the title of its section."""
    section = PAGE.read_text("utf-8").partition("\n## Four ways")[2].partition("\n## ")[0]
    _, *found = section.split("\n### ")
    return {one.splitlines()[0]: STOP.findall(one) for one in found}


def file_of(stop):
    """Return the file of a function or method, and its name inside the file."""
    names = stop.split(".")
    for number in range(len(names) - 1, 0, -1):
        path = ROOT.joinpath(*names[:number]).with_suffix(".py")
        if path.is_file():
            return path, ".".join(names[number:])
    raise AssertionError(f"{stop} is in no file")


def definitions(body, before=""):
    """Yield the names of the functions, classes and methods in a module."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield before + node.name
        if isinstance(node, ast.ClassDef):
            yield from definitions(node.body, f"{node.name}.")


WAYS = ways()


def test_there_are_four():
    assert len(WAYS) == 4


@pytest.mark.parametrize("way", WAYS)
def test_a_way_is_short_and_never_returns(way):
    stops = WAYS[way]
    assert 5 <= len(stops) <= MOST_STOPS
    files = [file_of(stop)[0] for stop in stops]
    changes = [here for before, here in zip([None, *files], files, strict=False) if here != before]
    assert len(changes) == len(set(changes))


@pytest.mark.parametrize("stop", [stop for way in WAYS.values() for stop in way])
def test_every_stop_exists(stop):
    path, name = file_of(stop)
    assert name in definitions(ast.parse(path.read_text("utf-8")).body)


def calls(arguments):
    """Return the functions of the project that a command calls, each at its first call."""
    found = {}

    def note(frame, event, _):
        if event == "call":
            module, code = frame.f_globals.get("__name__", ""), frame.f_code
            if module.startswith("paramproof."):
                found.setdefault(f"{module}.{code.co_qualname}", len(found))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        result = CliRunner().invoke(cli, arguments)
    finally:
        sys.setprofile(before)
    assert result.exit_code == 0, result.output
    return found


def test_count_goes_this_way(tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}))
    found = calls(["count", str(config)])
    order = [found[stop] for stop in WAYS["`paramproof count config.json`"]]
    assert order == sorted(order)
