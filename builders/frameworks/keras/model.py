"""Weights, outputs and gradients of a Keras model, on the backend of this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, TypeAlias

import keras

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.frameworks.keras.names import NUMBER
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight

BACKEND = keras.backend.backend()

# JAX alone makes float32 of every float64 it is not told to keep. Whatever a layer's dtype,
# Keras computes its norms in float32 on jax and torch, tanh on jax and matmul on torch;
# on tensorflow the constants of gelu and of the attention's scale are rounded to float32.
# Weights and most other steps do keep their float64.
Precision: TypeAlias = Callable[[bool], AbstractContextManager[Any]]
enable_x64: Precision = (
    import_module("paramproof.builders.jax_shell").enable_x64 if BACKEND == "jax" else nullcontext
)


class KerasModel:
    """Any built model or layer: its ``names``, if it has any, say what a variable holds."""

    def __init__(self, model: keras.Layer, *, allocated: bool) -> None:
        self.model = model
        self.names: NameTable = getattr(model, "names", {})
        self.allocated = allocated

    def weights(self) -> list[Weight]:
        """Return every weight once, by identity, with the moving statistics of a batch norm.

        The seeds of dropout and the variables of metrics are not weights, and are left out,
        as in Keras's own ``weights``. A frozen one (``trainable`` False) is listed as such.
        """
        trainable = {id(variable) for variable in self.model.trainable_weights}
        return [
            self._weight(_path(variable), tuple(variable.shape), id(variable) in trainable)
            for variable in self.model.weights
        ]

    @property
    def dtype(self) -> DType:
        """The dtype of the weights; the layers may compute in another one."""
        kind: Any = self.model.variable_dtype
        return kind

    def read(self) -> dict[str, Array]:
        """Return a copy of every weight."""
        with self._precision():
            numpy = keras.ops.convert_to_numpy
            return {_path(v): numpy(v).copy() for v in self.model.weights}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Assign to every weight. Only on JAX does a variable without a value accept one."""
        require_allocated(self.allocated or BACKEND == "jax")
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with enable_x64(self.dtype == "float64"):
            for variable in self.model.weights:
                # A copy: JAX may keep the array itself, PyTorch takes no negative stride.
                variable.assign(arrays[_path(variable)].copy())
        self.allocated = True

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass in inference mode."""
        with self._precision():
            arrays = map(keras.ops.convert_to_tensor, inputs)
            outputs: Any = self.model(*arrays, training=False)
            numpy = keras.ops.convert_to_numpy
            return Outputs(**{k: None if v is None else numpy(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        tensor = keras.ops.convert_to_tensor

        def loss(outputs: dict[str, Any]) -> Any:
            pairs = ((outputs[k], v) for k, v in cotangents._asdict().items() if v is not None)
            return sum(keras.ops.sum(output * tensor(by)) for output, by in pairs)

        with self._precision():
            arrays = list(map(tensor, inputs))
            gradients = GRADIENTS[BACKEND](self.model, arrays, loss)
            pairs = zip(self.model.trainable_weights, gradients, strict=True)
            numpy = keras.ops.convert_to_numpy
            return {_path(k): numpy(v) for k, v in pairs if v is not None}

    def _weight(self, path: str, shape: tuple[int, ...], trainable: bool) -> Weight:
        return Weight(path, shape, trainable, *storage_of(self.names, path, NUMBER))

    def _precision(self) -> AbstractContextManager[Any]:
        require_allocated(self.allocated)
        return enable_x64(self.dtype == "float64")


def _jax_gradients(model: keras.Model, arrays: list[Any], loss: Callable[..., Any]) -> list[Any]:
    import jax

    def stateless(trainable: list[Any]) -> Any:
        fixed = [variable.value for variable in model.non_trainable_variables]
        return loss(model.stateless_call(trainable, fixed, *arrays)[0])

    # Not under jit: single operations are compiled once for all models of their sizes.
    return jax.grad(stateless)([v.value for v in model.trainable_weights])


def _tensorflow_gradients(
    model: keras.Model, arrays: list[Any], loss: Callable[..., Any]
) -> list[Any]:
    import tensorflow as tf

    variables = [variable.value for variable in model.trainable_weights]
    with tf.GradientTape() as tape:
        total = loss(model(*arrays, training=False))
    gradients = tape.gradient(total, variables)
    # A table's gradient is a list of its rows.
    return [None if g is None else tf.convert_to_tensor(g) for g in gradients]


def _torch_gradients(model: keras.Model, arrays: list[Any], loss: Callable[..., Any]) -> list[Any]:
    import torch

    variables = [variable.value for variable in model.trainable_weights]
    total = loss(model(*arrays, training=False))
    return list(torch.autograd.grad(total, variables, allow_unused=True))


GRADIENTS = {
    "jax": _jax_gradients,
    "tensorflow": _tensorflow_gradients,
    "torch": _torch_gradients,
}


def _path(variable: keras.Variable) -> str:
    """Return the path without the name of the model, with which it begins."""
    return variable.path.partition("/")[2]
