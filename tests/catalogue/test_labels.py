"""The number of labels is a symbol wherever a class has as many labels as its configuration."""

import pytest

from paramproof.catalogue import model_types, read_type
from paramproof.catalogue.configuration import LABELS

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from paramproof.tracing.constructors.transformers_class import reads_labels  # noqa: E402
from sweep.samples.adversary import judge  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402

INSIDE = [
    ("albert", "AlbertForPreTraining", {"num_hidden_layers": 1}),
    ("t5", "T5ForSequenceClassification", {"num_layers": 1}),
    ("mt5", "MT5ForSequenceClassification", {"num_layers": 1}),
    ("umt5", "UMT5ForSequenceClassification", {"num_layers": 1}),
    ("lw_detr", "LwDetrModel", {}),
    ("oneformer", "OneFormerModel", {}),
]
"""Classes with labels in a class inside, or in a comprehension; they had two labels once."""


@pytest.mark.parametrize(("model_type", "name", "keys"), INSIDE)
def test_labels_inside_are_counted(model_type, name, keys):
    assert reads_labels(getattr(transformers, name))
    config = {"model_type": model_type, "architectures": [name], **keys}
    for labels in (2, 7):
        assert judge({**config, "num_labels": labels}).verdict is Verdict.EQUAL


def test_some_classes_always_have_two_labels():
    assert not reads_labels(transformers.BartForQuestionAnswering)
    assert not reads_labels(transformers.BertModel)
    assert reads_labels(transformers.LlamaForSequenceClassification)


def test_each_class_with_labels_has_the_symbol():
    """CLVP reads the number only where its summary has labels, which is not supported."""
    lacking = []
    for model_type in model_types():
        file = read_type(model_type)
        own = {letter for letter, size in file.letters.items() if size.path == LABELS}
        for name, data in file.classes.items():
            model_class = getattr(transformers, name, None)
            if model_class is None or not reads_labels(model_class):
                continue
            if not own or own & {*data.get("absent", ())}:
                lacking.append(name)
    assert lacking == ["ClvpModelForConditionalGeneration"]


@pytest.mark.parametrize("keys", [{"num_labels": 3}, {"num_labels": 5}, {"num_labels": 1}, {}])
def test_a_given_number_of_labels_replaces_their_names(keys):
    """MobileNet's 1,001 classes were counted beside a smaller number once."""
    names = {str(index): f"name {index}" for index in range(5)}
    config = {"model_type": "bert", "architectures": ["BertForSequenceClassification"]}
    assert judge({**config, "id2label": names, **keys}).verdict is Verdict.EQUAL
