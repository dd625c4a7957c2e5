"""The number of labels is a symbol wherever a class has as many labels as its configuration."""

import pytest

from paramproof.catalogue import model_types, read_type
from paramproof.catalogue.configuration import LABELS

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from paramproof.tracing.constructors.transformers_class import reads_labels


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
