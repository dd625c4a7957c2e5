"""Flax nnx: ``nnx.MultiHeadAttention``, and all layers in one module with a leading axis.

The layers are made by ``nnx.vmap`` over split random keys and run by ``nnx.scan``, so that
each of their weights is one array, (L, …). Made under ``nnx.eval_shape``: shapes, no arrays.
Only an ``nnx.Param`` is a parameter; random keys and their counters are variables too.
"""

from builders.frameworks.flax_nnx.encoder import NnxModel, build, supports

FRAMEWORKS = {"flax-nnx": {"extra": "flax", "distributions": ("flax", "jax", "jaxlib")}}

__all__ = ["NnxModel", "build", "supports"]
