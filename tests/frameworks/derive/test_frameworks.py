"""Models of every framework: what is not PyTorch's is read from values, its questions are kept."""

import pytest

from tests.frameworks.derive.deriving import conditions, constructor

DECODER = "L·(4·H² + 6·H) + 2·V·H"
READ = "12 of 12 kinds of tensors were read from values"


def derived(name, **effort):
    from paramproof.derive.derive import Effort, derive

    return derive(constructor(name), effort=Effort(**effort))


@pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")
def test_a_functional_model_of_keras():
    found = derived("in_keras:model")
    assert str(found.formula) == "L·(4·H·A·⌊H/A⌋ + 3·A·⌊H/A⌋ + 3·H) + 2·V·H"
    assert conditions(found).keys() == {"⌊H/A⌋ > 0"}
    assert READ in found.reasons
    assert "keras" in found.evidence.versions


@pytest.mark.framework("flax-linen")
@pytest.mark.parametrize("module", ["in_linen", "in_nnx"])
def test_modules_of_flax(module):
    found = derived(f"{module}:model")
    assert str(found.formula) == DECODER
    assert conditions(found).keys() == {"A divides H"}
    assert READ in found.reasons
    assert set(found.evidence.versions) == {"flax", "jax", "python"}


@pytest.mark.framework("keras-bert")
def test_keras_bert():
    """Its layer of attention is 2,362,368 at H = 768; here all of it is 12 wide."""
    found = derived("in_keras_bert:model", generic=2, held=2, deepest=2)
    # Of L layers 4·H² + 2·H·F + 9·H + F, and the bare attention's 4·H² + 4·H of them.
    assert str(found.formula) == "L·(25·ffd + 684) + 13·V + 530"
    paths = [one.path for one in found.tensors]
    assert "Encoder-*-FeedForward.Encoder-*-FeedForward_W1" in paths
    assert "tf-keras" in found.evidence.versions


def refusal(name):
    from paramproof.derive.derive import NotDerived

    with pytest.raises(NotDerived, match="is not made: ValueError: ") as caught:
        derived(name)
    return str(caught.value)


@pytest.mark.framework("keras-jax", "keras-tensorflow", "keras-torch")
def test_a_layer_of_keras_that_has_seen_no_input():
    assert refusal("in_keras:unbuilt").endswith("is not built: dense has no weights yet")


@pytest.mark.framework("flax-linen")
def test_a_module_of_linen_without_variables():
    assert refusal("in_linen:unbuilt").endswith(" has no variables: give (module, variables)")
