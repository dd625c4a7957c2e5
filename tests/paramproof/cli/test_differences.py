"""``paramproof differences``: what is recorded of frameworks, installed or not, or measured."""

import json
import re

import pytest

TOYS = ("--measure", "toy", "toy-wrong")


def test_measured_frameworks(paramproof, outsider, tmp_path):
    """Without probes, only shapes are compared: one of the toys lacks a bias."""
    file = tmp_path / "out.json"
    done = paramproof("differences", *TOYS, "--json", file)
    assert (done.returncode, done.stderr) == (0, "")
    row = r"layers\.\*\.feed_forward\.intermediate\.bias \(F\) +(\S+) \(F\) +-"
    assert done.stdout.startswith("Measured with numpy ")
    assert len(re.findall(row, done.stdout)) == 1
    (answer,) = json.loads(file.read_text("utf-8"))["results"]
    assert (answer["framework"], answer["facts"]["shape"]) == ("toy", "(F)")


def test_a_broken_framework(paramproof, outsider):
    done = paramproof("differences", *TOYS, "toy-broken", "--json", "out.json")
    assert done.returncode == 1
    assert "toy-broken is installed but broken: TypeError: the toy is broken" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("torch", "toy"), "nothing is recorded about toy: --measure asks it"),
        (("--measure", "toy", "toy-absent"), "not installed: toy-absent "),
    ],
)
def test_command_refuses(refused, outsider, arguments, words):
    assert words in refused("differences", *arguments)
