"""``paramproof differences``: what is recorded of frameworks, installed or not, or measured."""

import json
import re

import pytest

from paramproof.differences.answer import recorded

TOYS = ("--measure", "toy", "toy-wrong")
VERSIONS, ANSWERS = recorded()


def test_json_has_the_same_answers(paramproof, tmp_path):
    file = tmp_path / "out.json"
    paramproof("differences", "torch", "paddle", "--component", "pooler", "--json", file)
    data = json.loads(file.read_text("utf-8"))
    assert data["versions"] == {name: VERSIONS[name] for name in ("torch", "paddle")}
    known = {one.id: one.facts for one in ANSWERS}
    assert len(data["results"]) == 8
    assert all(one["facts"] == known[one["id"]] for one in data["results"])


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
    done = paramproof("differences", *TOYS, "toy-broken")
    assert done.returncode == 1
    assert "toy-broken is installed but broken: TypeError: the toy is broken" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--component", ""), "no component is named ''"),
        (("torch", "toy"), "nothing is recorded about toy: --measure asks it"),
        (("--measure", "toy", "toy-absent"), "not installed: toy-absent "),
        (("--json", "nowhere/out.json"), "nowhere/out.json: cannot be written"),
    ],
)
def test_command_refuses(refused, outsider, arguments, words):
    assert words in refused("differences", *arguments)
