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


def test_a_layer_of_keras_bert_in_words():
    """The number is published; heads change nothing; equal formulas are one row."""
    text = text_of(2_362_368)
    assert text.startswith("2,362,368 is published for keras-bert-question, layers.*.attention (")
    assert "exact: layers.*.attention 2,362,368 is an attention block: " in text
    assert "= 4·H² + 4·H where H = hidden_size = 768" in text
    assert text.count("4·H² + 4·H") == 1
    assert "The number of heads changes nothing: A = num_attention_heads = 12" in text
    assert "Keras's MultiHeadAttention(num_heads=A, key_dim=H/A)" in text
    assert "encoder.layers.*.self_attn" in text


@pytest.mark.parametrize(
    ("number", "model", "words"),
    [
        (101_675_520, None, "101,675,520 is published for ernie-1.0 ("),
        (10_152_448, None, "10,152,448 is published for transformer-one-layer ("),
        (6_738_415_616, None, "6,738,415,616 is published for llama-2-7b ("),
        ("117M", None, "117M was published, and withdrawn, for gpt2 ("),
        ("685B", None, "685B is published for deepseek-v3 ("),
        ("685B", "deepseek-v3", "685B is published for deepseek-v3 ("),
        (124_439_808, None, "124,439,808 is the whole model"),  # Published for another by mistake.
    ],
)
def test_what_is_published_comes_first(number, model, words):
    assert text_of(number, model).startswith(words)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (101_675_520, "no convention gives it; it differs from trainable by +1,809,408"),
        (10_152_448, "exact: total"),
        ("117M", "wrong: it has 124,439,808, since published as 124M"),
        ("685B", "it includes 671B of the main model and 14B of its multi-token prediction module"),
    ],
)
def test_verdicts_on_what_is_published(number, words):
    assert words in text_of(number)


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


@pytest.mark.parametrize(
    ("number", "names"),
    [
        ("7B", {"llama-7b", "llama-2-7b", "mistral-7b-v0.1", "codellama-7b"}),
        ("1.5B", {"gpt2-xl", "qwen2-1.5b"}),
        ("32B", {"olmo-2-32b", "qwen3-32b", "kimi-k2"}),
        ("671B", {"deepseek-v3"}),
        ("124M", {"gpt2"}),
    ],
)
def test_rounded_numbers_list_what_they_were_published_for(number, names):
    found = paramproof.explain(number).found
    assert names <= {name for one in found for name in one.models}


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
