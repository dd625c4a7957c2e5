"""Weights, values, outputs and gradients of an nnx module, whichever model it is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.jax_tracing import enable_x64
from paramproof.builders.names import NameTable, Storage
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


class NnxModel:
    """An nnx module, of arrays or of shapes.

    The module's attribute ``names``, if it has one, says what each weight holds.
    """

    def __init__(self, module: nnx.Module) -> None:
        self.module = module

    def weights(self) -> list[Weight]:
        """Return every ``nnx.Param`` once, by identity. All are trainable."""
        names: NameTable = getattr(self.module, "names", {})
        return [
            Weight(path, tuple(variable.get_value().shape), True, *names.get(path, Storage()))
            for path, variable in self._parameters().items()
        ]

    @property
    def dtype(self) -> DType:
        """The dtype of the first parameter."""
        return next(iter(self._parameters().values())).get_value().dtype.name

    def read(self) -> dict[str, Array]:
        """Return the array of every ``nnx.Param``, not copied, because arrays are immutable."""
        with self._precision():
            return {k: np.asarray(v.get_value()) for k, v in self._parameters().items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Set every ``nnx.Param``, whether it has a value or a shape, to another array."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with enable_x64(self.dtype == "float64"):
            for path, variable in self._parameters().items():
                variable.set_value(jnp.array(arrays[path]))

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass. In float64, too, nnx computes the attention's softmax in float32."""
        module: Any = self.module
        with self._precision():
            outputs = module(*map(jnp.asarray, inputs))
        return Outputs(**{k: None if v is None else np.asarray(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}

        def loss(module: Any) -> jax.Array:
            outputs = module(*map(jnp.asarray, inputs))
            return sum(jnp.sum(outputs[name] * by) for name, by in wanted.items())

        with self._precision():
            # Not under jit: single operations are compiled once for all models of their sizes.
            gradients = nnx.grad(loss)(self.module)
        leaves = nnx.to_flat_state(gradients)
        return {".".join(map(str, k)): np.asarray(v.get_value()) for k, v in leaves}

    def _precision(self) -> AbstractContextManager[None]:
        """Let JAX keep float64 inside, which it otherwise casts to float32."""
        parameters = self._parameters().values()
        require_allocated(all(isinstance(v.get_value(), jax.Array) for v in parameters))
        return enable_x64(self.dtype == "float64")

    def _parameters(self) -> dict[str, nnx.Param[Any]]:
        """Return the parameters by path. They are the module's own objects."""
        graph = nnx.iter_graph(self.module)
        parameters = ((path, node) for path, node in graph if isinstance(node, nnx.Param))
        return {".".join(map(str, path)): parameter for path, parameter in parameters}
