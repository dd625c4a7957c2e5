"""The heads that ``paramproof explain`` knows agree with transformers, class by class."""

import pytest

from paramproof.algebra.family_architecture import FamilyArchitecture
from paramproof.explanation.explanation import recount
from paramproof.explanation.searched import candidates
from paramproof.formulas.models import named_model

pytestmark = pytest.mark.framework("transformers")

LABELS = 7

# Settings of each named model that differ from the defaults.
SIZES = {
    "bert-base-uncased": ("BertConfig", {}),
    "bert-large-uncased": (
        "BertConfig",
        {
            "hidden_size": 1024,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "intermediate_size": 4096,
        },
    ),
    "roberta-base": (
        "RobertaConfig",
        {"vocab_size": 50_265, "max_position_embeddings": 514, "type_vocab_size": 1},
    ),
    "gpt2": ("GPT2Config", {}),
    "distilgpt2": ("GPT2Config", {"n_layer": 6}),
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
    (model, f"{name}For{task}", like)
    for model, name, like in (
        ("bert-base-uncased", "Bert", "Bert"),
        ("bert-large-uncased", "Bert", "Bert"),
        ("roberta-base", "Roberta", "Bert"),
        ("gpt2", "GPT2", "GPT2"),
        ("distilgpt2", "GPT2", "GPT2"),
        ("tinyllama-1.1b", "Llama", "Llama"),
    )
    for task in ("SequenceClassification", "TokenClassification", "QuestionAnswering")
] + [
    ("bert-base-uncased", "BertForPreTraining", "Bert"),
    ("bert-base-uncased", "BertForMaskedLM", "Bert"),
    ("bert-base-uncased", "BertForNextSentencePrediction", "Bert"),
    ("roberta-base", "RobertaForMaskedLM", "Bert"),
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


def explaining_classes(number, model):
    """Return the classes whose heads give ``number`` for the model, each counted again."""
    known = FamilyArchitecture.of(named_model(model).spec)
    own = [one for count, one in candidates(known, number=number) if count == number and one.heads]
    assert all(recount(one, known)[0] == number for one in own)
    return {one.heads.like: one.heads for one in own}


@pytest.mark.parametrize(("model", "name", "like"), CLASSES)
def test_every_class_is_explained(model, name, like):
    # Question answering has two outputs, whatever the labels.
    options = {"num_labels": 2} if "Answering" in name else {}
    task = name.partition("For")[2]
    heads = explaining_classes(count_parameters(model, name, **options), model)[f"{like}For{task}"]
    assert heads.labels in (0, 2 if options else LABELS)


@pytest.mark.parametrize("name", ["BertForPreTraining", "BertForMaskedLM"])
def test_an_untied_decoder_has_its_bias_twice(name):
    number = count_parameters("bert-base-uncased", name, tie_word_embeddings=False)
    heads = explaining_classes(number, "bert-base-uncased")[name]
    assert heads.has_second_bias
    assert ("tie_word_embeddings", False) in heads.fields
