"""Every command's ``--json`` output conforms to ``schema.json``."""

import json

import pytest

from paramproof.formulas.families import family_of, spec_from
from paramproof.formulas.models import SHORT_NAMES, named_configurations, named_models
from tests import literals
from tests.json_schema import documents_of

MIXTRAL = '{"model_type": "mixtral", "num_hidden_layers": 3}'

FORMULAS = """
def half(V, H):
    return V * H
"""


@pytest.fixture
def run_with_json(paramproof, outsider, tmp_path):
    """Return a function that runs a command with ``--json`` and returns its checked output."""
    (tmp_path / "mixtral.json").write_text(MIXTRAL)
    (tmp_path / "mine.py").write_text(FORMULAS)

    return documents_of(paramproof)


def test_verify(run_with_json):
    asked = ("verify", "--examples", "2", "--seed", "3")
    data = run_with_json("verification", *asked, "--framework", "toy")
    assert (data["seed"], data["examples"]) == (3, 2)
    assert {one["status"] for one in data["results"]} == {"equal", "not expressible"}
    bad = ("--framework", "toy-wrong", "--framework", "toy-broken")
    data = run_with_json("verification", *asked, *bad, status=1)
    assert {one["status"] for one in data["results"]} >= {"different", "broken"}
    assert any(one["report"] and one["report"]["rows"] for one in data["results"])


def test_verify_a_user_formula(run_with_json):
    asked = ("verify", "--framework", "toy", "--model", "bert-tiny", "--examples", "2")
    data = run_with_json("verification", *asked, "--formula", "mine:half", status=1)
    assert any(one["smallest"] for one in data["results"])


def test_verify_a_user_formula_without_a_family(run_with_json):
    asked = ("verify", "--model", "mixtral.json", "--formula", "mine:half", "--examples", "2")
    data = run_with_json("verification", *asked, status=1)
    assert data["model"] == "MixtralForCausalLM"
    assert data["algebra"]
    assert [one["theirs"] != one["derived"] for one in data["results"]] == [True] * 3


def test_prove(run_with_json):
    frameworks = ("--framework", "toy", "--framework", "toy-wrong", "--framework", "toy-broken")
    data = run_with_json("proof", "verify", "--prove", *frameworks, status=1)
    expected = {"proved", "different", "not expressible", "broken"}
    assert {one["status"] for one in data["results"]} == expected
    data = run_with_json("proof", "verify", "--prove", "--framework", "toy", "--model", "bert-tiny")
    assert [one["model"] for one in data["results"]] == ["bert-tiny"]


def test_differences(run_with_json):
    assert run_with_json("differences", "differences", "torch", "keras-jax")["results"]
    data = run_with_json("differences", "differences", "--measure", "toy", "toy-broken", status=1)
    assert data["results"][0]["section"] == "broken"


def test_shard(run_with_json):
    asked = ("--family", "encoder", "--examples", "3", "--shard", "2/4")
    frameworks = ("--framework", "toy", "--framework", "toy-wrong", "--framework", "toy-broken")
    data = run_with_json("shard", "verify", *frameworks, *asked, status=1)
    assert (data["shard"], [one["models"] for one in data["groups"]]) == ([2, 4], [3, 3])
    assert {one["framework"] for one in data["failures"]} == {"toy-wrong", "toy-broken"}


@pytest.mark.parametrize("model", ["a\udcff.json", "b.json"])
def test_count_of_text_that_is_not_utf_8(run_with_json, tmp_path, model):
    """A file's name and a configuration's key that UTF-8 cannot represent."""
    (tmp_path / model).write_text('{"model_type": "bert", "\\ud800": 1}')
    (one,) = run_with_json("counts", "count", model)["models"]
    assert (one["model"], one["unknown_keys"]) == (model, ["\ud800"])


def test_models_as_json(paramproof):
    done = paramproof("models", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    models = {model["name"]: model for model in json.loads(done.stdout)["models"]}
    assert [*models] == [*named_models(), *named_configurations()]
    assert {name: models[name]["parameters"] for name in literals.TOTALS} == literals.TOTALS
    for name, model in named_models().items():
        found = models[name]
        assert spec_from(found["spec"]) == model.spec
        assert found["family"] == family_of(model.spec).name
        assert found["letters"] == model.spec.letters()._asdict()
    for name, one in {**named_models(), **named_configurations()}.items():
        for field in ("published", "component", "source", "config"):
            assert models[name][field] == getattr(one, field)
        assert models[name]["short_names"] == [k for k, v in SHORT_NAMES.items() if v == name]
    for name, one in named_configurations().items():
        assert models[name]["keys"] == one.keys
        assert ("published_active" in models[name]) == bool(one.active)
    mixtral = models["mixtral-8x7b"]
    assert (mixtral["family"], mixtral["class"]) == (None, "MixtralForCausalLM")
    assert mixtral["active"]["conventions"]["neither"]["active"] == 12_617_781_248
    assert models["llama-3.1-8b"]["family"] == "llama"
