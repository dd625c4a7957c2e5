"""What runs at night on the public forge: lanes and frameworks that there are."""

import re
from configparser import ConfigParser

import pytest

from docs.writers.blocks import ROOT
from paramproof.builders.registry import frameworks
from paramproof.cli.hunt import hunt_command

TEXT = (ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8")


@pytest.fixture(scope="module")
def lanes():
    """The lanes that have a section of their own."""
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", "utf-8")
    return {name.removeprefix("testenv:") for name in tox.sections() if ":" in name}


def test_its_commands_are_those_of_tox(lanes):
    commands = re.findall(r"^ +- run: (.*)$", TEXT, re.MULTILINE)
    lane = re.compile(r"tox\S* run -e (\S+(?: matrix.lane }})?)")
    asked = {found[1] for command in commands if (found := lane.search(command))}
    assert asked == {"hunt", "${{ matrix.lane }}"}
    named = re.search(r"lane: \[(.*)\]", TEXT)[1].split(", ")
    assert {*named, "hunt"} <= lanes
    others = {command for command in commands if not lane.search(command)}
    assert others == {"python -m pip install tox"}


def test_every_framework_is_hunted_in():
    named = re.findall(r"^ {10}- ([a-z-]+)$", TEXT, re.MULTILINE)
    assert sorted(named) == sorted(frameworks())


def test_no_night_has_the_models_of_another():
    """The seeds of a night are as many as its tasks of a family, by the default block."""
    hunt = re.search(r"--examples (\d+) --seed \$\(\(GITHUB_RUN_NUMBER \* (\d+)\)\)", TEXT)
    (block,) = (param.default for param in hunt_command.params if param.name == "block")
    assert int(hunt[1]) == block * int(hunt[2])
