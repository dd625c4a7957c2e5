"""Flax linen: ``nn.MultiHeadDotProductAttention``, which splits the heads in its kernels.

A plain loop over the layers, initialised under ``jax.eval_shape``: shapes, no arrays. Only
the ``params`` collection holds parameters.
"""

from __future__ import annotations

from typing import Literal

import jax
import jax.numpy as jnp

from paramproof.builders.arrays import by_family, has_family, require
from paramproof.builders.frameworks.flax_linen.encoder import Encoder
from paramproof.builders.frameworks.flax_linen.encoder_decoder import EncoderDecoder
from paramproof.builders.frameworks.flax_linen.gpt import GPT
from paramproof.builders.frameworks.flax_linen.llama import Llama
from paramproof.builders.frameworks.flax_linen.model import LinenModel
from paramproof.builders.jax_tracing import Values, clear_caches_now_and_then, enable_x64
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "LinenModel", "build", "supports"]

FRAMEWORKS = {"flax-linen": {"extra": "flax", "distributions": ("flax", "jax", "jaxlib")}}

MODULES = by_family(Encoder, EncoderDecoder, GPT, Llama)


def supports(spec: Spec) -> Literal[True] | str:
    """Return True for every model of these families, and otherwise a reason."""
    return has_family("flax", MODULES, spec)


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> LinenModel:
    """Build the model with shapes, or with arrays if ``allocate``."""
    require(supports(spec))
    clear_caches_now_and_then()
    values = Values(jnp.dtype(dtype), drawn=allocate)
    module = MODULES[type(spec)](spec, numerics or spec.original_numerics, values)
    inputs = [jax.ShapeDtypeStruct((1, 1), kind) for kind in module.inputs]
    with enable_x64(dtype == "float64"):
        if allocate:
            # This computes only the part of the forward pass that parameters need.
            variables = module.lazy_init(jax.random.key(0), *inputs)
        else:
            key = jax.eval_shape(lambda: jax.random.key(0))
            variables = jax.eval_shape(module.init, key, *inputs)
    return LinenModel(module, variables)
