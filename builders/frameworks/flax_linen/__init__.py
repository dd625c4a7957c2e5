"""Flax linen: ``nn.MultiHeadDotProductAttention``, which splits the heads in its kernels.

A plain loop over the layers, initialised under ``jax.eval_shape``: shapes, no arrays. Only
the ``params`` collection holds parameters.
"""

from builders.frameworks.flax_linen.encoder import LinenModel, build, supports

FRAMEWORKS = {"flax-linen": {"extra": "flax", "distributions": ("flax", "jax", "jaxlib")}}

__all__ = ["LinenModel", "build", "supports"]
