"""What ``explain`` says first of the numbers of the sources, and of numbers that people asked for.

The sources are five texts about the sizes of BERT, GPT-3, LLaMA, ERNIE and the Transformer; the
numbers of classes are those of transformers, and the others were published or computed by hand.
"""

import tomllib
from pathlib import Path

import pytest

import paramproof
from paramproof.explanation.number import read
from paramproof.explanation.search import explained
from paramproof.explanation.text import lines
from paramproof.resolver import resolve
from tests.literals import TOTALS

XLM = {
    "model_type": "xlm-roberta",
    "architectures": ["XLMRobertaForMaskedLM"],
    "vocab_size": 250_002,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 514,
    "type_vocab_size": 1,
}
WHOLE = "the whole model"


def first_of(number, model=None):
    """Return the first explanation: its words, its models, its residual or formula in letters."""
    one = paramproof.explain(number, model).found[0]
    data = one.as_json()
    return data["explanation"], data["models"][0], data["residual"] or data["letters"]


def text_of(number, model=None):
    """Return what the command prints, in one line."""
    return " ".join(
        "\n".join(lines(explained(read(str(number)), model and resolve(model)))).split()
    )


FIRST = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))["first"]
"""A number, a model or "", how the words begin, the first model, what is in its letters."""


@pytest.mark.parametrize(("number", "model", "words", "name", "letters"), FIRST)
def test_the_first_explanation(number, model, words, name, letters):
    found, of, formula = first_of(number, XLM if model == "XLM" else model or None)
    assert found.startswith(words)
    assert of == name
    assert letters in formula


PRINTED = {
    "layer of keras-bert": (2_362_368, None),
    "ernie": (101_675_520, None),
    "transformer": (10_152_448, None),
    "two names": (6_738_415_616, None),
    "withdrawn": ("117M", None),
    "with prediction": ("685B", None),
    "with prediction, named": ("685B", "deepseek-v3"),
    "published for another by mistake": (124_439_808, None),
    "power of two": (131_072, None),
    "rounded": ("7B", None),
    "active": ("37B", None),
    "bytes": ("438MB", None),
    "adapters": (6_815_744, None),
    "a part of a model": (590_592, "llama-7b"),
}


@pytest.mark.parametrize("what", PRINTED)
def test_printed(what, snapshot):
    """What is published comes first, with the verdict on it; equal formulas are one row."""
    number, model = PRINTED[what]
    answer = explained(read(str(number)), model and resolve(model))
    assert "\n".join(lines(answer, width=100)) == snapshot


@pytest.mark.parametrize(
    ("number", "model", "difference", "letters"),
    [
        (91_206_376, "bert-base", -18_275_864, "−31·H² + 11·H + 232"),
        (109_000_001, "bert-base", -482_239, "−H² + 140·H + 65"),
        (127, "bert-tiny", 127 - TOTALS["bert-tiny"], "−268·H² + 40·H − 1"),
        (TOTALS["llama-7b"] - 1, "llama-7b", -1, ""),
        ("3.31e9", "llama-7b", 3_310_000_000 - TOTALS["llama-7b"], "−204·H² − 1432·H + 1920"),
    ],
)
def test_without_an_explanation_the_difference_is_printed(number, model, difference, letters):
    answer = paramproof.explain(number, model)
    found = answer.apart
    assert (answer.found, answer.elsewhere) == ((), ())
    assert (found.count, found.difference, found.letters) == (
        resolve(model).inventory().total(),
        difference,
        letters,
    )
    text, said = text_of(number, model), f"{difference:+,}".replace("-", "−")
    assert f"no explanation found in {found.model}, which has {found.count:,}" in text
    assert f"claimed − formula = {said}" in text
    assert repr(answer).endswith(f": none; it differs from {found.model} by {said}>")


@pytest.mark.parametrize("number", [123_456_789, 91_206_376, 111_385_344, "3.31e9"])
def test_nothing_is_invented_without_a_model(number):
    answer = paramproof.explain(number)
    assert (answer.found, answer.published, answer.apart) == ((), (), None)
    assert "no explanation found; name a model after the number" in text_of(number)


@pytest.mark.parametrize(
    ("number", "model"), [(2_362_368, "gpt2-xl"), (590_592, "llama-7b"), (109_482_240, "gpt2")]
)
def test_other_models_only_by_their_totals_if_one_is_named(number, model):
    answer = paramproof.explain(number, model)
    assert answer.found == ()
    assert answer.apart.model == model
    assert all(one.text == WHOLE for one in answer.elsewhere)
    assert bool(answer.elsewhere) == (number == TOTALS["bert-base-uncased"])


def test_fewer_conventions_come_first_where_several_counts_round_to_a_number():
    config = {"model_type": "qwen3", "vocab_size": 151_936, "hidden_size": 1024}
    config |= {"intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16}
    config |= {"num_key_value_heads": 8, "head_dim": 128, "tie_word_embeddings": True}
    found = [one.way.what for one in paramproof.explain("0.44B", config).found]
    assert found == ["layers-only", "without-embeddings", "without-embeddings, without-norms"]


def test_the_models_published_under_a_number_come_first():
    found = paramproof.explain("7B").found
    said = [one.is_published for one in found]
    assert said == sorted(said, reverse=True)
    assert {True, False} == set(said)


@pytest.mark.parametrize("name", TOTALS)
def test_totals_that_others_published(name):
    first = paramproof.explain(TOTALS[name]).found[0]
    assert first.text == WHOLE
    assert name in first.models
