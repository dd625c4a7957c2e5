"""What Flax and Equinox share, since JAX is below both: values, precision, and faster traces.

Models get their shapes from a trace. A random initialiser is a dozen operations that JAX traces
again for each shape, which takes over half of the time of an abstract model. Without allocation
nothing has to be random, so the layers get an initialiser that fills with zeros. The layers still
choose its shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from paramproof.builders import composition
from paramproof.builders.protocol import Array
from paramproof.builders.shell import Model

BUILDS_BETWEEN_CLEARING = 64
"""JAX keeps every trace, but clearing at each build would double the time of small models."""

enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
"""Keep float64, which JAX otherwise turns into float32. The name is that of JAX 0.8."""

_builds = 0

Activation = Callable[[jax.Array], jax.Array]
ACTIVATIONS: dict[str, Activation] = {
    "gelu": partial(jax.nn.gelu, approximate=False),
    "gelu_new": partial(jax.nn.gelu, approximate=True),
    "relu": jax.nn.relu,
    "silu": jax.nn.silu,
}


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
        return {"dtype": self.dtype, "param_dtype": self.dtype}

    @cached_property
    def dense(self) -> dict[str, Any]:
        return self.norm if self.drawn else {**self.norm, "kernel_init": jax.nn.initializers.zeros}

    @cached_property
    def table(self) -> dict[str, Any]:
        own = self.norm
        return own if self.drawn else {**own, "embedding_init": jax.nn.initializers.zeros}


class JaxModule(composition.Operations):
    """The base of composed models in a framework on JAX: how they run, with JAX's operations."""

    arange = staticmethod(jnp.arange)
    tanh = staticmethod(jnp.tanh)
    softmax = staticmethod(jax.nn.softmax)
    run: Callable[..., Any]

    def __call__(self, *inputs: jax.Array) -> Any:
        return self.run(*inputs)

    def attend(self, words: Any, x: jax.Array) -> Any:
        return words.attend(x)

    def constant(self, array: Array, like: jax.Array) -> jax.Array:
        return jnp.asarray(array, like.dtype)


def rotated(x: jax.Array, theta: float) -> jax.Array:
    """Turn features i and i + K/2 of ``x`` (…, S, heads, K) by their position, as a pair."""
    angles = composition.rotary_angles(x.shape[-3], x.shape[-1], theta)[:, None, :]
    cos, sin = (jnp.asarray(turn(angles), x.dtype) for turn in (np.cos, np.sin))
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def clear_caches_now_and_then() -> None:
    """Count a build, and clear JAX's traces after every ``BUILDS_BETWEEN_CLEARING`` builds."""
    global _builds
    _builds += 1
    if _builds % BUILDS_BETWEEN_CLEARING == 0:
        jax.clear_caches()


class JaxModel(Model):
    """A model whose arrays are JAX's, or shapes."""

    @property
    def allocated(self) -> bool:
        return all(isinstance(leaf, jax.Array) for leaf in self.arrays().values())

    def computing(self) -> AbstractContextManager[None]:
        """Let JAX keep float64 inside, which it otherwise casts to float32."""
        context: AbstractContextManager[None] = enable_x64(self.dtype == "float64")
        return context

    def tensor(self, array: Array) -> jax.Array:
        return jnp.array(array)

    def array(self, tensor: jax.Array) -> Array:
        # Not copied, because JAX's arrays are immutable.
        return np.asarray(tensor)
