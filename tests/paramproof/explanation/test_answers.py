"""What ``explain`` says first of the numbers of the sources, and of numbers that people asked for.

The sources are five texts about the sizes of BERT, GPT-3, LLaMA, ERNIE and the Transformer; the
numbers of classes are those of transformers, and the others were published or computed by hand.
"""

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
KEY_DIM = 4 * 12 * 768**2 + 3 * 12 * 768 + 768
"""Keras's MultiHeadAttention(num_heads=12, key_dim=768)."""

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


FIRST = [
    # The sources: issue 656 of google-research/bert.
    ("110M", None, WHOLE, "bert-base-uncased", "+ 3·H"),
    ("340M", None, WHOLE, "bert-large-uncased", "+ 3·H"),
    (109_482_240, None, WHOLE, "bert-base-uncased", "+ 3·H"),
    (23_837_184, None, "embeddings", "bert-base-uncased", "H·(V + P + T + 2)"),
    (7_087_872, None, "one layer of layers", "bert-base-uncased", "4·H² + 2·H·F + 9·H + F"),
    (
        335_043_584,
        None,
        f"{WHOLE} without layers.*.feed_forward.intermediate.bias",
        "bert-large-uncased",
        "−L·F",
    ),
    (
        12_592_128,
        "bert-large",
        "one layer of layers without feed_forward.intermediate.bias",
        "bert-large-uncased",
        "−F",
    ),
    (10_152_448, None, f"{WHOLE} (total)", "transformer-one-layer", "2·P·H"),
    # 001: without the biases of projections and the pooler.
    (
        108_808_704,
        None,
        f"{WHOLE} (without-biases, without-pooler)",
        "bert-base-uncased",
        "−L·(5·H + F) − H² − H",
    ),
    # 002: attention in Keras, and the asker's own guess.
    (
        2_362_368,
        None,
        "an attention block: layers.*.attention in one layer",
        "bert-base-uncased",
        "4·H² + 4·H",
    ),
    (
        1_771_776,
        None,
        "queries, keys and values: layers.*.attention.{query,key,value}",
        "bert-base-uncased",
        "3·H² + 3·H",
    ),
    (
        KEY_DIM,
        None,
        "layers.*.attention in one layer, each head as wide as the model",
        "bert-base-uncased",
        "4·H²·A + 3·H·A + H",
    ),
    # 003: estimates of 12·L·H² for GPT-3 and LLaMA.
    (173_946_175_488, None, "layers (weights-only)", "gpt3-175b", "L·(4·H² + 2·H·F)"),
    (
        6_442_450_944,
        "llama-7b",
        "the usual estimate of the matrices of the layers",
        "llama-7b",
        "12·L·H²",
    ),
    (
        12_582_912_000,
        "llama-13b",
        "the usual estimate of the matrices of the layers",
        "llama-13b",
        "12·L·H²",
    ),
    (
        31_897_681_920,
        "llama-33b",
        "the usual estimate of the matrices of the layers",
        "llama-33b",
        "12·L·H²",
    ),
    (
        64_424_509_440,
        "llama-65b",
        "the usual estimate of the matrices of the layers",
        "llama-65b",
        "12·L·H²",
    ),
    # 004: the same total for BERT and ERNIE, which is that of bert-base-chinese.
    (101_675_520, None, f"{WHOLE} without embeddings.", "bert-base-chinese", "−H² −"),
    # What is published under a number comes first.
    ("7B", None, WHOLE, "llama-7b", ""),
    ("1.5B", None, WHOLE, "gpt2-xl", ""),
    ("6.74B", None, WHOLE, "llama-7b", ""),
    ("65.2B", None, WHOLE, "llama-65b", ""),
    ("37B", None, "the active parameters per token (head-only)", "deepseek-v3", ""),
    ("438MB", None, WHOLE, "bert-base-uncased", ""),
    (437_928_960, None, WHOLE, "bert-base-uncased", ""),
    # Classes, with heads; a class and a part that only another one has.
    (
        66_985_530,
        "distilbert-base-uncased",
        "the model as DistilBertForMaskedLM",
        "distilbert-base-uncased",
        "H² + 3·H + V",
    ),
    (109_514_298, "bert-base", "the model as BertLMHeadModel", "bert-base-uncased", "2·H + V"),
    (110_106_428, None, "the model as BertForPreTraining", "bert-base-uncased", "H² + 5·H + V + 2"),
    (
        109_483_778,
        None,
        "the model as BertForSequenceClassification",
        "bert-base-uncased",
        "k·(H + 1)",
    ),
    (
        109_482_240 + 77 * 769,
        "bert-base",
        "the model as BertForSequenceClassification with num_labels = 77",
        "bert-base-uncased",
        "k·(H + 1)",
    ),
    (124_697_433, "roberta-base", "the model as RobertaForCausalLM", "roberta-base", "2·H + V"),
    (124_441_344, "gpt2", "the model as GPT2ForSequenceClassification", "gpt2", "H·k"),
    (
        1_034_516_482,
        "tinyllama-1.1b",
        "the model as LlamaForTokenClassification",
        "tinyllama-1.1b",
        "−V·H + H·k + k",
    ),
    (278_885_778, XLM, f"{WHOLE} and the pooler of XLMRobertaModel", "the model given", "H² + H"),
    (
        278_885_778,
        "xlm-roberta-base",
        f"{WHOLE} and the lm_head of XLMRoberta",
        "xlm-roberta-base",
        "H² + 3·H + V",
    ),
    # Adapters beside queries and values: r·(in + out).
    (
        6_815_744,
        "llama-3.1-8b",
        "low-rank adapters (LoRA) of rank 16 on q_proj, v_proj",
        "llama-3.1-8b",
        "r",
    ),
    (
        4_194_304,
        "llama-7b",
        "low-rank adapters (LoRA) of rank 8 on q_proj, v_proj",
        "llama-7b",
        "r",
    ),
    (294_912, "gpt2", "low-rank adapters (LoRA) of rank 8 on c_attn", "gpt2", "4·L·H·r"),
    (
        6_815_744,
        None,
        "low-rank adapters (LoRA) of rank 16 on q_proj, v_proj",
        "mistral-7b-v0.1",
        "r",
    ),
    # A table of tokens, without embeddings, in a layer.
    (50_257 * 768, "gpt2", "the token table: embeddings", "gpt2", "V·H"),
    (85_056_000, "gpt2", f"{WHOLE} (without-embeddings)", "gpt2", "−V·H − P·H"),
]


@pytest.mark.parametrize(("number", "model", "words", "name", "letters"), FIRST)
def test_the_first_explanation(number, model, words, name, letters):
    found, of, formula = first_of(number, model)
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
