"""Weights, values, outputs and gradients of an Equinox module, whichever model it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import tree_flatten_with_path, tree_map_with_path

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.frameworks.equinox.names import NUMBER
from paramproof.builders.jax_tracing import enable_x64
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


class EquinoxModel:
    """An Equinox module, of arrays or of shapes, or an ``eqx.nn.Shared`` of one.

    What its weights hold is said by the module's ``names``, if it has such an attribute.
    """

    def __init__(self, module: eqx.Module) -> None:
        self.module = module

    def weights(self) -> list[Weight]:
        """Every inexact array of the tree, once. All are trainable, but for initial states."""
        names: NameTable = getattr(_inner(self.module), "names", {})
        return [_named(weight, names) for weight in live_weights(self.module)]

    @property
    def dtype(self) -> DType:
        """That of the first array."""
        return next(iter(_parameters(self.module).values())).dtype.name

    def read(self) -> dict[str, Array]:
        """Every inexact array. They are immutable: none is copied."""
        with self._precision():
            return {path: np.asarray(leaf) for path, leaf in _parameters(self.module).items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Another module, of ``arrays``, in place of the values or the shapes of this one."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with enable_x64(self.dtype == "float64"):
            self.module = tree_map_with_path(
                lambda path, leaf: jnp.array(arrays[_path(path)]) if _is_inexact(leaf) else leaf,
                self.module,
            )

    def run(self, *inputs: Array) -> Outputs:
        """A forward pass of every sequence by itself."""
        with self._precision():
            outputs = _run(self.module, inputs)
        return Outputs(**{k: None if v is None else np.asarray(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``."""
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}

        def loss(module: Any) -> jax.Array:
            outputs = _run(module, inputs)
            return sum(jnp.sum(outputs[name] * by) for name, by in wanted.items())

        with self._precision():
            # Not under jit: single operations are compiled once for all models of their sizes.
            gradients = eqx.filter_grad(loss)(self.module)
        return {path: np.asarray(leaf) for path, leaf in _parameters(gradients).items()}

    def _precision(self) -> AbstractContextManager[None]:
        """JAX makes float32 of every float64 it is not told to keep."""
        leaves = _parameters(self.module).values()
        require_allocated(all(isinstance(leaf, jax.Array) for leaf in leaves))
        return enable_x64(self.dtype == "float64")


def live_weights(model: Any) -> list[Weight]:
    """Every inexact array of any Equinox module, once; the places of a shared one are aliases.

    Equinox has no notion of a trainable array. An initial state, which is trained by nobody, is in
    the module only until ``eqx.nn.make_with_state`` moves it out. A layer that is in two places
    without ``eqx.nn.Shared`` is two layers, with two gradients.

    Raises ``ValueError`` for what is not a module, as a state.
    """
    if not isinstance(model, eqx.Module):
        raise ValueError(f"{type(model).__name__} is not an eqx.Module")
    found: list[Weight] = []
    # In a trace each array of the tree is one of its own, and sharing can be evaluated for free.
    eqx.filter_eval_shape(lambda traced: found.extend(_weights(traced)), model)
    return found


class _Place(NamedTuple):
    """Where an array is; ``own`` if it is stored there, and not only shared."""

    path: tuple[str, ...]
    array: Any
    own: bool
    trainable: bool


def _weights(module: Any) -> Iterator[Weight]:
    places = list(_places(module))
    shared: dict[int, list[str]] = {}
    for place in places:
        if not place.own:
            shared.setdefault(id(place.array), []).append(".".join(place.path))
    for path, array, own, trainable in places:
        if own:
            aliases = tuple(shared.get(id(array), ()))
            yield Weight(".".join(path), tuple(array.shape), trainable, (), (), aliases)


def _places(tree: Any, *path: str) -> Iterator[_Place]:
    """Every place of an inexact array, in the tree that each ``eqx.nn.Shared`` stands for."""
    kinds = (eqx.nn.Shared, eqx.nn.StateIndex)
    leaves, _ = tree_flatten_with_path(tree, is_leaf=lambda node: isinstance(node, kinds))
    for keys, leaf in leaves:
        here = (*path, *map(_key, keys))
        if isinstance(leaf, eqx.nn.Shared):
            stored = {place.path for place in _places(leaf.pytree, *here) if place.own}
            for place in _places(leaf(), *here):
                yield place._replace(own=place.path in stored)
        elif isinstance(leaf, eqx.nn.StateIndex):
            for place in _places(leaf.init, *here, "init"):
                yield place._replace(trainable=False)
        elif _is_inexact(leaf):
            yield _Place(here, leaf, own=True, trainable=True)


def _named(weight: Weight, names: NameTable) -> Weight:
    """``weight`` with the canonical names of what it holds, and of its other places."""
    parts, layout = storage_of(names, weight.path, NUMBER)
    further = (storage_of(names, path, NUMBER).parts or (path,) for path in weight.aliases)
    aliases = tuple(alias for parts in further for alias in parts)
    return replace(weight, parts=parts, layout=layout, aliases=aliases)


def _parameters(module: Any) -> dict[str, Any]:
    """Every inexact array of ``module``, or its shape, by path."""
    leaves, _ = tree_flatten_with_path(module)
    return {_path(keys): leaf for keys, leaf in leaves if _is_inexact(leaf)}


def _path(keys: tuple[Any, ...]) -> str:
    """The attributes and indices that lead to a leaf, from inside an ``eqx.nn.Shared``."""
    return ".".join(map(_key, keys)).removeprefix("pytree.")


def _key(key: Any) -> str:
    return jax.tree_util.keystr((key,), simple=True)


def _is_inexact(leaf: Any) -> bool:
    """Whether ``leaf`` is a float or complex array, or the shape of one."""
    abstract = isinstance(leaf, jax.ShapeDtypeStruct)
    return jnp.issubdtype(leaf.dtype, jnp.inexact) if abstract else eqx.is_inexact_array(leaf)


def _inner(module: Any) -> Any:
    return module.pytree if isinstance(module, eqx.nn.Shared) else module


def _run(module: Any, inputs: tuple[Array, ...]) -> dict[str, Any]:
    whole = module() if isinstance(module, eqx.nn.Shared) else module
    return jax.vmap(whole)(*map(jnp.asarray, inputs))
