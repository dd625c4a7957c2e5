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
from paramproof.builders.jax_tracing import enable_x64
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


class EquinoxModel:
    """An Equinox module, of arrays or of shapes, or an ``eqx.nn.Shared`` of one.

    The module's ``names``, if it has that attribute, map its weights to canonical tensors.
    """

    def __init__(self, module: eqx.Module) -> None:
        self.module = module

    def weights(self) -> list[Weight]:
        """Return every inexact array of the tree once, as ``live_weights`` does."""
        names: NameTable = getattr(_inner(self.module), "names", {})
        return [_named(weight, names) for weight in live_weights(self.module)]

    @property
    def dtype(self) -> DType:
        """The dtype of the first array."""
        return next(iter(_parameters(self.module).values())).dtype.name

    def read(self) -> dict[str, Array]:
        """Return every inexact array. None is copied, because they are immutable."""
        with self._precision():
            return {path: np.asarray(leaf) for path, leaf in _parameters(self.module).items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Replace the module by one with ``arrays`` in place of its values or shapes."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with enable_x64(self.dtype == "float64"):
            self.module = tree_map_with_path(
                lambda path, leaf: jnp.array(arrays[_path(path)]) if _is_inexact(leaf) else leaf,
                self.module,
            )

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass of each sequence separately."""
        with self._precision():
            outputs = _run(self.module, inputs)
        return Outputs(**{k: None if v is None else np.asarray(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}

        def loss(module: Any) -> jax.Array:
            outputs = _run(module, inputs)
            return sum(jnp.sum(outputs[name] * by) for name, by in wanted.items())

        with self._precision():
            # Not under jit: single operations are compiled once for all models of their sizes.
            gradients = eqx.filter_grad(loss)(self.module)
        return {path: np.asarray(leaf) for path, leaf in _parameters(gradients).items()}

    def _precision(self) -> AbstractContextManager[None]:
        """Let JAX keep float64 inside, which it otherwise casts to float32."""
        leaves = _parameters(self.module).values()
        require_allocated(all(isinstance(leaf, jax.Array) for leaf in leaves))
        return enable_x64(self.dtype == "float64")


def live_weights(model: Any) -> list[Weight]:
    """Return every inexact array of an Equinox module once, with the places that share it.

    Equinox does not mark arrays as trainable, so all are, except for an initial state, which is in
    the module until ``eqx.nn.make_with_state`` moves it out. A layer in two places counts twice
    unless ``eqx.nn.Shared`` ties them, since each place gets a gradient and an update of its own.

    Raises ``ValueError`` for anything but a module, such as a state.
    """
    if not isinstance(model, eqx.Module):
        raise ValueError(f"{type(model).__name__} is not an eqx.Module")
    found: list[Weight] = []
    # While tracing, each array is a separate object, and evaluating ``Shared`` costs nothing.
    eqx.filter_eval_shape(lambda traced: found.extend(_weights(traced)), model)
    return found


class _Place(NamedTuple):
    """A place of an array in the tree; ``own`` if the array is stored there, not just shared."""

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
    """Yield each place of an inexact array, after expanding each ``eqx.nn.Shared``."""
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
    """Return ``weight`` with the canonical names of its contents and of its aliases."""
    parts, layout = storage_of(names, weight.path)
    further = (storage_of(names, path).parts or (path,) for path in weight.aliases)
    aliases = tuple(alias for parts in further for alias in parts)
    return replace(weight, parts=parts, layout=layout, aliases=aliases)


def _parameters(module: Any) -> dict[str, Any]:
    """Return the inexact arrays of ``module``, or their shapes, by path."""
    leaves, _ = tree_flatten_with_path(module)
    return {_path(keys): leaf for keys, leaf in leaves if _is_inexact(leaf)}


def _path(keys: tuple[Any, ...]) -> str:
    """Return the path of a leaf in dots, without the attribute of an ``eqx.nn.Shared``."""
    return ".".join(map(_key, keys)).removeprefix("pytree.")


def _key(key: Any) -> str:
    return jax.tree_util.keystr((key,), simple=True)


def _is_inexact(leaf: Any) -> bool:
    """Return whether ``leaf`` is a float or complex array, or the shape of one."""
    abstract = isinstance(leaf, jax.ShapeDtypeStruct)
    return jnp.issubdtype(leaf.dtype, jnp.inexact) if abstract else eqx.is_inexact_array(leaf)


def _inner(module: Any) -> Any:
    return module.pytree if isinstance(module, eqx.nn.Shared) else module


def _run(module: Any, inputs: tuple[Array, ...]) -> dict[str, Any]:
    whole = module() if isinstance(module, eqx.nn.Shared) else module
    return jax.vmap(whole)(*map(jnp.asarray, inputs))
