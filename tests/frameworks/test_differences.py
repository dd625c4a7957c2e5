"""If a framework changes a default, exactly the cell for that default changes."""

import inspect
from functools import partial

import pytest

from docs.writers.differences import reference as differences
from paramproof.builders.registry import framework
from paramproof.differences.ask import defaults


def with_default(monkeypatch, function, name, value):
    """Change the default of ``function``'s parameter ``name``."""
    function = inspect.unwrap(function)
    if name in (function.__kwdefaults__ or {}):
        monkeypatch.setitem(function.__kwdefaults__, name, value)
        return
    parameters = inspect.signature(function).parameters.values()
    given = [p for p in parameters if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY]
    values = tuple(value if p.name == name else p.default for p in given)
    monkeypatch.setattr(function, "__defaults__", values)


def torch_norm(monkeypatch):
    from torch import nn

    with_default(monkeypatch, nn.LayerNorm.__init__, "eps", 1e-6)


def keras_norm(monkeypatch):
    from keras import layers

    with_default(monkeypatch, layers.LayerNormalization.__init__, "epsilon", 1e-6)


def linen_norm(monkeypatch):
    from flax import linen

    with_default(monkeypatch, linen.LayerNorm.__init__, "epsilon", 1e-5)


def nnx_norm(monkeypatch):
    from flax import nnx

    with_default(monkeypatch, nnx.LayerNorm.__init__, "epsilon", 1e-5)


def keras_bert_norm(monkeypatch):
    from keras_layer_normalization import LayerNormalization

    with_default(monkeypatch, LayerNormalization.__init__, "epsilon", 1e-6)


def hugging_face_norm(monkeypatch):
    from paramproof.differences.probes import transformers as probe

    # A configuration evaluates its defaults when the class is created.
    changed = partial(probe.BertConfig, layer_norm_eps=1e-6)
    monkeypatch.setattr(probe, "BertConfig", changed)


CHANGES = {
    "torch": torch_norm,
    "keras-jax": keras_norm,
    "keras-tensorflow": keras_norm,
    "keras-torch": keras_norm,
    "flax-linen": linen_norm,
    "flax-nnx": nnx_norm,
    "keras-bert": keras_bert_norm,
    "transformers": hugging_face_norm,
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.framework(name)) for name in CHANGES]
)
def test_a_changed_default_is_noticed(name, monkeypatch):
    def drifted():
        asked = defaults(framework(name), ["layer_norm_eps", "gelu"])
        return [cell.id for cell in asked if cell not in differences.cells()]

    assert drifted() == []
    CHANGES[name](monkeypatch)
    assert drifted() == [f"differences::{name}::layer_norm_eps"]
