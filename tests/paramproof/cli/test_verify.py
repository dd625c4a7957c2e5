"""``paramproof verify``: its tables, its exit statuses and its JSON, with the toy frameworks."""

import json
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


def test_the_seed_determines_the_specs(results):
    def specs(seed):
        asked = ("--model", "bert-tiny", "--examples", "5")
        return [one.spec for one in results(*asked, "--seed", seed)[1]]

    assert specs("1") == specs("1")
    assert specs("1") != specs("2")


def test_equal_in_letters(results):
    status, (proof, *others) = results("--prove")
    assert (status, proof.status, proof.model, proof.findings) == (0, "equal", "", [])
    assert {other.status for other in others} == {"not expressible"}
    assert [one.family for one in (proof, *others)] == list(FAMILIES)
    assert tuple(vars(proof)) == tuple(one.name for one in fields(Proof))
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
