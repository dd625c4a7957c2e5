"""Published numbers: rounded, in bytes, withdrawn; and which models are real."""

from functools import cache

import pytest

from paramproof.counting.explained import explained
from paramproof.explanation.number import read
from paramproof.explanation.ranking import is_synthetic
from paramproof.explanation.rendering import as_json
from paramproof.explanation.text import lines
from paramproof.formulas.models import named_model
from paramproof.resolver import resolve


@cache
def answer(number, model=None):
    return explained(read(number), model and resolve(model))


@pytest.mark.parametrize("name", ["roberta-base", "distilgpt2", "tinyllama-1.1b", "llama-3.2-1b"])
def test_a_variant_is_found_by_what_was_published(name):
    found = answer(named_model(name).published).found
    assert name in [one for match in found for one in match.models]


@pytest.mark.parametrize(
    ("number", "model", "each", "size"),
    [
        ("437.93MB", "bert-base-uncased", 4, "437,928,960 bytes in float32"),
        ("417.6MiB", "bert-base-uncased", 4, "437,928,960 bytes in float32"),
        ("218.96MB", "bert-base-uncased", 2, "218,964,480 bytes in float16 or bfloat16"),
        ("1.34GB", "bert-large-uncased", 4, "1,340,567,552 bytes in float32"),
        ("437928960 bytes", "bert-base-uncased", 4, "437,928,960 bytes in float32"),
    ],
)
def test_bytes(number, model, each, size):
    first = answer(number).found[0]
    assert (first.text, first.models[0], first.bytes_each) == ("the whole model", model, each)
    assert first.reading.startswith(size)
    assert any(size in line for line in lines(answer(number), width=200))
    assert as_json(answer(number))["found"][0]["bytes_each"] == each


def test_bytes_of_other_heads():
    """The weights of BertForPreTraining, as they were published: 440,425,712 bytes."""
    (one,) = answer("440.4MB").found
    assert one.count == 110_106_428
    assert one.explanation.heads.like == "BertForPreTraining"


def test_bytes_come_before_parameters():
    """219M is not a count of BERT-base; 219MB are its bytes, and K or M alone never mean bytes."""
    assert answer("219M", "bert-base-uncased").none_in
    assert answer("219MB", "bert-base-uncased").found
    # 163,825,152 bytes are distilgpt2 at two each; as parameters, GPT-2 with both its tables.
    assert answer("163MB").found[0].models == ("distilgpt2",)
    assert any("gpt2" in one.models for one in answer("163M").found)
    # BERT-base has no part with so many bytes; its norms have as many parameters.
    (norms,) = answer("37.5KB", "bert-base-uncased").found
    assert (norms.count, norms.bytes_each) == (38_400, 0)


def test_the_nearest_in_bytes():
    said = answer("441.5MB", "bert-base-uncased")
    assert (said.nearest.count, said.nearest.bytes_each) == (109_482_240, 4)
    printed = "\n".join(lines(said, width=200))
    assert "nearest: 109,482,240, 437,928,960 bytes in float32, the whole model of" in printed


@pytest.mark.parametrize(
    ("number", "model", "count", "since"),
    [
        ("117M", "gpt2", "124,439,808", "124M"),
        ("117,000,000", "gpt2", "124,439,808", "124M"),
        ("345M", "gpt2-medium", "354,823,168", "355M"),
        ("762M", "gpt2-large", "774,030,080", "774M"),
        ("1542M", "gpt2-xl", "1,557,611,200", "1558M"),
    ],
)
def test_withdrawn_numbers(number, model, count, since):
    found = answer(number)
    assert [one.name for one in found.retracted] == [model]
    assert list(lines(found))[:5] == [
        f"{number} was published for {model}, and is wrong",
        f"  {model} has {count}, since published as {since}",
        "  table 2 of Radford et al. 2019; openai/gpt-2, README.md, calls its counts",
        "    wrong",
        "",
    ]
    assert as_json(found)["retracted"] == [
        {
            "model": model,
            "published": named_model(model).retracted,
            "source": named_model(model).retracted_source,
        }
    ]


@pytest.mark.parametrize("number", ["124M", "355M", "117.5M", "117MB", "109,482,240"])
def test_numbers_that_were_not_withdrawn(number):
    assert answer(number, "gpt2").retracted == ()
    assert as_json(answer(number, "gpt2"))["retracted"] == []


def test_real_models_come_before_synthetic_ones():
    assert [one.models for one in answer("175B").found] == [("gpt3-175b",), ("encoder-175b",)]
    # ... in the list of an explanation's models, ...
    models = answer("2,362,368").found[0].models
    assert models[-1] == "keras-bert-question"
    assert [name for name in models if is_synthetic(name)] == ["keras-bert-question"]
    # ... and as the nearest, although 109,705,010 is nearer.
    assert answer("109,705,111").nearest.models == ("all-mpnet-base-v2",)
    assert answer("109,705,011").nearest.models == ("all-mpnet-base-v2",)


def test_a_synthetic_model_that_the_user_names():
    assert answer("109,705,011", "keras-bert-question").nearest.models == ("keras-bert-question",)
    found = as_json(answer("109,705,010"))["found"]
    assert found[0]["synthetic"] == found[0]["models"] == ["keras-bert-question"]
    assert as_json(answer("109,482,240"))["found"][0]["synthetic"] == []
