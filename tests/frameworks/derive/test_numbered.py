"""Layers that are named by a number and by text, as torchvision names those of its encoder."""

import pytest

from tests.frameworks.derive.deriving import count, derived

pytestmark = pytest.mark.framework("torch")


def paths(derivation):
    return {tensor.path for tensor in derivation.tensors if tensor.path.endswith("weight")}


def test_layers_vary_and_single_layers_keep_their_names():
    found = derived("numbered:encoder")
    assert str(found.formula) == "L·(H² + H) + 2·H"
    assert found.fixed == ()
    assert paths(found) == {"layers.encoder_layer_*.weight", "norm1.weight"}
    assert found.count({"H": 24, "L": 40}) == count(
        "numbered:encoder", hidden_size=24, num_layers=40
    )


def test_layers_in_layers():
    found = derived("numbered:stages")
    assert found.fixed == ()
    assert paths(found) == {"stage*.block_*.fc1.weight", "stage*.block_*.fc2.weight"}
    sizes = {"hidden_size": 24, "num_stages": 5, "depth": 7}
    at = {name: sizes[field] for name, field in found.fields.items()}
    assert found.count(at) == count("numbered:stages", **sizes)
