"""``to_dict`` and lines of ``count --jsonl`` conform to ``schema.json``."""

import json

import pytest

import paramproof
from paramproof.bulk import count_line, json_line
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
