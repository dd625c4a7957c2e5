"""``paramproof verify``: its tables, its exit statuses and its JSON, with the toy frameworks."""

import json
import re
from dataclasses import fields, replace
from importlib import metadata
from types import SimpleNamespace

import pytest

from paramproof.builders.registry import Framework
from paramproof.cli.verify import built_by_transformers, verify_table
from paramproof.formulas import FAMILIES, Report
from paramproof.resolver import resolve
from paramproof.verify.proof import Proof
from paramproof.verify.results import Result
from tests import literals
from tests.checkpoints import ENCODER
from tests.configs import SMALL_MIXTRAL as SMALL

POLYNOMIAL = "L·(4·H² + 2·H·F + 9·H + F) + H·(V + P + T + 2) + pooler·(H² + H)"
RESIDUAL = "actual − formula = −L·F   feed_forward.intermediate.bias"


@pytest.fixture
def results(paramproof, outsider):
    """Return a function that runs the command: its status, and the results in its JSON."""

    def run(*arguments):
        done = paramproof("verify", "--framework", "toy", *arguments, "--json", "-")
        assert " toy 2" in done.stderr
        return done.returncode, [
            SimpleNamespace(**one) for one in json.loads(done.stdout)["results"]
        ]

    return run


def test_equal(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("verify", "--framework", "toy", "--examples", "7", "--json", str(file))
    # Neither progress nor anything else if standard error is a pipe.
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"109,482,240 +109,482,240 +0 ", done.stdout)
    assert re.search(r"  7 random encoder specs  ", done.stdout)
    # The toy is an encoder without heads, so it does not support every named model.
    assert re.search(r"keras-bert-question +not expressible", done.stdout)
    assert "not expressible: the toy is an encoder" in done.stdout
    assert "19 of 19 models equal the formula" in done.stdout

    data = json.loads(file.read_text())
    assert (data["seed"], data["examples"]) == (0, 7)
    assert data["versions"]["toy"] == {"numpy": metadata.version("numpy")}
    found = [SimpleNamespace(**row) for row in data["results"]]
    # 7 random encoders, and one remark for each of the other families.
    assert len(found) == len(literals.TOTALS) + 7 + 3
    assert {one.status for one in found} == {"equal", "not expressible"}
    assert {*map(tuple, data["results"])} == {tuple(one.name for one in fields(Result))}
    (base,) = (one for one in found if one.model == "bert-base-uncased")
    assert base.report["actual"] == literals.TOTALS["bert-base-uncased"]
    assert base.milliseconds > 0
    assert base.peak_mb > 1


def test_different(paramproof, outsider):
    """Each named model is explained, and the smallest of the random ones."""
    asked = ("--framework", "toy-wrong", "--framework", "toy", "--model", "bert-base")
    done = paramproof("verify", *asked, "--json", "out.json")
    assert done.returncode == 1
    assert re.search(r" −36,864 +[\d.,]+ +\d+", done.stdout)  # 12 layers without their 3,072.
    assert re.search(r" 25 random encoder specs +[\d,]+ +[\d,]+ +2\d differ ", done.stdout)
    assert "layers 0-11: feed_forward.intermediate.bias is missing: (3072)" in done.stdout
    assert "spec = EncoderSpec(vocab_size=30522, hidden_size=768" in done.stdout
    smallest = done.stdout.partition("toy-wrong: the smallest spec that differs\n")[2]
    assert smallest.startswith("spec = EncoderSpec(vocab_size=1, hidden_size=1, ")
    assert done.stdout.count(RESIDUAL) == 2


def test_the_families_of_models_are_drawn(results):
    """Named or chosen, and no others."""
    status, found = results("--examples", "3", "--model", "gpt2")
    assert (status, [one.status for one in found]) == (1, ["not expressible"] * 2)
    status, found = results("--examples", "3", "--model", "gpt2", "--model", "bert-tiny")
    assert (status, [one.status for one in found if one.report]) == (0, ["equal"] * 4)
    status, found = results("--examples", "3", "--family", "llama, gpt")
    # The toy refuses each of the models, and each family once.
    named = {name for name in literals.TOTALS if "gpt" in name or "llama" in name}
    assert (status, {one.model for one in found}) == (1, named | {""})
    status, found = results("--examples", "2", "--model", "bert-tiny", "--family", "encoder,gpt")
    assert [one.status for one in found] == ["equal"] * 3 + ["not expressible"]


def test_the_seed_determines_the_specs(results):
    def specs(seed):
        asked = ("--model", "bert-tiny", "--examples", "5")
        return [one.spec for one in results(*asked, "--seed", seed)[1]]

    assert specs("1") == specs("1")
    assert specs("1") != specs("2")


@pytest.mark.parametrize("how", [(), ("--prove",)], ids=str)
def test_a_broken_framework(paramproof, outsider, how):
    """An installed but broken framework is an error, and does not affect the others."""
    asked = ("--framework", "toy-broken", "--framework", "toy", "--json", "out.json")
    done = paramproof("verify", *how, *asked)
    assert done.returncode == 1
    broken = "toy-broken is installed but broken: TypeError: the toy is broken [on purpose]"
    assert broken in done.stdout
    assert "\n toy 2" in done.stdout


def test_equal_in_letters(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("verify", "--prove", "--framework", "toy", "--json", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(rf"^ +formula +{re.escape(POLYNOMIAL)} *$", done.stdout, re.MULTILINE)
    scope = "equal: 2 combinations of parts, A divides H "
    assert re.search(rf"^ +encoder +{scope}", done.stdout, re.MULTILINE)
    assert re.search(r"^ +llama +not expressible: ", done.stdout, re.MULTILINE)
    assert "1 of 1 pairs of framework and family equal the formula in letters" in done.stdout

    data = json.loads(file.read_text())
    row, *others = data["results"]
    assert {other["status"] for other in others} == {"not expressible"}
    assert [one["family"] for one in data["results"]] == list(FAMILIES)
    assert tuple(row) == tuple(one.name for one in fields(Proof))
    assert (row["status"], row["formula"], row["findings"]) == ("equal", POLYNOMIAL, [])


def test_different_in_letters(paramproof, outsider):
    asked = ("--framework", "toy-wrong", "--framework", "toy", "--json", "out.json")
    done = paramproof("verify", "--prove", *asked)
    assert done.returncode == 1
    (finding,) = re.findall(r"toy-wrong, encoder: pooler, bare:\n(.*)\n(.*)\n", done.stdout)
    assert finding == (RESIDUAL, "  missing: layers.*.feed_forward.intermediate.bias")
    assert "1 of 2 pairs of framework and family equal the formula in letters" in done.stdout


def test_prove_a_model(results):
    status, (proof,) = results("--prove", "--model", "bert-tiny")
    assert (status, proof.status, proof.model, proof.parts) == (
        0, "equal", "bert-tiny", ["pooler"]
    )  # fmt: skip


def test_verify_against_transformers_needs_it(monkeypatch):
    monkeypatch.setattr(Framework, "missing", ("transformers",))
    with pytest.raises(
        ValueError, match=r"^config.json: building it needs transformers: python -m pip install "
    ):
        built_by_transformers([replace(resolve(SMALL), name="config.json")])


@pytest.mark.parametrize(("peak_mb", "printed"), [(0.0, ""), (1234.5, "1,234")])
@pytest.mark.parametrize("model", ["bert-tiny", ""])
def test_unknown_memory_is_left_blank(model, peak_mb, printed):
    result = Result("toy", "1.0", model, "equal", ENCODER, Report(7, 7, ()), 1.0, peak_mb)
    table = verify_table([result])
    assert table.written(table.rows[-1])[-1] == printed


def test_shapes_alone_may_differ():
    result = Result("toy", "1.0", "bert-tiny", "different", ENCODER, Report(7, 7, ()))
    assert verify_table([result]).rows[-1].cells[3] == "0, shapes"
