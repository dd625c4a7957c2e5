"""KerasHub's backbones agree with sweep/witnesses/measured.json: at random sizes, and allocated."""

from collections import Counter

import pytest

from sweep.witnesses import comparison, keras_hub
from sweep.witnesses.__main__ import known, tally
from sweep.witnesses.comparison import by_size, compare

pytestmark = pytest.mark.framework("keras-jax")

DATA = known()["keras-hub"]

MODELS = 2
"""Models per backbone, the first of those in the data."""


def test_backbones_versions_and_published_counts():
    assert keras_hub.types_of_both() == list(DATA["types"])
    assert DATA["versions"].items() >= keras_hub.versions().items()
    assert keras_hub.all_published() == DATA["presets"]


@pytest.mark.shared("35 backbones are built")
@pytest.mark.parametrize("name", DATA["types"])
def test_random_sizes(name):
    (found, unexplained), data = tally(keras_hub.compare_random(name, MODELS)), DATA["types"][name]
    assert (found["built"], unexplained) == (MODELS, [])
    for cause, formulas in found["causes"].items():
        assert Counter(formulas) <= Counter(data["causes"][cause])


def test_an_allocated_model_has_as_many_parameters():
    sizes = {"V": 11, "H": 6, "L": 2, "A": 3, "F": 7, "P": 5, "T": 2}
    pair, bert = keras_hub.pairs()["BertBackbone"], keras_hub.models().BertBackbone
    arguments = pair.arguments_of(bert)
    groups = keras_hub.build(bert, arguments, sizes)
    model = bert(**keras_hub.filled(arguments, sizes, str))
    assert sorted(one.shape for one in groups) == sorted(one.shape for one in model.weights)
    assert sum(one.numpy().size for one in model.weights) == sum(
        one.size.evaluate(sizes) for one in pair.derivation(sizes.keys()).parameters
    )


def test_only_a_named_cause_explains(monkeypatch):
    monkeypatch.setattr(comparison, "causes_of", lambda case: ())
    (found,) = keras_hub.compare_random("ElectraBackbone", 1)
    assert found.causes == {}
    assert [said for said, _ in found.unexplained.values()] == [0, 0]


def test_another_tensor_is_not_explained():
    pair, sizes = keras_hub.pairs()["BertBackbone"], {"V": 11, "H": 6, "L": 2, "A": 3, "F": 7}
    sizes |= {"P": 5, "T": 2}
    bert = keras_hub.models().BertBackbone
    groups = keras_hub.build(bert, pair.arguments_of(bert), sizes)
    derivation = pair.derivation(sizes.keys())
    assert not compare("BertBackbone", {}, derivation, sizes, groups, by_size).unexplained
    groups[comparison.Group("more", (13,))] += 1
    found = compare("BertBackbone", {}, derivation, sizes, groups, by_size)
    assert found.unexplained == {"of 13 entries": (0, 13)}
