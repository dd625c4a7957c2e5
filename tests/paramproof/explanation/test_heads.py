"""Heads that a spec does not have: which models explain their counts, and in what order."""

from functools import cache

import pytest

from paramproof.algebra.family_architecture import FamilyArchitecture
from paramproof.counting.explained import explained
from paramproof.explanation import heads
from paramproof.explanation.explanation import recount
from paramproof.explanation.number import read
from paramproof.explanation.rendering import render
from paramproof.explanation.searched import candidates
from paramproof.formulas import LlamaSpec
from paramproof.formulas.models import named_model
from paramproof.resolver import resolve

BERT = "bert-base-uncased"

# The counts of transformers for its classes at these sizes, with the default tie_word_embeddings,
# or False if untied: tests/frameworks/test_transformers_heads.py checks them.
COUNTS = [
    (110_106_428, "bert-base-uncased", "BertForPreTraining"),
    (109_514_298, "bert-base-uncased", "BertForMaskedLM"),
    (109_483_778, "bert-base-uncased", "BertForSequenceClassification"),
    (109_483_009, "bert-base-uncased", "BertForSequenceClassification"),
    (109_483_778, "bert-base-uncased", "BertForNextSentencePrediction"),
    (108_893_186, "bert-base-uncased", "BertForQuestionAnswering"),
    (108_898_569, "bert-base-uncased", "BertForTokenClassification"),
    (133_577_846, "bert-base-uncased", "BertForPreTraining"),
    (132_985_716, "bert-base-uncased", "BertForMaskedLM"),
    (335_143_938, "bert-large-uncased", "BertForSequenceClassification"),
    (336_226_108, "bert-large-uncased", "BertForPreTraining"),
    (124_697_433, "roberta-base", "BertForMaskedLM"),
    (124_647_170, "roberta-base", "BertForSequenceClassification"),
    (124_441_344, "gpt2", "GPT2ForSequenceClassification"),
    (124_441_346, "gpt2", "GPT2ForQuestionAnswering"),
    (1_034_516_480, "tinyllama-1.1b", "LlamaForSequenceClassification"),
    (1_034_516_482, "tinyllama-1.1b", "LlamaForTokenClassification"),
]


@cache
def explanations_of(number, model=None):
    return explained(read(str(number)), model and resolve(model)).found


@pytest.mark.parametrize(("number", "model", "like"), COUNTS)
def test_transformers_counts_are_explained(number, model, like):
    own = [one for one in explanations_of(number) if one.explanation.heads]
    assert model in [name for one in own for name in one.models]
    assert like in [one.explanation.heads.like for one in own]


@pytest.mark.parametrize(("number", "model", "like"), COUNTS)
def test_heads_come_before_another_vocabulary(number, model, like):
    """And before an explanation that counts a norm twice."""
    first, *others = explanations_of(number)
    assert first.explanation.heads
    assert first.models[0] == model
    assert not [one for one in others if one.explanation.sizes]


# By hand: 109,482,240 with a pooler, H·(H + 1) = 590,592 fewer without; 769 per label.
@pytest.mark.parametrize("labels", [1, 2, 3, 9, 28, 77, 151, 767, 1000])
def test_any_number_of_labels(labels):
    outputs = "1 label" if labels == 1 else f"{labels} labels"
    texts = [one.text for one in explanations_of(109_482_240 + labels * 769, BERT)]
    like = "BertForSequenceClassification"
    assert f"the whole model with a classifier of {outputs}, as in {like}" in texts
    if labels < 768:
        texts = [one.text for one in explanations_of(109_482_240 - 590_592 + labels * 769, BERT)]
        assert (
            f"the whole model without pooler, with a classifier of {outputs} for each token, "
            "as in BertForTokenClassification"
        ) in texts


def test_a_pooler_is_not_a_classifier():
    """With H labels, a token classifier has as many parameters as a pooler without labels."""
    for number in (109_482_240, 109_483_778):
        likes = [
            one.explanation.heads.like
            for one in explanations_of(number, BERT)
            if one.explanation.heads
        ]
        assert "BertForTokenClassification" not in likes


def test_the_number_of_labels_is_bounded():
    spec = named_model(BERT).spec
    assert {one.like: most for one, most in heads.classifiers_of(spec)} == {
        "BertForQuestionAnswering": 2,
        "BertForSequenceClassification": 1000,
        "BertForTokenClassification": 767,
    }
    assert {one.like: most for one, most in heads.classifiers_of(named_model("llama-7b").spec)} == {
        "LlamaForQuestionAnswering": 2,
        "LlamaForSequenceClassification": 100,
        "LlamaForTokenClassification": 1000,
    }


def test_the_decoder_untied():
    """By hand: 110,106,428 and the table of 30522·768; with both biases another 30,522."""
    once = explanations_of(110_106_428 + 30_522 * 768, BERT)
    twice = explanations_of(110_106_428 + 30_522 * 769, BERT)
    assert once[0].text == (
        "the whole model with mlm_head and nsp_head, the decoder untied, as in BertForPreTraining"
    )
    assert twice[0].text == (
        "the whole model with mlm_head and nsp_head, the decoder untied, its bias twice, "
        "as in BertForPreTraining"
    )


def test_a_convention_for_other_heads():
    """By hand: BertForMaskedLM without the 30522 + 512 + 2 rows of its tables."""
    (one,) = explanations_of(109_514_298 - 31_036 * 768, BERT)
    assert one.text == (
        "the whole model (without-embeddings) without pooler, with mlm_head, as in BertForMaskedLM"
    )


def test_a_classifier_in_place_of_an_untied_language_head():
    spec = LlamaSpec(
        vocab_size=1001,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=31,
        tie_word_embeddings=False,
    )
    model = FamilyArchitecture.of(spec)
    by_hand = 1001 * 16 + 3 * (4 * 16**2 + 3 * 16 * 31 + 2 * 16) + 16 + 5 * 16 + 5
    counts = [
        explanation
        for count, explanation in candidates(model)
        if count == by_hand and explanation.heads
    ]
    assert [one.heads.labels for one in counts] == [5]
    assert recount(counts[0], model)[0] == by_hand


def test_the_algebra_of_heads():
    residuals = [
        render(explanations_of(number, BERT))[0].residual
        for number in (110106428, 109514298, 109483778, 108893186, 133577846)
    ]
    assert residuals == [
        "H² + 5·H + V + 2",
        "2·H + V",
        "2·H + 2",
        "−H² + H + 2",
        "H² + V·H + 5·H + 2·V + 2",
    ]


def test_json_names_the_heads():
    (one, *_) = render(explanations_of(109_483_778, BERT))
    assert one.as_json()["heads"] == {
        "like": "BertForSequenceClassification",
        "says": "with a classifier of 2 labels",
        "fields": {
            "pooler": True,
            "mlm_head": False,
            "nsp_head": False,
            "tie_word_embeddings": True,
        },
        "component": "classification_head",
        "labels": 2,
        "bias": True,
        "has_second_bias": False,
    }
    (plain, *_) = render(explanations_of(109_482_240, BERT))
    assert plain.as_json()["heads"] is None


# Keras's MultiHeadAttention(num_heads=12, key_dim=768): query, key and value with 12·768 outputs
# and as many biases, and the output projection back to 768.
KEY_DIM = 4 * 12 * 768**2 + 3 * 12 * 768 + 768


def test_keras_heads_of_the_hidden_size():
    (one, *_) = explanations_of(KEY_DIM)
    assert one.text == (
        "layers.*.attention in one layer, each head at full width in query, key, value and "
        "output.kernel, as with Keras's key_dim = hidden_size"
    )
    (whole, *_) = explanations_of(109_482_240 + 12 * (KEY_DIM - 4 * 768 * 769), BERT)
    assert "as with Keras's key_dim = hidden_size" in whole.text
