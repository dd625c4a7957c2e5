"""Read the weights of a live model, whatever their names and the framework.

A framework is known by the modules its model's classes come from. None is imported to find
out; one that a model comes from has been imported by whoever made the model.

What is a parameter, each framework says itself: ``nn.Parameter`` in PyTorch (a buffer is
none), ``weights`` in Keras (with the moving statistics of a batch norm), the ``params``
collection in linen (with other collections as not trainable), ``nnx.Param`` in nnx (with the
statistics of a batch norm as not trainable).

A model of another framework is refused by name, also one that looks like something else: a module
of MLX is a dict. A dict of arrays alone does not say which framework it is of, nor which of the
arrays are trained, so it is refused unless it has linen's ``params`` collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from paramproof.formulas.printing import legible
from paramproof.sources.live.pytorch import torch_weights
from paramproof.sources.live.weight import LiveWeight, name_of


def live_weights(model: Any) -> list[LiveWeight]:
    """Return every weight of a live model once, by identity.

    ``model`` is a ``torch.nn.Module``, a Keras 3 or tf-keras model or layer, an ``nnx.Module``
    or its ``nnx.State``, or of linen: a bound module, a pair (module, variables), or the
    variables as ``module.init`` returns them.

    Raises ``ValueError``, in one line, for a model that is not built, is empty, or is of no
    framework that is supported.
    """
    found = [weight for weight in reader(model)(model) if weight.size]
    if not found:
        raise ValueError(f"{name_of(model)} is empty: it has no weights")
    return found


def reader(model: Any) -> Callable[[Any], Iterator[LiveWeight]]:
    """Return what reads the weights of ``model``, by where its classes come from.

    Raises ``ValueError``, with the full name of the class, where nothing does.
    """
    # Keras comes before PyTorch: on that backend a Keras layer is an nn.Module too.
    for framework, read in READERS.items():
        if comes_from(framework, model):
            return read
    module = model[0] if is_pair(model) else model
    if other := unsupported_framework(module):
        raise ValueError(
            f"{name_of(module)} is a module of {other}, which is not supported yet; {SUPPORTED}"
        )
    if isinstance(model, Mapping):
        return _linen_variables
    if is_pair(model) and comes_from("flax.linen", module):
        return lambda pair: _linen_variables(pair[1])
    raise ValueError(
        f"{name_of(model)} is no model of PyTorch, Keras, tf-keras, linen or nnx "
        "(linen: give the variables, or (module, variables))"
    )


def unsupported_framework(model: Any) -> str:
    """Return the framework that a model is of and that has no reader, "" for any other model."""
    found = (name for package, name in UNSUPPORTED.items() if comes_from(package, model))
    return next(found, "")


def is_pair(model: Any) -> bool:
    """Whether it is what linen has of a model: the module and its variables."""
    return isinstance(model, tuple) and len(model) == 2 and isinstance(model[1], Mapping)


def comes_from(framework: str, model: Any) -> bool:
    """Whether a class of ``model`` is of a module of ``framework``, such as ``flax.nnx``."""
    modules = (base.__module__ for base in type(model).__mro__)
    return any(f"{module}.".startswith(f"{framework}.") for module in modules)


def _keras(model: Any) -> Iterator[LiveWeight]:
    if not hasattr(type(model), "trainable_weights"):
        raise ValueError(f"{name_of(model)} is no Keras model or layer")
    layers = [model, *getattr(model, "layers", ())]
    unbuilt = next((layer for layer in layers if not getattr(layer, "built", True)), None)
    if unbuilt is not None:
        raise ValueError(
            f"{name_of(model)} is not built: {legible(unbuilt.name)} has no weights yet"
        )
    trainable = {id(variable) for variable in model.trainable_weights}
    seen: set[int] = set()
    for variable in model.weights:
        if id(variable) not in seen:
            seen.add(id(variable))
            path = getattr(variable, "path", variable.name)
            yield LiveWeight(path, tuple(variable.shape), id(variable) in trainable)


def _linen(model: Any) -> Iterator[LiveWeight]:
    if not hasattr(type(model), "variables") or getattr(model, "scope", None) is None:
        raise ValueError(f"{name_of(model)} has no variables: give (module, variables)")
    yield from _linen_variables(model.variables)


def _linen_variables(variables: Mapping[str, Any]) -> Iterator[LiveWeight]:
    _require_collections(variables)
    found: dict[object, list[tuple[str, Any, bool]]] = {}
    for collection, tree in variables.items():
        for path, leaf in _leaves(tree, collection):
            _require_array(leaf, path)
            # One array under two names is stored once; one shape twice is no array at all.
            abstract = type(leaf).__name__ == "ShapeDtypeStruct"
            key = path if abstract else id(leaf)
            found.setdefault(key, []).append((path, leaf, collection == "params"))
    for (path, leaf, trainable), *others in found.values():
        yield LiveWeight(path, tuple(leaf.shape), trainable, tuple(name for name, *_ in others))


def _require_collections(variables: Mapping[str, Any]) -> None:
    """Refuse a mapping that is not the variables of a linen module, such as params alone."""
    if not variables or isinstance(variables.get("params"), Mapping):
        return
    for name, tree in variables.items():
        for path, leaf in _leaves(tree, str(name)):
            _require_known(leaf, path)
    raise ValueError(
        f"{name_of(variables)} has no collection 'params', so it is not the variables of a linen "
        f"module: give them as module.init returns them, {{'params': …}}; {SUPPORTED}"
    )


def _leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield what a tree of mappings has that is no mapping, with its path."""
    if isinstance(tree, Mapping) and not unsupported_framework(tree):
        for name, branch in tree.items():
            yield from _leaves(branch, f"{path}/{name}")
    elif hasattr(tree, "unbox"):
        yield from _leaves(tree.unbox(), path)
    else:
        yield path, tree


def _require_array(leaf: Any, path: str) -> None:
    _require_known(leaf, path)
    if not hasattr(leaf, "shape"):
        raise ValueError(f"{legible(path)} is of type {legible(type(leaf).__name__)} and no array")


def _require_known(leaf: Any, path: str) -> None:
    """Refuse an array of a framework in which a mapping of arrays does not say enough."""
    if comes_from("torch", leaf):
        raise ValueError(
            f"{legible(path)} is a tensor of PyTorch: a state_dict has buffers too, and tied "
            "matrices twice; give the module"
        )
    if other := unsupported_framework(leaf):
        raise ValueError(
            f"{legible(path)} is of {other} ({name_of(leaf)}), which is not supported yet; "
            f"{SUPPORTED}"
        )


def _nnx(model: Any) -> Iterator[LiveWeight]:
    # Whoever made the model has imported it.
    from flax import nnx

    for kind in (nnx.Param, nnx.BatchStat):
        is_state = isinstance(model, nnx.State)
        state = nnx.filter_state(model, kind) if is_state else nnx.state(model, kind)
        for path, variable in nnx.to_flat_state(state):
            shape = tuple(variable.get_value().shape)
            yield LiveWeight(".".join(map(str, path)), shape, kind is nnx.Param)


READERS = {
    "keras": _keras,
    "tf_keras": _keras,
    "flax.linen": _linen,
    "flax.nnx": _nnx,
    "torch": torch_weights,
}
"""Where a model's classes come from, and how its weights are read."""

SUPPORTED = "supported are PyTorch, Keras, tf-keras, Flax linen and nnx"

UNSUPPORTED: Mapping[str, str] = {
    "mlx": "MLX",
    "equinox": "Equinox",
    "haiku": "Haiku",
    "paddle": "PaddlePaddle",
    "tinygrad": "tinygrad",
    "mindspore": "MindSpore",
}
"""Packages that the classes of other frameworks come from, with the names of the frameworks."""
