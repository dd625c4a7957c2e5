"""Weights, values, outputs and gradients of a linen module, whichever model it is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from flax.traverse_util import flatten_dict, unflatten_dict

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.frameworks.flax_linen.names import NUMBER
from paramproof.builders.jax_tracing import enable_x64
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


class LinenModel:
    """A linen module with its variables, as arrays or as shapes.

    The module's attribute ``names``, if it has one, says what each weight holds.
    """

    def __init__(self, module: nn.Module, variables: Mapping[str, Any]) -> None:
        self.module = module
        self.variables = variables

    def weights(self) -> list[Weight]:
        """Return every leaf of the ``params`` collection. All are trainable, and none is shared."""
        names: NameTable = getattr(self.module, "names", {})
        leaves = self._leaves().items()
        return [
            Weight(path, tuple(x.shape), True, *storage_of(names, path, NUMBER))
            for path, x in leaves
        ]

    @property
    def dtype(self) -> DType:
        """The dtype of the first leaf."""
        return next(iter(self._leaves().values())).dtype.name

    def read(self) -> dict[str, Array]:
        """Return every leaf of the ``params`` collection. None is copied: they are immutable."""
        with self._precision():
            return {path: np.asarray(leaf) for path, leaf in self._leaves().items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Replace the ``params`` collection, values or shapes, by one with ``arrays``."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with enable_x64(self.dtype == "float64"):
            leaves = {path: jnp.array(arrays[path]) for path in self._leaves()}
        self.variables = {**self.variables, "params": unflatten_dict(leaves, sep="/")}

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass."""
        with self._precision():
            outputs: Any = self.module.apply(self.variables, *map(jnp.asarray, inputs))
        return Outputs(**{k: None if v is None else np.asarray(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}

        def loss(params: Any) -> jax.Array:
            outputs: Any = self.module.apply({"params": params}, *map(jnp.asarray, inputs))
            return sum(jnp.sum(outputs[name] * by) for name, by in wanted.items())

        with self._precision():
            # Not under jit: single operations are compiled once for all models of their sizes.
            gradients = jax.grad(loss)(self.variables["params"])
        return {k: np.asarray(v) for k, v in flatten_dict(gradients, sep="/").items()}

    def _precision(self) -> AbstractContextManager[None]:
        """Let JAX keep float64 inside, which it otherwise casts to float32."""
        require_allocated(all(isinstance(leaf, jax.Array) for leaf in self._leaves().values()))
        return enable_x64(self.dtype == "float64")

    def _leaves(self) -> dict[str, Any]:
        return flatten_dict(self.variables["params"], sep="/")
