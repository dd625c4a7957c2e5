"""``paramproof models``: every named model, with what is published about it."""

import json

import pytest

from paramproof.formulas.families import family_of, spec_from
from paramproof.formulas.models import SHORT_NAMES, named_models
from tests import literals
from tests.printed import rows


def test_every_named_model_is_listed(paramproof):
    done = paramproof("models")
    assert (done.returncode, done.stderr) == (0, "")
    found = rows(done.stdout)
    for name, model in named_models().items():
        family, sizes, parameters, published, source = found[name]
        assert family == family_of(model.spec).name
        assert f"H = {model.spec.hidden_size}, " in sizes
        assert parameters == f"{literals.TOTALS[name]:,}"
        assert published.startswith(model.published)
        assert source == " ".join(model.source.split())
    assert found["keras-bert-question"][1].endswith("T = 2, pooler, mlm, nsp")
    assert found["keras-bert-question"][3] == "2,362,368 for layers.*.attention"
    assert "bert-base is short for bert-base-uncased\n" in done.stdout


def test_models_of_some_families(paramproof):
    stdout = paramproof("models", "--family", "gpt,llama").stdout
    found = rows(stdout)
    for name, model in named_models().items():
        assert (name in found) == (family_of(model.spec).name in ("gpt", "llama"))
    assert "short for" not in stdout


def test_models_as_json(paramproof):
    done = paramproof("models", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    models = {model["name"]: model for model in json.loads(done.stdout)["models"]}
    assert {name: model["parameters"] for name, model in models.items()} == literals.TOTALS
    for name, model in named_models().items():
        found = models[name]
        assert spec_from(found["spec"]) == model.spec
        assert found["family"] == family_of(model.spec).name
        for field in ("published", "component", "source", "config"):
            assert found[field] == getattr(model, field)
        assert found["short_names"] == [k for k, v in SHORT_NAMES.items() if v == name]
        assert found["letters"] == model.spec.letters()._asdict()


def test_models_of_some_families_as_json(paramproof):
    done = paramproof("models", "--json", "-", "--family", "llama")
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
