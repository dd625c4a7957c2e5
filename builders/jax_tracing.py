"""JAX's traces, by which Flax makes a model's shapes: what is left out of them, and what is kept.

An initialiser that draws is a dozen operations, traced anew for each shape: over half of the time
that an abstract model takes. Where nothing is allocated nothing need be drawn, and the layers are
given one that fills with zeros. The shape that it is asked for is the layer's own as ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax

BUILDS_BETWEEN_CLEARING = 64
"""JAX keeps every trace; clearing at each build would double the time of small ones."""

enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
"""Keeps float64, which JAX makes float32 of otherwise; named so since JAX 0.8."""

_builds = 0


@jax.tree_util.register_static
@dataclass(frozen=True)
class Undrawn:
    """In place of ``nnx.Rngs`` where nothing is drawn: to split and count keys is a trace too."""

    def params(self) -> None:
        """Return no key, for an initialiser that needs none."""


@dataclass(frozen=True)
class Values:
    """What parameters hold: numbers of ``dtype``, ``drawn`` at random or not.

    ``dense``, ``table`` and ``norm`` are the options for layers of these kinds, by which they
    compute in ``dtype`` too.
    """

    dtype: Any
    drawn: bool

    @cached_property
    def norm(self) -> dict[str, Any]:
        """A norm begins with ones and zeros: nothing is drawn."""
        return {"dtype": self.dtype, "param_dtype": self.dtype}

    @cached_property
    def dense(self) -> dict[str, Any]:
        """A bias begins with zeros, a kernel is drawn."""
        return self.norm if self.drawn else {**self.norm, "kernel_init": jax.nn.initializers.zeros}

    @cached_property
    def table(self) -> dict[str, Any]:
        """A table is drawn."""
        own = self.norm
        return own if self.drawn else {**own, "embedding_init": jax.nn.initializers.zeros}


def clear_caches_now_and_then() -> None:
    """Count a build, and let JAX forget all traces after so many of them."""
    global _builds
    _builds += 1
    if _builds % BUILDS_BETWEEN_CLEARING == 0:
        jax.clear_caches()
