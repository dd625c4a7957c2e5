"""The heads that ``paramproof explain`` knows agree with transformers, class by class."""

import pytest

from paramproof.explanation.ways import describe
from paramproof.resolver import resolve

pytestmark = pytest.mark.framework("transformers")

LABELS = 7

# Settings of each named model that differ from the defaults.
SIZES = {
    "bert-base-uncased": ("BertConfig", {}),
    "roberta-base": (
        "RobertaConfig",
        {"vocab_size": 50_265, "max_position_embeddings": 514, "type_vocab_size": 1},
    ),
    "gpt2": ("GPT2Config", {}),
    "tinyllama-1.1b": (
        "LlamaConfig",
        {
            "vocab_size": 32_000,
            "hidden_size": 2048,
            "intermediate_size": 5632,
            "num_hidden_layers": 22,
            "num_attention_heads": 32,
            "num_key_value_heads": 4,
        },
    ),
}

CLASSES = [
    (model, f"{name}For{task}")
    for model, name in (
        ("bert-base-uncased", "Bert"),
        ("roberta-base", "Roberta"),
        ("gpt2", "GPT2"),
        ("tinyllama-1.1b", "Llama"),
    )
    for task in ("SequenceClassification", "TokenClassification", "QuestionAnswering")
] + [
    ("bert-base-uncased", "BertForPreTraining"),
    ("bert-base-uncased", "BertForMaskedLM"),
    ("bert-base-uncased", "BertForNextSentencePrediction"),
    ("roberta-base", "RobertaForMaskedLM"),
]


def count_parameters(model, name, **options):
    """Return the number of parameters of a class at the named model's sizes, without allocating."""
    import torch
    import transformers

    config, sizes = SIZES[model]
    with torch.device("meta"):
        made = getattr(transformers, name)(
            getattr(transformers, config)(**sizes, **{"num_labels": LABELS, **options})
        )
    return made.num_parameters()


def numbers_of(model, name, labels):
    """Return the numbers of a class at the named model's sizes, with its own number of labels."""
    ways = [way for way in describe(resolve(model)).ways if name in (way.what, *way.equal)]
    return {way.number + (labels * way.step if way.kind == "labels" else 0) for way in ways}


@pytest.mark.parametrize(("model", "name"), CLASSES)
def test_every_class_is_explained(model, name):
    # Question answering has two outputs, whatever the labels.
    labels = 2 if "Answering" in name else LABELS
    number = count_parameters(model, name, num_labels=labels)
    assert number in numbers_of(model, name, labels)
