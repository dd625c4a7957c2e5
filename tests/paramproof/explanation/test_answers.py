"""What ``explain`` says first of the numbers of the sources, and of numbers that people asked for.

The sources are five texts about the sizes of BERT, GPT-3, LLaMA, ERNIE and the Transformer; the
numbers of classes are those of transformers, and the others were published or computed by hand.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

import paramproof
from paramproof.explanation.answer import NAME, lines
from paramproof.explanation.number import read
from paramproof.explanation.search import explained
from paramproof.resolver import resolve
from tests.configs import ROBERTA
from tests.json_schema import assert_document
from tests.literals import TOTALS

XLM = {"model_type": "xlm-roberta", "architectures": ["XLMRobertaForMaskedLM"]}
XLM = ROBERTA | XLM | {"vocab_size": 250_002}
ANSWERS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))


@pytest.mark.parametrize(("number", "model", "words", "name", "letters"), ANSWERS["first"])
def test_the_first_explanation(number, model, words, name, letters):
    found = paramproof.explain(number, XLM if model == "XLM" else model or None).found[0].as_json()
    assert found["explanation"].startswith(words)
    assert found["models"][0] == name
    assert letters in (found["residual"] or found["letters"])


@pytest.mark.parametrize(("number", "model", "words"), ANSWERS["also"])
def test_adapters_are_found_beside_what_else_has_their_number(number, model, words):
    assert words in [one.text for one in paramproof.explain(number, model or None).found]


PRINTED = [
    (2_362_368, None),  # A layer of keras-bert, in words.
    *[(101_675_520, None), (10_152_448, None), (6_738_415_616, None)],  # Published, right or wrong.
    *[("117M", None), ("685B", None), ("685B", "deepseek-v3")],  # Withdrawn; with more layers.
    (124_439_808, None),  # Published for another model by mistake.
    *[(131_072, None), ("7B", None), ("37B", None), ("438MB", None), (6_815_744, None)],
    # No explanation, and the difference from a model.
    *[(91_206_376, "bert-base"), (109_000_001, "bert-base"), (127, "bert-tiny")],
    *[(TOTALS["llama-7b"] - 1, "llama-7b"), ("3.31e9", "llama-7b"), (590_592, "llama-7b")],
    # Other models explain it only by their totals.
    *[(2_362_368, "gpt2-xl"), (109_482_240, "gpt2")],
    # Nothing is invented without a model.
    *[(123_456_789, None), (91_206_376, None), (111_385_344, None), ("3.31e9", None)],
    # One byte for each parameter is likely for whole models alone.
    ("42.5MB", None),
]


@pytest.mark.parametrize(("number", "model"), PRINTED)
def test_printed(number, model, snapshot):
    """A published number comes first, with the verdict on it; equal formulas are one row."""
    answer = explained(read(str(number)), model and resolve(model))
    assert_document(answer.to_dict(), "explanation")
    assert "\n".join([*lines(answer), repr(answer)]) == snapshot
    if answer.apart:
        assert answer.apart.count == resolve(model).inventory().total()


SEVERAL = ["2362368", "109483778", "28339968", "117M", "438MB", "131072", "7B", "37B", "123456789"]


@cache
def answer_to(number):
    return explained(read(number))


def lines_of(number, **how):
    return list(lines(answer_to(number), **how))


@pytest.mark.parametrize("number", SEVERAL)
@pytest.mark.parametrize("width", [80, 120])
def test_width(number, width):
    """Nothing is lost, and only line breaks and spaces are added; a long name is not broken."""
    assert all(len(one) <= width or " " not in one.strip() for one in lines_of(number, width=width))
    wide = " ".join(lines_of(number, width=10_000)).split()
    assert " ".join(lines_of(number, width=width)).split() == wide


@pytest.mark.parametrize("number", ["2362368", "7B", "110M"])
def test_everything_can_be_shown(number):
    few, all_of_it = lines_of(number), lines_of(number, everything=True)
    assert not [line for line in all_of_it if re.search(r"and \d+ more", line)]
    names = {name for one in answer_to(number).found for name in one.models}
    assert all(name in "\n".join(all_of_it) for name in names)
    assert len(all_of_it) >= len(few)


@pytest.mark.parametrize("number", ["2362368", "37B", "6815744", "335043584", "109483778"])
def test_every_letter_is_explained(number):
    """With its field and its size: no formula has a letter that the next line does not name."""
    text = lines_of(number, width=10_000)
    formulas = [line for line in text if line.lstrip().startswith(("= ", "claimed"))]
    legends = [line for line in text if line.lstrip().startswith("where ")]
    assert len(formulas) == len(legends) > 0
    for formula, legend in zip(formulas, legends, strict=True):
        letters = set(NAME.findall(formula)) - {"claimed", "formula"}
        assert letters == set(re.findall(r"(\w+) = [\w.]+ = [\d,]+", legend))


def test_equal_formulas_are_one_row():
    for number in ("2362368", "28348416", "590592"):
        rows = [(one.formula_at_sizes, one.way.kind) for one in answer_to(number).found]
        assert len(rows) == len(set(rows))


def test_fewer_conventions_come_first_where_several_counts_round_to_a_number():
    config = {"model_type": "qwen3", "vocab_size": 151_936, "hidden_size": 1024}
    config |= {"intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16}
    config |= {"num_key_value_heads": 8, "head_dim": 128, "tie_word_embeddings": True}
    found = [one.way.what for one in paramproof.explain("0.44B", config).found]
    assert found == ["layers-only", "without-embeddings", "without-embeddings, without-norms"]


@pytest.mark.parametrize("name", TOTALS)
def test_totals_that_others_published(name):
    first = paramproof.explain(TOTALS[name]).found[0]
    assert first.text == "the whole model"
    assert name in first.models
