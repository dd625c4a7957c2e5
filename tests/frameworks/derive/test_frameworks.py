"""Models of every framework: what is not PyTorch's is read from values, its questions are kept."""

import re
from math import prod

import pytest

from tests.frameworks.derive.deriving import conditions, constructor

DECODER = "L·(4·H² + 6·H) + 2·V·H"
READ = "the shape is fitted in 12 of 12 tensor groups"


def derived(name, **effort):
    from paramproof.derivation.pipeline import Effort, derive

    return derive(constructor(name), effort=Effort(**effort))


@pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")
def test_a_functional_model_of_keras():
    found = derived("in_keras:model")
    assert str(found.formula) == "L·(4·H·A·⌊H/A⌋ + 3·A·⌊H/A⌋ + 3·H) + 2·V·H"
    assert conditions(found).keys() == {"H ≥ A"}
    assert READ in found.reasons
    assert "keras" in found.evidence.versions


@pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")
def test_a_size_that_a_layer_of_keras_divides_out_of_sight():
    found = derived("in_keras:divided", held=5)
    assert str(found.formula) == "H·(A·⌊H/A⌋ + V)"
    assert found.fixed == ()


@pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")
def test_a_size_that_keras_finds_equal_to_itself():
    """At sizes of 12, it asks whether 12 is H."""
    found = derived("in_keras:built_before", held=5)
    assert str(found.formula) == "H² + V·H + H"
    assert conditions(found) == {}
    assert found.fixed == ()


@pytest.mark.framework("flax-linen")
@pytest.mark.parametrize("module", ["in_linen", "in_nnx"])
def test_modules_of_flax(module):
    # Far models are tested with PyTorch, whose models take less time.
    found = derived(f"{module}:model", held=5, far=False)
    assert str(found.formula) == DECODER
    assert conditions(found).keys() == {"A divides H"}
    assert READ in found.reasons
    assert set(found.evidence.versions) == {"flax", "jax", "python"}


@pytest.mark.framework("equinox")
def test_modules_of_equinox():
    """Its attention rounds a head's size down, and does not ask whether A divides H."""
    layer = "L·(4·H·A·⌊H/A⌋ + 3·A·⌊H/A⌋ + 3·H)"
    found = derived("in_equinox:model")
    assert str(found.formula) == f"{layer} + 2·V·H"
    assert READ in found.reasons
    assert set(found.evidence.versions) == {"equinox", "jax", "jaxlib", "python"}
    tied = derived("in_equinox:tied", held=5)
    assert str(tied.formula) == f"{layer} + V·H"
    (table,) = (one for one in tied.tensors if one.path == "embedding.weight")
    assert table.aliases == ("head.weight",)


@pytest.mark.framework("equinox")
def test_layers_of_equinox_that_one_module_holds():
    assert str(derived("in_equinox:stacked", held=5).formula) == "L·(H² + H)"


@pytest.mark.framework("equinox")
def test_a_module_of_equinox_with_its_state():
    said = "is a module of Equinox and more: give the module alone"
    assert refusal("in_equinox:with_state").endswith(said)


@pytest.mark.framework("keras-bert")
def test_keras_bert():
    """Its attention compares plain ints, whose letters are inferred from their values."""
    found = derived("in_keras_bert:model", generic=2, held=2, deepest=2)
    layer = "4·H² + 2·H·F + 9·H + F"
    assert str(found.formula) == f"L·({layer}) + 2·H² + V·H + 20·H + V + 2"
    refusal = "the constructor refuses: IndexError: Invalid head number"
    ((condition, outside),) = conditions(found).items()
    assert (condition, outside.startswith(refusal)) == ("A divides H", True)
    attention = [prod(t.shape) for t in found.tensors if "SelfAttention." in t.path]
    assert str(sum(attention)) == "4·H² + 4·H"
    assert sum(attention).evaluate({"H": 768}) == 2_362_368
    paths = [one.path for one in found.tensors]
    assert "Encoder-*-FeedForward.Encoder-*-FeedForward_W1" in paths
    assert "tf-keras" in found.evidence.versions


def refusal(name):
    from paramproof.derivation.pipeline import DerivationError

    with pytest.raises(DerivationError, match="is not made: InvalidInput: ") as caught:
        derived(name)
    return str(caught.value)


@pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")
def test_a_layer_of_keras_that_has_seen_no_input():
    # Keras counts the layers that it made before.
    said = re.sub(r"dense_\d+", "dense", refusal("in_keras:unbuilt"))
    assert said.endswith("is not built: dense has no weights yet")


@pytest.mark.framework("flax-linen")
def test_a_module_of_linen_without_variables():
    assert refusal("in_linen:unbuilt").endswith(" has no variables: give (module, variables)")


@pytest.mark.framework("flax-linen")
def test_an_int_that_must_be_python_s_own():
    found = derived("in_linen:of_int")
    assert str(found.formula) == "V·H"
    assert found.reasons[1].startswith("sizes were not followed: TypeError: JAX only")
