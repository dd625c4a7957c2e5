"""The named models: their totals, and the rules for their data."""

import json
import re
import tomllib
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

import pytest

from paramproof.formulas import closed_form, inventory, models
from paramproof.formulas.conventions import in_units
from paramproof.formulas.errors import UnknownName
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import (
    SHORT_NAMES,
    model_names,
    named_configurations,
    named_model,
    named_models,
)
from tests import literals

ROOT = Path(__file__).parents[2]

NAMES = [
    "bert-base-uncased",
    "bert-large-uncased",
    "bert-base-cased",
    "bert-large-cased",
    "bert-base-chinese",
    "bert-base-multilingual-cased",
    "bert-tiny",
    "roberta-base",
    "roberta-large",
    "distilroberta-base",
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
    "distilgpt2",
    "gpt3-175b",
    "llama-7b",
    "llama-13b",
    "llama-33b",
    "llama-65b",
    "llama-2-70b",
    "llama-3-8b",
    "llama-3.2-1b",
    "llama-3.2-3b",
    "tinyllama-1.1b",
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
def test_the_gpt2_paper_has_different_counts(name, paper):
    """Table 2 of the paper contradicts the code: the data has both counts, and one is right."""
    model = named_model(name)
    counted = closed_form(model.spec.letters())
    assert model.retracted == paper
    assert "table 2" in model.retracted_source
    assert model.published == f"{in_units(counted, places=0)}M".replace(",", "")
    assert model.published != paper


def test_retracted_numbers_cite_their_source():
    models = named_models().values()
    assert sum(bool(model.retracted) for model in models) == 4
    assert all(bool(model.retracted) == bool(model.retracted_source) for model in models)


def test_models_that_were_never_released():
    synthetic = [name for name, model in named_models().items() if model.synthetic]
    assert synthetic == ["keras-bert-question", "encoder-175b", "transformer-one-layer"]


def test_the_keras_bert_question_is_answered():
    model = named_model("keras-bert-question")
    counted = inventory(model.spec.letters()).total(model.component)
    assert f"{counted:,}" == model.published


def test_short_names():
    assert SHORT_NAMES == {"bert-base": "bert-base-uncased", "bert-large": "bert-large-uncased"}
    assert named_model("bert-base") is named_model("bert-base-uncased")


def test_unknown_name():
    with pytest.raises(UnknownName) as caught:
        named_model("resnet")
    assert (caught.value.name, caught.value.kind) == ("resnet", "model")
    assert caught.value.listed_by == "paramproof models"


EVERY = [*named_models().values(), *named_configurations().values()]


def test_a_year_is_that_of_the_paper():
    """A source on arXiv has its year in its number."""
    years = {
        one.name: (one.year, 2000 + int(paper[1]))
        for one in EVERY
        if (paper := re.search(r"arXiv:(\d\d)\d\d\.", one.source)) and one.year
    }
    assert len(years) > 10
    assert {name: pair for name, pair in years.items() if pair[0] != pair[1]} == {}


def test_every_released_model_has_a_year():
    without = [one.name for one in EVERY if one.year is None]
    assert without == [one.name for one in EVERY if getattr(one, "synthetic", False)]
    assert all(2017 <= one.year <= 2026 for one in EVERY if one.year)


def test_the_precision_is_that_of_the_configuration_that_is_named():
    """Each configuration that the project keeps a copy of states the precision of its model."""
    lines = (ROOT / "tests/catalogue/served.jsonl").read_text("utf-8").splitlines()
    known = {}
    for line in map(json.loads, lines):
        config = line["config"]
        method = config.get("quantization_config", {}).get("quant_method")
        said = {"fp8": "float8", "mxfp4": "float4"}.get(method) or config.get("dtype")
        known[line["source"].rpartition("/")[2]] = said or config.get("torch_dtype") or ""
    checked = {}
    for one in EVERY:
        owner, _, name = one.config.partition(",")[0].partition("/")
        if (said := known.get(f"{owner}--{name}_config.json")) is not None:
            checked[one.name] = (one.dtype, said)
    assert len(checked) > 8
    assert {name: pair for name, pair in checked.items() if pair[0] != pair[1]} == {}


def test_the_data_contains_no_counts():
    """Totals are computed: a stored count could contradict the formula."""
    tables = tomllib.loads(files("paramproof.formulas").joinpath("models.toml").read_text("utf-8"))
    known = {"family", "published", "source", "config", "component", "spec"}
    known |= {"also", "retracted", "retracted_source", "synthetic", "year", "dtype"}
    for table in tables.values():
        assert set(table) <= known


def test_the_data_is_read_unchanged():
    """Read afresh, since other tests share what was read first."""
    tables = tomllib.loads(files("paramproof.formulas").joinpath("models.toml").read_text("utf-8"))
    for name, model in named_models.__wrapped__().items():
        table = tables[name]
        about = {k: v for k, v in table.items() if k not in ("family", "spec", "also")}
        fields = {"family": table.get("family", "encoder"), **table["spec"]}
        assert model.name == name
        assert about.items() <= asdict(model).items()
        assert fields.items() <= spec_fields(model.spec).items()


def test_models_by_their_configurations():
    """At least sixty, without duplicates; cited; with a type, a class and sizes, but no counts."""
    models = named_configurations()
    assert len(models) >= 60
    names = [*model_names()]
    assert len(set(names)) == len(names) == len(NAMES) + 2 + len(models)
    for name, model in models.items():
        assert model.name == name
        assert min(len(model.source), len(model.config)) > 10
        assert model.published[0].isdigit()
        assert model.model_type == model.keys["model_type"]
        assert len(model.keys["architectures"]) == 1
        assert not model.component
        assert bool(model.active) >= bool(model.active_source)


def test_the_data_of_configurations_is_read_unchanged():
    """Read afresh; a table has exactly the fields of a named configuration."""
    found = {}
    for file in files("paramproof.formulas").joinpath("configurations").iterdir():
        tables = tomllib.loads(file.read_text("utf-8"))
        assert not found.keys() & tables.keys()
        found |= tables
    for name, model in named_configurations.__wrapped__().items():
        table, fields = found.pop(name), asdict(model)
        also = table.pop("also", [])
        assert table.items() <= fields.items()
        for further, read in zip(also, fields["also"], strict=True):
            assert further.items() <= read.items()
    assert not found


def test_further_published_numbers_are_cited():
    further = {name: one.also for name, one in named_configurations().items() if one.also}
    assert [one.published for one in further["deepseek-v3"]] == ["685B", "36.7B"]
    assert [one.of_active for one in further["deepseek-v3"]] == [False, True]
    assert [one.published for one in further["whisper-large"]] == ["1,543,304,960"]
    assert all(len(one.source) > 10 for known in further.values() for one in known)


def test_active_numbers_are_cited():
    active = {name: one.active for name, one in named_configurations().items() if one.active}
    assert (active["deepseek-v3"], active["mixtral-8x7b"]) == ("37B", "12.9B")
    assert (active["qwen3-30b-a3b"], active["gpt-oss-120b"]) == ("3.3B", "5.1B")


def test_no_two_models_have_one_name():
    """A table would silently take the place of another one with its name."""
    files = [models._DATA / "models.toml", *(models._DATA / models.CONFIGURATIONS).iterdir()]
    headers = [one for file in files for one in models._HEADER.findall(file.read_text("utf-8"))]
    assert len({*headers}) == len(headers) == len(named_models()) + len(named_configurations())
