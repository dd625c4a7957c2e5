"""``paramproof differences`` for a framework without probes: only its shapes are compared."""

import json
import re

import pytest

from paramproof.differences.answer import Answer


def test_command(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("differences", "--framework", "toy", "--json", file)
    # Neither progress nor anything else if standard error is a pipe.
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(file.read_text("utf-8"))
    cells = [Answer.from_json(cell) for cell in data["results"]]
    assert {cell.section for cell in cells} == {"shapes"}
    (kernel,) = (cell for cell in cells if cell.row == "pooler.kernel")
    assert kernel.facts["shape"] == "(H, H)"
    assert data["results"][0]["id"] == cells[0].id
    assert re.search(r"^ pooler\.kernel \(H, H\) +\n   toy ", done.stdout, re.MULTILINE)


def test_command_of_one_component(paramproof, outsider):
    done = paramproof("differences", "--framework", "toy", "--component", "pooler")
    assert done.returncode == 0
    assert "pooler.kernel" in done.stdout
    assert "attention" not in done.stdout


def test_command_of_a_broken_framework(paramproof, outsider):
    done = paramproof("differences", "--framework", "toy-broken")
    assert done.returncode == 1
    assert "toy-broken is installed but broken: TypeError: the toy is broken" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--component", "attn"), "no component is named 'attn': did you mean attention? There"),
        (("--component", ""), "no component is named ''"),
        (("--framework", "theano"), "no framework is named 'theano'"),
        (("--framework", "toy-absent"), "not installed: toy-absent "),
        (("--json", "nowhere/out.json"), "nowhere/out.json: cannot be written"),
        (("attention",), "Got unexpected extra argument"),
    ],
)
def test_command_refuses(refused, outsider, arguments, words):
    assert words in refused("differences", *arguments)
