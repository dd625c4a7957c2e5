"""The heads that ``paramproof explain`` knows agree with transformers, class by class."""

from dataclasses import asdict

import pytest

from paramproof.explanation.ways import describe
from paramproof.formulas.models import named_model
from paramproof.resolver import resolve
from tests.frameworks.transformers_configs import config_of, model_of

pytestmark = pytest.mark.framework("transformers")

LABELS = 7
TASKS = ("SequenceClassification", "TokenClassification", "QuestionAnswering")
OTHERS = {"bert": ("PreTraining", "MaskedLM", "NextSentencePrediction"), "roberta": ("MaskedLM",)}
MODELS = {
    "bert-base-uncased": ("bert", "Bert"),
    "roberta-base": ("roberta", "Roberta"),
    "gpt2": ("gpt2", "GPT2"),
    "tinyllama-1.1b": ("llama", "Llama"),
}


@pytest.mark.parametrize(
    ("model", "kind", "name"),
    [
        (model, kind, f"{prefix}For{task}")
        for model, (kind, prefix) in MODELS.items()
        for task in (*TASKS, *OTHERS.get(kind, ()))
    ],
)
def test_every_class_is_explained(model, kind, name):
    # Question answering has two outputs, whatever the labels.
    labels = 2 if "Answering" in name else LABELS
    sizes = {k: v for k, v in asdict(named_model(model).spec).items() if type(v) is int}
    config = config_of({"model_type": kind, **sizes, "num_labels": labels})
    ways = [way for way in describe(resolve(model)).ways if name in (way.what, *way.equal)]
    numbers = [way.number + (labels * way.step if way.kind == "labels" else 0) for way in ways]
    assert model_of(config, name).num_parameters() in numbers
