"""Classes of further tasks are derived again as the file has them, or the file stays as it is."""

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("torch")
pytest.importorskip("transformers")

from paramproof.catalogue import entry  # noqa: E402
from sweep.entries.added_classes import ClassAdder  # noqa: E402
from sweep.entries.repair import EntryRepair  # noqa: E402
from sweep.failure import Reason, SweepError  # noqa: E402
from sweep.store import read_entry  # noqa: E402

SEGFORMER_B0_ADE = {
    "architectures": ["SegformerForSemanticSegmentation"],
    "decoder_hidden_size": 256,
    "depths": [2, 2, 2, 2],
    "hidden_sizes": [32, 64, 160, 256],
    "mlp_ratios": [4, 4, 4, 4],
    "model_type": "segformer",
    "num_attention_heads": [1, 2, 5, 8],
    "num_labels": 150,
    "patch_sizes": [7, 3, 3, 3],
    "sr_ratios": [8, 4, 2, 1],
    "strides": [4, 2, 2, 2],
}


def without(data, name):
    """Return a file without a class, and without the letters that only this class has."""
    others = {one: kept for one, kept in data["classes"].items() if one != name}
    own = set(data["letters"]).difference(data["classes"][name].get("absent", ()))
    only = own.intersection(*(one.get("absent", ()) for one in others.values()))
    classes = {}
    for one, kept in others.items():
        absent = [letter for letter in kept.get("absent", ()) if letter not in only]
        rest = {key: value for key, value in kept.items() if key != "absent"}
        classes[one] = {**({"absent": absent} if absent else {}), **rest}
    letters = {letter: field for letter, field in data["letters"].items() if letter not in only}
    return {**data, "letters": letters, "classes": classes}


@pytest.mark.parametrize(
    ("model_type", "name"),
    [
        ("roberta", "RobertaForMultipleChoice"),
        ("timesfm", "TimesFmModelForPrediction"),
        ("videoprism_vision_model", "VideoPrismForVideoClassification"),
        # The base model has no vocabulary, and its configuration no size of one.
        ("wav2vec2-bert", "Wav2Vec2BertForCTC"),
    ],
)
def test_a_class_is_derived_again(model_type, name):
    data = read_entry(model_type)
    adder = ClassAdder(without(data, name), seconds=120)
    assert adder.run()
    assert (adder.added, adder.failed) == ([name], {})
    # How many models were built on the way depends on what was derived before.
    new, known = ({**one["classes"][name], "evidence": ()} for one in (adder.data, data))
    assert new == known
    assert adder.data["letters"] == data["letters"]


def test_a_class_that_differs_from_models_is_not_added(monkeypatch):
    def check(self, variant, seed):
        raise SweepError(Reason.NOT_AS_BUILT, "a tensor differs")

    name = "RobertaForMultipleChoice"
    data = without(read_entry("roberta"), name)
    monkeypatch.setattr(EntryRepair, "check", check)
    adder = ClassAdder(data, seconds=120)
    assert not adder.run()
    assert adder.data == data
    assert adder.failed[name].reason is Reason.NOT_AS_BUILT


def test_a_published_model_of_another_task():
    """The count of nvidia/segformer-b0-finetuned-ade-512-512."""
    assert entry(SEGFORMER_B0_ADE).count == 3_752_694
