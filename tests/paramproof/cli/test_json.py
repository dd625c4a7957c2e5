"""JSON of what UTF-8 cannot represent, and of the named models; fixtures check every schema."""

import json

import pytest

from paramproof.formulas.families import family_of, spec_from
from paramproof.formulas.models import SHORT_NAMES, named_configurations, named_models
from tests import literals


@pytest.mark.parametrize("model", ["a\udcff.json", "b.json"])
def test_count_of_text_that_is_not_utf_8(paramproof, tmp_path, model):
    """A file's name and a configuration's key that UTF-8 cannot represent."""
    (tmp_path / model).write_text('{"model_type": "bert", "\\ud800": 1}')
    (one,) = json.loads(paramproof("count", model, "--json", "-").stdout)["models"]
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
