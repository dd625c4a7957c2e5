"""``to_dict`` and lines of ``count --jsonl`` conform to ``schema.json``."""

import json

import pytest

import paramproof
from paramproof.bulk import count_line, json_line
from paramproof.formulas.models import named_configurations, named_models
from paramproof.json_form import json_text
from paramproof.resolver import Model
from paramproof.resolver.models import CountedWeights
from paramproof.sources.live import live_weights
from paramproof.views.counted import Count
from tests.configs import BERT, LLAMA
from tests.json_schema import assert_document
from tests.paramproof.matching.models import model, shapes

T5 = {
    "model_type": "t5",
    "architectures": ["T5ForConditionalGeneration"],
    "tie_word_embeddings": False,
}
MIXTRAL = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"]}


@pytest.mark.shared("a document for each of 238 named models")
@pytest.mark.parametrize("name", [*named_models(), *named_configurations()])
def test_named_model(name):
    count = paramproof.count(name)
    data = count.to_dict()
    assert_document(data, "count")
    assert (data["total"], data["formula"]) == (count.total, count.formula)
    assert data["published"]["number"]


def test_assumed_sizes_and_unknown_keys():
    keys = {"model_type": "mistral", "hidden_size": 2048, "head_dim": 64, "my_note": 1}
    data = paramproof.count(keys).to_dict()
    assert_document(data, "count")
    assert data["class_assumed"]
    assert data["assumed"]["vocab_size"] == 32_000
    assert data["unknown_keys"] == ["my_note"]


def test_a_head_that_loading_adds():
    data = paramproof.count(T5).to_dict()
    assert_document(data, "count")
    (head,) = data["loaded"]["untied"]
    assert data["loaded"]["total"] == data["total"] + head["parameters"]


def test_live_model():
    weights = CountedWeights.of("mine", live_weights(model(shapes())))
    data = Count(Model(name="mine", architecture=weights)).to_dict()
    assert_document(data, "count")
    assert data["status"] == "counted"
    assert not {"formula", "letters", "active"} & data.keys()


def test_the_explanations_above_cover_every_kind():
    """As a class, withdrawn, published, active, apart, and of another model."""
    kinds = {
        one["kind"]
        for number in (109_483_778, 109_559_140, 590_592, 36_864 * 8, "12.9B", 6_442_450_944)
        for one in paramproof.explain(number).to_dict()["found"]
    }
    assert kinds >= {"class", "labels", "one", "all", "active", "estimate"}
    assert paramproof.explain("117M").to_dict()["published"][0]["withdrawn"]
    assert paramproof.explain("110M").to_dict()["published"]
    apart = paramproof.explain(109_482_240, "gpt2").to_dict()
    assert apart["apart"]["difference"] == 109_482_240 - 124_439_808
    assert apart["elsewhere"]


def test_a_lone_surrogate_is_escaped():
    """Other characters stay unescaped: UTF-8 represents all that people read."""
    data = {"name": "\ud800 é 😀"}
    text = json_text(data)
    assert text.encode() == '{"name": "\\ud800 é 😀"}'.encode()
    assert json.loads(text) == data
    assert json.loads(json_line(data)) == data


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (BERT, "total"),
        (MIXTRAL, "active"),
        (T5, "loaded"),
        ({"config": LLAMA, "name": "a", "from": {"page": 1}}, "about"),
        ({"model_type": "llama", "my_note": 1}, "unknown_keys"),
        ({**LLAMA, "hidden_size": "x"}, "error"),
        ({"model_type": "kimi_k2"}, "error"),
        ([1], "error"),
    ],
)
def test_line(line, key):
    data = count_line(1, json.dumps(line).encode())
    assert_document(data, "line")
    assert key in data
