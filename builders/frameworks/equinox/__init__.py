"""Equinox: ``eqx.nn.MultiheadAttention``, in a list of layers; a model is a tree of arrays.

Equinox runs one token, or one sequence, at a time, and ``jax.vmap`` adds the other axes. It has no
class for parameters: every inexact array of the tree is one, and trainable. ``eqx.nn.Shared`` ties
two places of a tree, and leaves one array in it. A Linear stores its weight as (out, in). Models
are built under ``eqx.filter_eval_shape``, which returns shapes and allocates nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.tree_util import tree_flatten_with_path, tree_map_with_path

from paramproof.builders.frameworks.equinox.models import MODULES, Drawing, ties
from paramproof.builders.jax_shell import JaxModel, clear_caches_now_and_then, enable_x64
from paramproof.builders.protocol import Array, DType
from paramproof.builders.shell import shell
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "EquinoxModel", "build", "build_abstractly", "live_weights", "supports"]

FRAMEWORKS = {
    "equinox": {
        "extra": "equinox",
        "distributions": ("equinox", "jax", "jaxlib"),
        "model_packages": {"equinox": "Equinox"},
    }
}


def make(kind: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType) -> EquinoxModel:
    """Build the model with shapes, or with arrays if ``allocate``."""
    clear_caches_now_and_then()
    tied = ties(spec)

    def module() -> eqx.Module:
        whole = kind(spec, numerics, drawing=Drawing(jnp.dtype(dtype), drawn=allocate))
        if not tied:
            return whole
        return eqx.nn.Shared(whole, where=attrgetter(*tied), get=attrgetter(*tied.values()))

    with enable_x64(dtype == "float64"):
        return EquinoxModel(module() if allocate else eqx.filter_eval_shape(module))


supports, build = shell("equinox", MODULES, make)


class EquinoxModel(JaxModel):
    """An Equinox module, of arrays or of shapes, or an ``eqx.nn.Shared`` of one.

    The module's ``names``, if it has that attribute, map its weights to canonical tensors.
    """

    def __init__(self, module: eqx.Module) -> None:
        self.module = module
        self.names = getattr(getattr(module, "pytree", module), "names", {})

    def stored(self) -> list[Weight]:
        return live_weights(self.module)

    def arrays(self) -> dict[str, Any]:
        return _parameters(self.module)

    def assign(self, arrays: Mapping[str, Array]) -> None:
        """Replace the module by one with ``arrays`` in place of its values or shapes."""
        self.module = tree_map_with_path(
            lambda path, leaf: self.tensor(arrays[_path(path)]) if _is_inexact(leaf) else leaf,
            self.module,
        )

    def outputs(self, *inputs: jax.Array) -> dict[str, Any]:
        return _run(self.module, inputs)

    def gradient(self, loss: Callable[[Any], Any], *inputs: jax.Array) -> dict[str, jax.Array]:
        # Not under jit: single operations are compiled once for all models of their sizes.
        return _parameters(eqx.filter_grad(lambda module: loss(_run(module, inputs)))(self.module))


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


def _run(module: Any, inputs: tuple[Array, ...]) -> dict[str, Any]:
    whole = module() if isinstance(module, eqx.nn.Shared) else module
    return jax.vmap(whole)(*map(jnp.asarray, inputs))
