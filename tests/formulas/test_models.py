"""The named models: their totals, and that their data is what it says."""

import tomllib
from dataclasses import asdict
from importlib.resources import files

import pytest

from paramproof.formulas import closed_form, inventory
from paramproof.formulas.conventions import in_units
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import SHORT_NAMES, named_model, named_models
from tests import literals

NAMES = [
    "bert-base-uncased",
    "bert-large-uncased",
    "bert-base-cased",
    "bert-large-cased",
    "bert-base-chinese",
    "bert-base-multilingual-cased",
    "bert-tiny",
    "ernie-1.0",
    "keras-bert-question",
    "encoder-175b",
    "transformer-base",
    "transformer-big",
    "transformer-one-layer",
    "gpt2",
    "gpt2-medium",
    "gpt2-large",
    "gpt2-xl",
    "gpt3-175b",
    "llama-7b",
    "llama-13b",
    "llama-33b",
    "llama-65b",
    "llama-2-70b",
    "llama-3-8b",
]


def test_names():
    assert list(named_models()) == NAMES
    assert list(literals.TOTALS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_total(name):
    assert closed_form(named_model(name).spec.letters()) == literals.TOTALS[name]


@pytest.mark.parametrize("name", NAMES)
def test_published_is_cited_and_about_a_component(name):
    model = named_model(name)
    assert model.published
    assert len(model.source) > 10
    assert len(model.config) > 10
    assert inventory(model.spec.letters()).total(model.component) > 0


@pytest.mark.parametrize(
    ("name", "paper"),
    [("gpt2", "117M"), ("gpt2-medium", "345M"), ("gpt2-large", "762M"), ("gpt2-xl", "1542M")],
)
def test_the_paper_of_gpt2_counts_otherwise(name, paper):
    """Its table 2 has other counts than its code has: both stand there, and one is right."""
    model = named_model(name)
    counted = closed_form(model.spec.letters())
    assert f"table 2 of the paper has {paper}" in model.source
    assert model.published == f"{in_units(counted, places=0)}M".replace(",", "")
    assert model.published != paper


def test_the_question_is_answered():
    model = named_model("keras-bert-question")
    counted = inventory(model.spec.letters()).total(model.component)
    assert f"{counted:,}" == model.published


def test_short_names():
    assert SHORT_NAMES == {"bert-base": "bert-base-uncased", "bert-large": "bert-large-uncased"}
    assert named_model("bert-base") is named_model("bert-base-uncased")


def test_unknown_name():
    with pytest.raises(
        ValueError, match="no model is named 'resnet'; there are: bert-base-uncased, "
    ):
        named_model("resnet")


def test_data_holds_no_counts():
    """Totals are computed: a count in the data would be a second truth."""
    tables = tomllib.loads(files("paramproof.formulas").joinpath("models.toml").read_text("utf-8"))
    for table in tables.values():
        assert set(table) <= {"family", "published", "source", "config", "component", "spec"}


def test_the_data_is_read_as_it_stands():
    """Anew, since every other test has what the first one read."""
    tables = tomllib.loads(files("paramproof.formulas").joinpath("models.toml").read_text("utf-8"))
    for name, model in named_models.__wrapped__().items():
        table = tables[name]
        about = {key: value for key, value in table.items() if key not in ("family", "spec")}
        fields = {"family": table.get("family", "encoder"), **table["spec"]}
        assert model.name == name
        assert about.items() <= asdict(model).items()
        assert fields.items() <= spec_fields(model.spec).items()
