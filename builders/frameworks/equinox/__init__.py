"""Equinox: ``eqx.nn.MultiheadAttention``, in a list of layers; a model is a tree of arrays.

Equinox runs one token, or one sequence, at a time, and ``jax.vmap`` adds the other axes. It has no
class for parameters: every inexact array of the tree is one, and trainable. ``eqx.nn.Shared`` ties
two places of a tree, and leaves one array in it. A Linear stores its weight as (out, in). Models
are built under ``eqx.filter_eval_shape``, which returns shapes and allocates nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.builders.arrays import by_family, has_family, require
from paramproof.builders.frameworks.equinox.encoder import Encoder
from paramproof.builders.frameworks.equinox.encoder_decoder import EncoderDecoder
from paramproof.builders.frameworks.equinox.gpt import GPT
from paramproof.builders.frameworks.equinox.layers import Drawing
from paramproof.builders.frameworks.equinox.llama import Llama
from paramproof.builders.frameworks.equinox.model import EquinoxModel, live_weights
from paramproof.builders.jax_tracing import clear_caches_now_and_then, enable_x64
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "EquinoxModel", "build", "build_abstractly", "live_weights", "supports"]

FRAMEWORKS = {
    "equinox": {
        "extra": "equinox",
        "distributions": ("equinox", "jax", "jaxlib"),
        "model_packages": {"equinox": "Equinox"},
    }
}

MODULES = by_family(Encoder, EncoderDecoder, GPT, Llama)


def supports(spec: Spec) -> Literal[True] | str:
    """Return True for every model of these families, and otherwise a reason."""
    return has_family("equinox", MODULES, spec)


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> EquinoxModel:
    """Build the model with shapes, or with arrays if ``allocate``."""
    require(supports(spec))
    clear_caches_now_and_then()
    kind, own = MODULES[type(spec)], numerics or spec.original_numerics
    ties = kind.ties(spec)

    def module() -> eqx.Module:
        whole = kind(spec, own, Drawing(jnp.dtype(dtype), drawn=allocate))
        if not ties:
            return whole
        return eqx.nn.Shared(whole, where=attrgetter(*ties), get=attrgetter(*ties.values()))

    with enable_x64(dtype == "float64"):
        return EquinoxModel(module() if allocate else eqx.filter_eval_shape(module))


def build_abstractly(make: Callable[[], Any]) -> Any:
    """Return the module that ``make`` returns, with shapes in place of arrays.

    A model without arrays of JAX, of another framework in the same process, is returned as it is.
    """
    others: list[Any] = []

    def arrays() -> Any:
        made = make()
        if any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(made)):
            return made
        others.append(made)
        return None

    shapes = eqx.filter_eval_shape(arrays)
    return others[0] if others else shapes
