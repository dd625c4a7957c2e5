"""The command line: its tables, its exit statuses, one clear line for a mistake."""

import json
import re
from importlib import metadata

import pytest

from builders.results import Result
from tests import literals


def test_count(paramproof):
    done = paramproof("count", "bert-base")
    assert done.returncode == 0
    assert done.stderr == ""
    rows = [re.split(r"  +", line.strip()) for line in done.stdout.splitlines()]
    cells = {row[0]: row[1:] for row in reversed(rows)}
    assert cells["attention"] == ["2,362,368", "28,348,416", "25.89 %"]
    assert cells["each of 12"] == ["7,087,872", "85,054,464", "77.69 %"]
    assert cells["total"] == ["109,482,240", "100.00 %"]
    assert cells["weight"] == ["(30522, 768)", "23,440,896", "23,440,896", "21.41 %"]
    assert "published: 110M (Devlin et al. 2018" in done.stdout


@pytest.mark.parametrize("model", literals.TOTALS)
def test_count_adds_up(paramproof, model):
    """Every leaf's total, read off the printed table, adds up to the total printed."""
    lines = paramproof("count", model).stdout.splitlines()
    leaves = [re.split(r"  +", line.strip()) for line in lines if re.search(r"  \(\d", line)]
    totals = [int(row[3].replace(",", "")) for row in leaves]
    assert len(totals) > 20
    assert sum(totals) == literals.TOTALS[model]


def test_count_says_what_is_tied(paramproof):
    stdout = paramproof("count", "keras-bert-question").stdout
    assert re.search(r"weight +\(30000, 768\) +tied +0", stdout)
    assert "tied: mlm_head.decoder.weight is embeddings.word_embeddings.weight" in stdout
    assert "published for layers.*.attention: 2,362,368" in stdout


def test_frameworks(paramproof, outsider):
    done = paramproof("frameworks")
    assert done.returncode == 0
    for name in ("torch", "keras-bert", "flax-linen", "toy"):
        assert re.search(rf"^ {name} ", done.stdout, re.MULTILINE)
    numpy = metadata.version("numpy")
    assert re.search(rf"^ toy +numpy {re.escape(numpy)} ", done.stdout, re.MULTILINE)
    assert "python -m pip install a-distribution-that-nobody-has" in done.stdout


def test_verify_equal(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("verify", "--framework", "toy", "--examples", "7", "--json", str(file))
    assert done.returncode == 0, done.stderr
    # No progress and nothing else where standard error is a pipe.
    assert done.stderr == ""
    assert re.search(r"109,482,240 +109,482,240 +0 ", done.stdout)
    assert re.search(r"  7 random specs  ", done.stdout)
    # The toy has no heads, so it cannot express one of the named models.
    assert re.search(r"keras-bert-question +not expressible", done.stdout)
    assert "16 of 16 models equal the formula" in done.stdout

    data = json.loads(file.read_text())
    assert (data["seed"], data["examples"]) == (0, 7)
    assert data["versions"]["toy"] == {"numpy": metadata.version("numpy")}
    results = [Result.from_json(row) for row in data["results"]]
    assert len(results) == 17
    assert {result.status for result in results} == {"equal", "not expressible"}
    assert json.loads(json.dumps([result.as_json() for result in results])) == data["results"]
    (base,) = (result for result in results if result.model == "bert-base-uncased")
    assert base.report.actual == literals.TOTALS["bert-base-uncased"]
    assert base.milliseconds > 0
    assert base.peak_mb > 1


def test_verify_different(paramproof, outsider):
    done = paramproof("verify", "--framework", "toy-wrong", "--model", "bert-base")
    assert done.returncode == 1
    # 12 layers without their 3,072.
    assert "-36,864" in done.stdout
    assert "layers.*.feed_forward.intermediate.bias (x12)" in done.stdout
    assert "spec = EncoderSpec(vocab_size=30522, hidden_size=768" in done.stdout


def test_verify_broken(paramproof, outsider):
    """Installed and broken is an error, and takes nothing from the others."""
    done = paramproof("verify", "--framework", "toy-broken", "--framework", "toy")
    assert done.returncode == 1
    assert "toy-broken is installed and broken: TypeError: the toy is broken" in done.stdout
    assert re.search(r"^ toy 2", done.stdout, re.MULTILINE)


def test_the_seed_decides(paramproof, outsider, tmp_path):
    def specs(seed):
        file = tmp_path / f"{seed}.json"
        arguments = ("--framework", "toy", "--model", "bert-tiny", "--examples", "5")
        assert paramproof("verify", *arguments, "--seed", seed, "--json", file).returncode == 0
        return [row["spec"] for row in json.loads(file.read_text())["results"]]

    assert specs("1") == specs("1")
    assert specs("1") != specs("2")


def test_absent_is_not_green(refused, outsider):
    line = refused("verify", "--framework", "toy-absent")
    assert line == (
        "paramproof: not installed: toy-absent "
        "(python -m pip install a-distribution-that-nobody-has)"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("count", "bert"), "no model is named 'bert'; there are: bert-base-uncased, "),
        (("count",), "Missing argument 'MODEL'"),
        (("verify", "--framework", "tensorlow"), "no framework is named 'tensorlow'; there are: "),
        (("verify", "--model", "gpt"), "no model is named 'gpt'"),
        (("verify", "--examples", "-1"), "-1 is not in the range x>=0"),
        (("verify", "--examples", "many"), "'many' is not a valid integer"),
        (("verify", "--seed", "-1"), "-1 is not in the range x>=0"),
        (("verify", "--json", "nowhere/out.json"), "nowhere/out.json: cannot be written"),
        (("verify", "--json", "."), ": cannot be written"),
        (("prove-it",), "No such command 'prove-it'"),
        (("--verbose",), "No such option"),
    ],
)
def test_bad_usage(refused, arguments, words):
    assert words in refused(*arguments)
