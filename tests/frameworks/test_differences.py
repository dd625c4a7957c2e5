"""If a framework changes a default, exactly the recorded answer for that default changes."""

from functools import partial
from importlib import import_module

import pytest

from tests.frameworks.changed_defaults import drifted, with_default

KERAS = ("keras.layers", "LayerNormalization", "epsilon", 1e-6)
NORMS = {
    "equinox": ("equinox.nn", "LayerNorm", "eps", 1e-6),
    "flax-linen": ("flax.linen", "LayerNorm", "epsilon", 1e-5),
    "flax-nnx": ("flax.nnx", "LayerNorm", "epsilon", 1e-5),
    "keras-bert": ("keras_layer_normalization", "LayerNormalization", "epsilon", 1e-6),
    "keras-jax": KERAS,
    "keras-tensorflow": KERAS,
    "keras-torch": KERAS,
    "mlx": ("mlx.nn", "LayerNorm", "eps", 1e-6),
    "paddle": ("paddle.nn", "LayerNorm", "epsilon", 1e-6),
    "torch": ("torch.nn", "LayerNorm", "eps", 1e-6),
}
"""The module and class of a framework's layer norm, the default, and another one."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.framework(name)) for name in (*NORMS, "transformers")],
)
def test_a_changed_default_is_noticed(name, monkeypatch):
    assert drifted(name) == []
    if name in NORMS:
        module, norm, parameter, other = NORMS[name]
        with_default(monkeypatch, getattr(import_module(module), norm).__init__, parameter, other)
    else:
        # A configuration evaluates its defaults when the class is created.
        probe = import_module("paramproof.differences.probes.transformers")
        monkeypatch.setattr(probe, "BertConfig", partial(probe.BertConfig, layer_norm_eps=1e-6))
    assert drifted(name) == [f"differences::{name}::layer_norm_eps"]
