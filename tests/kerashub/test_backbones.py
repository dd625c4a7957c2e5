"""KerasHub's backbones agree with docs/kerashub.json: built, allocated, derived again."""

from math import prod
from random import Random
from zlib import crc32

import pytest

from docs.writers.kerashub.pairs import pairs
from docs.writers.kerashub.store import RESULTS, derivation_in, known, written
from paramproof.algebra.sampling import sample_sizes
from paramproof.formulas.derivation import expected
from paramproof.tracing.tensor_groups import count_stored

pytestmark = [
    pytest.mark.framework("keras-jax"),
    pytest.mark.shared("35 backbones are built and derived"),
]

BACKBONES = known()
DIGEST = crc32(RESULTS.read_bytes())
"""The data's digest: it selects the same backbones until the data changes."""

SMALL = 12
"""Allocated models have about these sizes, or smaller ones."""

SLOW = {"CLIPBackbone", "DINOV2Backbone", "SigLIPBackbone", "T5Backbone"}
"""These take as long to derive as all others: ``python -m docs.writers kerashub`` derives them."""

QUICK, PARTS = sorted(BACKBONES.keys() - SLOW - {"BertBackbone"}), 12

MODELS = 2
"""Models per backbone, at random sizes."""


@pytest.fixture(scope="module")
def backbones(request):
    """Return the module that builds KerasHub's backbones; skip if absent, unless required."""
    from docs.writers.kerashub import backbones

    try:
        backbones.models()
    except ImportError as error:
        if request.config.getoption("--require"):
            pytest.fail(f"required and unavailable: {error}", pytrace=False)
        pytest.skip(str(error))
    return backbones


def inside(derivation, random, first, deepest):
    """Return sizes inside the conditions, with few layers."""
    conditions = [one.condition for one in derivation.conditions]
    layers = frozenset(name for one in derivation.tensors for name in one.times.letters)
    found = sample_sizes(random, first, conditions, layers, frozenset(derivation.fixed), deepest)
    assert found is not None
    return found


@pytest.mark.parametrize("name", BACKBONES)
def test_every_tensor_agrees_with_the_derivation(name, backbones):
    """At random sizes inside the conditions; Keras itself gives the same count."""
    derivation, random = derivation_in(BACKBONES[name]), Random(name)
    constructor = backbones.constructor(pairs()[name])
    points = [inside(derivation, random, derivation.sizes, 3) for _ in range(MODELS)]
    assert points[0] != points[1]
    for sizes in points:
        model = constructor.make(sizes)
        due = expected(derivation.tensors, sizes)
        assert count_stored(constructor.read(model, None)) == due
        frozen = sum(n * prod(one.shape) for one, n in due.items() if one.kind.role == "frozen")
        assert model.count_params() == derivation.count(sizes) + frozen


def test_an_allocated_model_has_as_many_parameters(backbones):
    derivation, pair = derivation_in(BACKBONES["BertBackbone"]), pairs()["BertBackbone"]
    bert = backbones.models().BertBackbone
    small = {letter: min(size, SMALL) for letter, size in derivation.sizes.items()}
    sizes = inside(derivation, Random(0), small, 2)
    model = bert(**backbones.filled(backbones.arguments_of(pair, bert), sizes))
    assert sum(one.numpy().size for one in model.trainable_weights) == derivation.count(sizes)


def test_the_published_counts_of_presets(backbones):
    for name, data in BACKBONES.items():
        pair = pairs()[name]
        assert list(data["presets"]) == list(pair.presets)
        for preset, number in data["presets"].items():
            assert backbones.published(pair, preset) == number


@pytest.mark.parametrize("name", ["BertBackbone", *QUICK[DIGEST % PARTS :: PARTS]])
def test_a_backbone_derived_again(name, backbones):
    found, was = written(backbones.derived(pairs()[name])), dict(BACKBONES[name])
    for data in (found, was):
        # The number of distant models depends on how long the others took.
        data.pop("presets", None)
        data["evidence"] = {key: data["evidence"][key] for key in ("traces", "held")}
    assert found == was
