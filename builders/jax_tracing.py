"""Speed up JAX's traces, from which Flax gets the shapes of an abstract model.

A random initialiser is a dozen operations that JAX traces again for each shape, which takes over
half of the time of an abstract model. Without allocation nothing has to be random, so the layers
get an initialiser that fills with zeros. The layers still choose its shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax

BUILDS_BETWEEN_CLEARING = 64
"""JAX keeps every trace, but clearing at each build would double the time of small models."""

enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
"""Keep float64, which JAX otherwise turns into float32. The name is that of JAX 0.8."""

_builds = 0


@jax.tree_util.register_static
@dataclass(frozen=True)
class Undrawn:
    """A replacement for ``nnx.Rngs`` without random keys, whose splitting would be traced too."""

    def params(self) -> None:
        """Return no key, for an initialiser that needs none."""


@dataclass(frozen=True)
class Values:
    """The initial values of parameters: their ``dtype``, and whether they are ``drawn`` at random.

    ``dense``, ``table`` and ``norm`` are the options for layers of these kinds. They also set the
    dtype of computations.
    """

    dtype: Any
    drawn: bool

    @cached_property
    def norm(self) -> dict[str, Any]:
        """The options of norms, which start with ones and zeros."""
        return {"dtype": self.dtype, "param_dtype": self.dtype}

    @cached_property
    def dense(self) -> dict[str, Any]:
        """The options of dense layers, whose kernels are random."""
        return self.norm if self.drawn else {**self.norm, "kernel_init": jax.nn.initializers.zeros}

    @cached_property
    def table(self) -> dict[str, Any]:
        """The options of embeddings, whose tables are random."""
        own = self.norm
        return own if self.drawn else {**own, "embedding_init": jax.nn.initializers.zeros}


def clear_caches_now_and_then() -> None:
    """Count a build, and clear JAX's traces after every ``BUILDS_BETWEEN_CLEARING`` builds."""
    global _builds
    _builds += 1
    if _builds % BUILDS_BETWEEN_CLEARING == 0:
        jax.clear_caches()
