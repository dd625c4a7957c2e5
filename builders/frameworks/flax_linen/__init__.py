"""Flax linen: ``nn.MultiHeadDotProductAttention``, which splits the heads in its kernels.

A plain loop over the layers, initialised under ``jax.eval_shape``: shapes, no arrays. Only
the ``params`` collection holds parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn
from flax.traverse_util import flatten_dict, unflatten_dict

from paramproof.builders.frameworks.flax_linen.models import MODULES
from paramproof.builders.jax_shell import JaxModel, Values, clear_caches_now_and_then, enable_x64
from paramproof.builders.names import NUMBER_AFTER_BAR
from paramproof.builders.protocol import Array, DType
from paramproof.builders.shell import shell
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, Numerics, Spec

__all__ = ["FRAMEWORKS", "LinenModel", "build", "supports"]

FRAMEWORKS = {"flax-linen": {"extra": "flax", "distributions": ("flax", "jax", "jaxlib")}}


IDS = (jnp.int32,)
INPUTS = {
    EncoderSpec: (jnp.int32, jnp.int32, jnp.bool_),
    EncoderDecoderSpec: (jnp.int32, jnp.bool_, jnp.int32),
}
"""The dtypes of the inputs, if they are not just ids: linen makes parameters in a forward pass."""


def make(kind: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType) -> LinenModel:
    """Build the model with shapes, or with arrays if ``allocate``."""
    clear_caches_now_and_then()
    values = Values(jnp.dtype(dtype), drawn=allocate)
    module = kind(kind.parts(spec, numerics, values=values))
    inputs = [jax.ShapeDtypeStruct((1, 1), kind) for kind in INPUTS.get(type(spec), IDS)]
    with enable_x64(dtype == "float64"):
        if allocate:
            # This computes only the part of the forward pass that parameters need.
            variables = module.lazy_init(jax.random.key(0), *inputs)
        else:
            key = jax.eval_shape(lambda: jax.random.key(0))
            variables = jax.eval_shape(module.init, key, *inputs)
    return LinenModel(module, variables)


supports, build = shell("flax", MODULES, make)


class LinenModel(JaxModel):
    """A linen module with its variables, as arrays or as shapes.

    The module's attribute ``names``, if it has one, says what each weight holds.
    """

    number = NUMBER_AFTER_BAR

    def __init__(self, module: nn.Module, variables: Mapping[str, Any]) -> None:
        self.module = module
        self.variables = variables
        self.names = getattr(module, "names", {})

    def stored(self) -> list[Weight]:
        """Return every leaf of the ``params`` collection. All are trainable, and none is shared."""
        return [Weight(path, tuple(leaf.shape), True) for path, leaf in self.arrays().items()]

    def arrays(self) -> dict[str, Any]:
        return flatten_dict(self.variables["params"], sep="/")

    def assign(self, arrays: Mapping[str, Array]) -> None:
        leaves = {path: self.tensor(arrays[path]) for path in self.arrays()}
        self.variables = {**self.variables, "params": unflatten_dict(leaves, sep="/")}

    def outputs(self, *inputs: jax.Array) -> dict[str, Any]:
        return self.module.apply(self.variables, *inputs)

    def gradient(self, loss: Callable[[Any], Any], *inputs: jax.Array) -> dict[str, jax.Array]:
        def of_params(params: Any) -> jax.Array:
            return loss(self.module.apply({"params": params}, *inputs))

        # Not under jit: single operations are compiled once for all models of their sizes.
        return flatten_dict(jax.grad(of_params)(self.variables["params"]), sep="/")
