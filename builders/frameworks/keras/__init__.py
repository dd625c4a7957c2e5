"""Keras 3, on JAX, TensorFlow or PyTorch: layers that split the heads in their kernels.

Which of the three is Keras's own choice, made once in a process from ``KERAS_BACKEND``. The
layers are built by ``build`` alone, within ``StatelessScope(initialize_variables=False)``,
where a variable has a shape and an initialiser that nobody runs, unless its value is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, TypeAlias

import keras

from paramproof.builders.frameworks.keras.models import MODULES
from paramproof.builders.names import NUMBER_AFTER_BAR
from paramproof.builders.protocol import Array, DType, FrameworkUnavailable
from paramproof.builders.shell import Model, Supported, shell
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import LlamaSpec, Numerics, Spec

__all__ = ["FRAMEWORKS", "KerasModel", "build", "supports"]

FRAMEWORKS = {
    "keras-jax": {
        "extra": "keras-jax",
        "distributions": ("keras", "jax"),
        "environment": {"KERAS_BACKEND": "jax"},
        "float32_steps": ("layer_norm", "rms_norm", "softmax", "tanh"),
    },
    "keras-tensorflow": {
        "extra": "keras-tensorflow",
        "distributions": ("keras", "tensorflow"),
        "environment": {"KERAS_BACKEND": "tensorflow"},
        "float32_steps": ("gelu", "gelu_new", "scale"),
    },
    "keras-torch": {
        "extra": "keras-torch",
        "distributions": ("keras", "torch"),
        "environment": {"KERAS_BACKEND": "torch"},
        # Its matmul returns float32, so attention is computed in float32; the projections use
        # einsum, which is not affected.
        "float32_steps": (
            "attention",
            "scale",
            "softmax",
            "decoder",
            "layer_norm",
            "linear",
            "rms_norm",
        ),
    },
}

BACKEND = keras.backend.backend()

# JAX alone makes float32 of every float64 it is not told to keep. Whatever a layer's dtype,
# Keras computes its norms in float32 on jax and torch, tanh on jax and matmul on torch;
# on tensorflow the constants of gelu and of the attention's scale are rounded to float32.
# Weights and most other steps do keep their float64.
Precision: TypeAlias = Callable[[bool], AbstractContextManager[Any]]
enable_x64: Precision = (
    import_module("paramproof.builders.jax_shell").enable_x64 if BACKEND == "jax" else nullcontext
)


def limits(spec: Spec) -> Supported:
    """Return True, but LLaMA's norms need Keras 3.9."""
    if isinstance(spec, LlamaSpec) and not hasattr(keras.layers, "RMSNormalization"):
        return f"Keras {keras.__version__} has no RMSNormalization, and 3.9 has one for LLaMA"
    return True


def make(kind: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType) -> KerasModel:
    """Build the model with shapes, or with arrays if ``allocate``."""

    def built(scope: AbstractContextManager[Any]) -> keras.Model:
        with scope:
            model = kind(spec, numerics, dtype)
            model.build()
        return model

    if allocate:
        return KerasModel(built(enable_x64(dtype == "float64")), allocated=True)
    # Keras lists the variables without a value, and the next stateless scope to end, whoever
    # opened it, allocates them all. The list is a thread's and goes when that does;
    # clear_session would empty it too, and with it the caller's dtype policy.
    scope = keras.StatelessScope(initialize_variables=False)
    with ThreadPoolExecutor(max_workers=1) as passing:
        return KerasModel(passing.submit(built, scope).result(), allocated=False)


supports, build = shell("keras", MODULES, make, limits)


class KerasModel(Model):
    """Any built model or layer: its ``names``, if it has any, say what a variable holds."""

    number = NUMBER_AFTER_BAR
    # Only on JAX does a variable without a value accept one.
    write_allocates = BACKEND == "jax"
    allocated = False

    def __init__(self, model: keras.Layer, *, allocated: bool) -> None:
        self.model = model
        self.names = getattr(model, "names", {})
        self.allocated = allocated

    def stored(self) -> list[Weight]:
        """Return every weight once, by identity, with the moving statistics of a batch norm.

        The seeds of dropout and the variables of metrics are not weights, and are left out,
        as in Keras's own ``weights``. A frozen one (``trainable`` False) is listed as such.
        """
        trainable = {id(variable) for variable in self.model.trainable_weights}
        return [
            Weight(path, tuple(variable.shape), id(variable) in trainable)
            for path, variable in self.arrays().items()
        ]

    def arrays(self) -> dict[str, keras.Variable]:
        return {_path(variable): variable for variable in self.model.weights}

    @property
    def dtype(self) -> DType:
        """The dtype of the weights; the layers may compute in another one."""
        kind: Any = self.model.variable_dtype
        return kind

    def assign(self, arrays: Mapping[str, Array]) -> None:
        for path, variable in self.arrays().items():
            # A copy: JAX may keep the array itself, PyTorch takes no negative stride.
            variable.assign(arrays[path].copy())
        self.allocated = True

    def outputs(self, *inputs: Any) -> dict[str, Any]:
        return self.model(*inputs, training=False)

    def gradient(self, loss: Callable[[Any], Any], *inputs: Any) -> dict[str, Any]:
        found = GRADIENTS[BACKEND](self.model, inputs, loss)
        pairs = zip(self.model.trainable_weights, found, strict=True)
        return {_path(variable): gradient for variable, gradient in pairs if gradient is not None}

    def tensor(self, array: Array) -> Any:
        return keras.ops.convert_to_tensor(array)

    def array(self, tensor: Any) -> Array:
        return keras.ops.convert_to_numpy(tensor).copy()

    def computing(self) -> AbstractContextManager[Any]:
        return enable_x64(self.dtype == "float64")

    def total(self, tensor: Any) -> Any:
        return keras.ops.sum(tensor)


def _path(variable: keras.Variable) -> str:
    """Return the path without the name of the model, with which it begins."""
    return variable.path.partition("/")[2]


def _jax_gradients(model: keras.Model, arrays: Any, loss: Callable[..., Any]) -> list[Any]:
    import jax

    def stateless(trainable: list[Any]) -> Any:
        fixed = [variable.value for variable in model.non_trainable_variables]
        return loss(model.stateless_call(trainable, fixed, *arrays)[0])

    # Not under jit: single operations are compiled once for all models of their sizes.
    return jax.grad(stateless)([v.value for v in model.trainable_weights])


def _tensorflow_gradients(model: keras.Model, arrays: Any, loss: Callable[..., Any]) -> list[Any]:
    import tensorflow as tf

    variables = [variable.value for variable in model.trainable_weights]
    with tf.GradientTape() as tape:
        total = loss(model(*arrays, training=False))
    gradients = tape.gradient(total, variables)
    # A table's gradient is a list of its rows.
    return [None if g is None else tf.convert_to_tensor(g) for g in gradients]


def _torch_gradients(model: keras.Model, arrays: Any, loss: Callable[..., Any]) -> list[Any]:
    import torch

    variables = [variable.value for variable in model.trainable_weights]
    total = loss(model(*arrays, training=False))
    return list(torch.autograd.grad(total, variables, allow_unused=True))


GRADIENTS = {
    "jax": _jax_gradients,
    "tensorflow": _tensorflow_gradients,
    "torch": _torch_gradients,
}


if os.environ.get("KERAS_BACKEND", BACKEND) != BACKEND:
    # Keras was imported before the variable was set: one backend under another's name.
    raise FrameworkUnavailable(f"keras already runs on {BACKEND}: set KERAS_BACKEND before it does")
if BACKEND not in GRADIENTS:
    # NumPy's backend builds, and stores and computes nothing as a framework's does.
    backends = ", ".join(GRADIENTS)
    raise FrameworkUnavailable(f"keras runs on {BACKEND}: KERAS_BACKEND is to be one of {backends}")
