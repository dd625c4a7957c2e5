"""If a framework changes a default, exactly the recorded answer for that default changes."""

import inspect
from functools import partial
from importlib import import_module

import pytest

from paramproof.builders.registry import framework
from paramproof.differences.answer import recorded
from paramproof.differences.ask import defaults

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


def with_default(monkeypatch, function, name, value):
    function = inspect.unwrap(function)
    if name in (function.__kwdefaults__ or {}):
        monkeypatch.setitem(function.__kwdefaults__, name, value)
        return
    parameters = inspect.signature(function).parameters.values()
    given = [p for p in parameters if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY]
    values = tuple(value if p.name == name else p.default for p in given)
    monkeypatch.setattr(function, "__defaults__", values)


def drifted(name):
    asked = defaults(framework(name), ["layer_norm_eps", "gelu"])
    return [cell.id for cell in asked if cell not in recorded()[1]]


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
