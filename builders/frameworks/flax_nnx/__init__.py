"""Flax nnx: ``nnx.MultiHeadAttention``, and all layers in one module with a leading axis.

The layers are made by ``nnx.vmap`` over split random keys and run by ``nnx.scan``, so that
each of their weights is one array, (L, …). Made under ``nnx.eval_shape``: shapes, no arrays.
Only an ``nnx.Param`` is a parameter; random keys and their counters are variables too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from paramproof.builders.frameworks.flax_nnx.models import MODULES
from paramproof.builders.jax_shell import (
    JaxModel,
    Undrawn,
    Values,
    clear_caches_now_and_then,
    enable_x64,
)
from paramproof.builders.protocol import Array, DType
from paramproof.builders.shell import shell
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "NnxModel", "build", "supports"]

FRAMEWORKS = {
    "flax-nnx": {
        "extra": "flax",
        "distributions": ("flax", "jax", "jaxlib"),
        "float32_steps": ("softmax",),
    }
}


def make(kind: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType) -> NnxModel:
    """Build the model with shapes, or with arrays if ``allocate``."""
    clear_caches_now_and_then()
    values = Values(jnp.dtype(dtype), drawn=allocate)

    def module() -> nnx.Module:
        return kind(spec, numerics, values=values, rngs=nnx.Rngs(0) if allocate else Undrawn())

    with enable_x64(dtype == "float64"):
        return NnxModel(module() if allocate else nnx.eval_shape(module))


supports, build = shell("flax", MODULES, make)


class NnxModel(JaxModel):
    """An nnx module, of arrays or of shapes. Its attribute ``names``, if any, says what it holds.

    In float64, too, nnx computes the attention's softmax in float32.
    """

    def __init__(self, module: nnx.Module) -> None:
        self.module = module
        self.names = getattr(module, "names", {})

    def stored(self) -> list[Weight]:
        """Return every ``nnx.Param`` once, by identity. All are trainable."""
        return [Weight(path, tuple(array.shape), True) for path, array in self.arrays().items()]

    def arrays(self) -> dict[str, Any]:
        return {path: parameter.get_value() for path, parameter in self._parameters().items()}

    def assign(self, arrays: Mapping[str, Array]) -> None:
        for path, variable in self._parameters().items():
            variable.set_value(self.tensor(arrays[path]))

    def outputs(self, *inputs: jax.Array) -> dict[str, Any]:
        return self.module(*inputs)

    def gradient(self, loss: Callable[[Any], Any], *inputs: jax.Array) -> dict[str, jax.Array]:
        # Not under jit: single operations are compiled once for all models of their sizes.
        found = nnx.grad(lambda module: loss(module(*inputs)))(self.module)
        return {".".join(map(str, k)): v.get_value() for k, v in nnx.to_flat_state(found)}

    def _parameters(self) -> dict[str, nnx.Param[Any]]:
        """Return the parameters by path. They are the module's own objects."""
        graph = nnx.iter_graph(self.module)
        parameters = ((path, node) for path, node in graph if isinstance(node, nnx.Param))
        return {".".join(map(str, path)): parameter for path, parameter in parameters}
