"""``paramproof models``: every named model, with its published numbers."""

import json

import pytest

from paramproof.formulas.families import family_of, spec_from
from paramproof.formulas.models import SHORT_NAMES, named_configurations, named_models
from tests import literals
from tests.printed import rows


def test_every_named_model_is_listed(paramproof):
    done = paramproof("models")
    assert (done.returncode, done.stderr) == (0, "")
    found = rows(done.stdout)
    for name, model in named_models().items():
        parameters, published, verdict = found[name]
        assert parameters == f"{literals.TOTALS[name]:,}"
        assert published.startswith(f"{model.published}")
        assert verdict
    assert found["keras-bert-question"][1:] == ["2,362,368 for layers.*.attention", "exact"]
    assert found["gpt2"][1:] == ["124M", "rounded to 3 significant digits"]
    assert found["transformer-one-layer"][1:] == ["10,152,448", "exact, under total"]
    assert "bert-base is short for bert-base-uncased\n" in done.stdout


def test_models_by_their_configurations(paramproof):
    """The verdict on the total, and on the published active parameters."""
    done = paramproof("models")
    found = rows(done.stdout.partition("active parameters:")[0])
    for name, model in named_configurations().items():
        _, published, _ = found[name]
        assert published == model.published
    assert found["qwen3-8b"][0] == "8,190,735,360"
    assert found["dinov2-small"][2].endswith("the last digit, under without-positions")
    assert found["opt-125m"][1] == "125M"
    active = rows(done.stdout.partition("active parameters:")[2])
    published = {name for name, model in named_configurations().items() if model.active}
    assert published <= active.keys()
    assert not active.keys() & (named_configurations().keys() - published)
    assert active["deepseek-v3"] == [
        *("36,625,603,584", "37B"),
        "rounded to 2 significant digits: head-only",
    ]
    assert active["gpt-oss-120b"][1:] == ["5.1B", "rounded to 2 significant digits: head-only"]
    assert active["mixtral-8x7b"][1:] == [
        "12.9B",
        "rounded to 3 significant digits: embedding-and-head",
    ]
    assert active["qwen3-30b-a3b"][1:] == [
        "3.3B",
        "cut off after the last digit: embedding-and-head",
    ]


def test_configurations_as_json(paramproof):
    """Keys, verdicts and, for mixtures of experts, active parameters in letters."""
    models = {m["name"]: m for m in json.loads(paramproof("models", "--json").stdout)["models"]}
    mixtral = models["mixtral-8x7b"]
    assert mixtral["keys"] == named_configurations()["mixtral-8x7b"].keys
    assert (mixtral["family"], mixtral["class"]) == (None, "MixtralForCausalLM")
    assert (mixtral["parameters"], mixtral["published_active"]) == (46_702_792_704, "12.9B")
    assert mixtral["active_source"] == mixtral["source"]
    assert mixtral["active"]["conventions"]["neither"]["active"] == 12_617_781_248
    assert mixtral["verdict"]["conventions"][0] == "trainable"
    assert models["llama-3.1-8b"]["family"] == "llama"
    assert models["llama-3.1-8b"]["verdict"]["how"] == "exact"
    assert models["gpt-j-6b"]["verdict"] == {
        "conventions": [],
        "how": "no convention gives it; it differs from trainable by +2,498,560",
    }


def test_models_of_some_families(paramproof):
    stdout = paramproof("models", "--family", "gpt,llama").stdout
    found = rows(stdout)
    for name, model in named_models().items():
        assert (name in found) == (family_of(model.spec).name in ("gpt", "llama"))
    assert "llama-3.1-8b" in found
    assert "qwen3-8b" not in found
    assert "active" not in stdout
    assert "short for" not in stdout


def test_models_as_json(paramproof):
    done = paramproof("models", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    models = {model["name"]: model for model in json.loads(done.stdout)["models"]}
    assert list(models) == [*named_models(), *named_configurations()]
    assert {name: models[name]["parameters"] for name in literals.TOTALS} == literals.TOTALS
    for name, model in named_models().items():
        found = models[name]
        assert spec_from(found["spec"]) == model.spec
        assert found["family"] == family_of(model.spec).name
        for field in ("published", "component", "source", "config"):
            assert found[field] == getattr(model, field)
        assert found["short_names"] == [k for k, v in SHORT_NAMES.items() if v == name]
        assert found["letters"] == model.spec.letters()._asdict()


def test_models_of_some_families_as_json(paramproof):
    done = paramproof("models", "--json", "-", "--family", "LLaMA")
    assert {model["family"] for model in json.loads(done.stdout)["models"]} == {"llama"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--family", "lama"), "no family is named 'lama': did you mean llama? There are: encoder"),
        (("--json", "nowhere/out.json"), "nowhere/out.json: cannot be written"),
        (("gpt2",), "Got unexpected extra argument"),
    ],
)
def test_models_refuses(refused, arguments, words):
    assert words in refused("models", *arguments)
