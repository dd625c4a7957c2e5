"""The nightly workflow on the public forge names existing lanes and frameworks."""

import json
import re
import subprocess
import sys
from configparser import ConfigParser

import pytest

from docs.writers.blocks import ROOT
from paramproof.builders.registry import frameworks
from paramproof.cli.hunt import hunt_command

TEXT = (ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8")


@pytest.fixture(scope="module")
def tox():
    found = ConfigParser(interpolation=None)
    found.read(ROOT / "tox.ini", "utf-8")
    return found


def values(name):
    """Return the values of a one-line matrix."""
    return re.search(rf"^ +{name}: \[(.*)\]$", TEXT, re.MULTILINE)[1].split(", ")


def test_its_commands_agree_with_tox():
    commands = set(re.findall(r"^ +- run: (.*?)(?: -- .*)?$", TEXT, re.MULTILINE))
    assert commands == {
        "python -m pip install .",
        "python -m pip install tox",
        "tox run -e hunt",
        "tox run -e mutation-sample",
        "tox run -e site",
        'sudo --preserve-env "$(which tox)" run -e ${{ matrix.lane }}',
        "tox run -e ${{ matrix.end }}-${{ matrix.of }}",
    }


def test_its_lanes_exist(tox):
    """Some have a section, the others run the tests of a framework."""
    named = [*values("lane"), "hunt", "mutation-sample", "site"]
    assert {f"testenv:{name}" for name in named} <= set(tox.sections())
    there = tox["tox"]["env_list"].replace("keras-{tensorflow,torch}", "keras-tensorflow")
    assert set(values("of")) <= set(re.split(r"[,\s]+", there))
    ends = tox["testenv"]["constraints"].strip().partition(":")[0]
    assert ends == "-".join(f"!{end}" for end in values("end"))


def test_every_framework_has_a_hunt():
    """The matrix is what a step of an earlier job prints."""
    (code,) = re.findall(r'run: python -c "(.*)" >> "\$GITHUB_OUTPUT"$', TEXT, re.MULTILINE)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    name, _, names = done.stdout.partition("=")
    assert (name, json.loads(names)) == ("names", sorted(frameworks()))
    assert "framework: ${{ fromJSON(needs.frameworks.outputs.names) }}" in TEXT


def test_no_two_nights_have_the_same_models():
    """A night uses as many seeds as a family has tasks, with the default block."""
    hunt = re.search(r"--examples (\d+) --seed \$\(\(GITHUB_RUN_NUMBER \* (\d+)\)\)", TEXT)
    (block,) = (param.default for param in hunt_command.params if param.name == "block")
    assert int(hunt[1]) == block * int(hunt[2])
