"""If a framework changes a default, exactly the cell for that default changes.

A framework may have such a test in the file of its traps instead.
"""

from functools import partial

import pytest

from tests.frameworks.changed_defaults import drifted, with_default


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
    assert drifted(name) == []
    CHANGES[name](monkeypatch)
    assert drifted(name) == [f"differences::{name}::layer_norm_eps"]
