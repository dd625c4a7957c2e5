"""Flax nnx: ``nnx.MultiHeadAttention``, and all layers in one module with a leading axis.

The layers are made by ``nnx.vmap`` over split random keys and run by ``nnx.scan``, so that
each of their weights is one array, (L, …). Made under ``nnx.eval_shape``: shapes, no arrays.
Only an ``nnx.Param`` is a parameter; random keys and their counters are variables too.
"""

from __future__ import annotations

from typing import Literal

import jax.numpy as jnp
from flax import nnx

from paramproof.builders.arrays import by_family, has_family, require
from paramproof.builders.frameworks.flax_nnx.encoder import Encoder
from paramproof.builders.frameworks.flax_nnx.encoder_decoder import EncoderDecoder
from paramproof.builders.frameworks.flax_nnx.gpt import GPT
from paramproof.builders.frameworks.flax_nnx.llama import Llama
from paramproof.builders.frameworks.flax_nnx.model import NnxModel
from paramproof.builders.jax_tracing import Undrawn, Values, clear_caches_now_and_then, enable_x64
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "NnxModel", "build", "supports"]

FRAMEWORKS = {
    "flax-nnx": {
        "extra": "flax",
        "distributions": ("flax", "jax", "jaxlib"),
        "float32_steps": ("softmax",),
    }
}

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
) -> NnxModel:
    """Build the model with shapes, or with arrays if ``allocate``."""
    require(supports(spec))
    clear_caches_now_and_then()
    own, values = numerics or spec.original_numerics, Values(jnp.dtype(dtype), drawn=allocate)

    def module() -> nnx.Module:
        rngs = nnx.Rngs(0) if allocate else Undrawn()
        return MODULES[type(spec)](spec, own, values, rngs)

    with enable_x64(dtype == "float64"):
        return NnxModel(module() if allocate else nnx.eval_shape(module))
