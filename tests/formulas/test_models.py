"""The named models: their totals, by hand as well, and the rules for their data."""

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
from paramproof.formulas.models import named_configurations, named_model, named_models
from tests import literals

ROOT = Path(__file__).parents[2]
MODELS, CONFIGURATIONS = named_models(), named_configurations()
EVERY = [*MODELS.values(), *CONFIGURATIONS.values()]


def test_names():
    assert list(MODELS) == list(literals.TOTALS)
    known = MODELS.keys() | models.SHORT_NAMES.keys() | CONFIGURATIONS.keys()
    assert sorted(models.model_names()) == sorted(known)
    assert named_model("bert-base") is named_model("bert-base-uncased")
    assert named_model("bert-large") is named_model("bert-large-uncased")
    with pytest.raises(UnknownName) as caught:
        named_model("resnet")
    assert (caught.value.name, caught.value.kind) == ("resnet", "model")
    assert caught.value.listed_by == "paramproof models"


def layers(depth, H, F, *, biases=0, attentions=1):
    attention = attentions * (4 * H * H + biases * 4 * H)
    return depth * (attention + (H * F + F) + (F * H + H) + (attentions + 1) * 2 * H)


def transformer(V, depth, H, F, biases=0):
    encoder = layers(depth, H, F, biases=biases)
    return V * H + encoder + layers(depth, H, F, biases=biases, attentions=2)


BY_HAND = {
    "transformer-base": transformer(37_000, 6, 512, 2_048),
    "transformer-big": transformer(37_000, 6, 1_024, 4_096),
    "transformer-one-layer": transformer(5_395, 1, 512, 2_048, biases=1),
    "gpt3-175b": (50_257 + 2_048) * 12_288 + layers(96, 12_288, 49_152, biases=1) + 2 * 12_288,
    "llama-2-70b": 2 * 32_000 * 8_192
    + 80 * (2 * 8_192 * (8_192 + 1_024) + 3 * 8_192 * 28_672 + 2 * 8_192)
    + 8_192,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    assert BY_HAND[name] == literals.TOTALS[name]


def test_published_numbers_are_cited():
    for model in EVERY:
        assert model.published
        assert min(len(model.source), len(model.config)) > 10
        assert all(len(one.source) > 10 for one in model.also)
    for model in MODELS.values():
        assert inventory(model.spec.letters()).total(model.component) > 0
        assert bool(model.retracted) == bool(model.retracted_source)
    for name, model in CONFIGURATIONS.items():
        assert model.name == name
        assert model.published[0].isdigit()
        assert model.keys["model_type"]
        assert len(model.keys["architectures"]) == 1
        assert not model.component
        assert bool(model.active) >= bool(model.active_source)


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
    assert model.published == f"{in_units(counted, places=0)}M".replace(",", "") != paper


def test_models_that_were_never_released():
    synthetic = [name for name, model in MODELS.items() if model.synthetic]
    assert synthetic == ["keras-bert-question", "encoder-175b", "transformer-one-layer"]
    question, _, one_layer = map(named_model, synthetic)
    counted = inventory(question.spec.letters()).total(question.component)
    assert f"{counted:,}" == question.published
    named = inventory(one_layer.spec.letters())
    fixed = sum(tensor.size for tensor in named.expand() if not tensor.trainable)
    assert fixed == 2 * 33 * 512
    assert f"{named.total() + fixed:,}" == one_layer.published == "10,152,448"


def test_years():
    """A source on arXiv has its year in its number; only what was never released has none."""
    years = {
        one.name: (one.year, 2000 + int(paper[1]))
        for one in EVERY
        if (paper := re.search(r"arXiv:(\d\d)\d\d\.", one.source)) and one.year
    }
    assert len(years) > 10
    assert {name: pair for name, pair in years.items() if pair[0] != pair[1]} == {}
    assert all(
        2017 <= one.year <= 2026 if one.year else getattr(one, "synthetic", False) for one in EVERY
    )
    assert sum(one.year is None for one in EVERY) == 3


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


def tables():
    folder = files("paramproof.formulas")
    found = {}
    for file in (folder / "models.toml", *(folder / "configurations").iterdir()):
        own = tomllib.loads(file.read_text("utf-8"))
        assert not found.keys() & own.keys()
        found |= own
    return found


def test_the_data_is_read_unchanged():
    """Read afresh, since other tests share what was read first. No field is a stored count."""
    found = tables()
    for one in [named_models, named_configurations]:
        for name, model in one.__wrapped__().items():
            table, fields = found.pop(name), asdict(model)
            if spec := table.pop("spec", None):
                known = spec_fields(model.spec)
                assert ({"family": table.pop("family", "encoder")} | spec).items() <= known.items()
            also = table.pop("also", [])
            assert table.items() <= fields.items()
            for further, read in zip(also, fields["also"], strict=True):
                assert further.items() <= read.items()
    assert not found
