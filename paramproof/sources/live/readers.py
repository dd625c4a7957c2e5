"""Read the weights of a live model of any framework, whatever their names.

A model's framework is recognised by the modules of its classes. No framework is imported for that:
the code that built the model has imported its framework.

The module of a framework whose header has ``model_packages`` reads its models. The readers here
are of the frameworks that several modules build with, such as Keras, or none, such as tf-keras.

Each framework defines its parameters: ``nn.Parameter`` in PyTorch (buffers do not count),
``weights`` in Keras (including the moving statistics of a batch norm), the ``params`` collection in
linen (other collections are not trainable), ``nnx.Param`` in nnx (the statistics of a batch norm
are not trainable).

A model of an unsupported framework is refused by name, even if it looks like something else, such
as a dict. A plain dict of arrays tells neither its framework nor which arrays are
trained, so it is refused unless it has linen's ``params`` collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from paramproof.builders.protocol import LiveReader
from paramproof.builders.registry import Framework, model_packages
from paramproof.formulas import Weight
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible
from paramproof.sources.live.name import name_of
from paramproof.sources.live.pytorch import torch_weights


def live_weights(model: Any) -> list[Weight]:
    """Return every weight of a live model once, by identity.

    ``model`` is a ``torch.nn.Module``, a Keras 3 or tf-keras model or layer, an ``nnx.Module``
    or its ``nnx.State``, of linen a bound module, a pair (module, variables), or the variables as
    ``module.init`` returns them, or a model of a framework with ``model_packages``.

    Raises ``ValueError``, in one line, for a model that is not built, is empty, or belongs to an
    unsupported framework.
    """
    found = [weight for weight in reader(model)(model) if weight.size]
    if not found:
        raise InvalidInput(f"{name_of(model)} is empty: it has no weights")
    return found


def reader(model: Any) -> Callable[[Any], Iterator[Weight]]:
    """Return the function that reads the weights of ``model``, by the modules of its classes.

    Raises ``ValueError``, with the full name of the class, if there is none.
    """
    # Keras comes before PyTorch: with that backend, a Keras layer is an nn.Module, too.
    for framework, read in READERS.items():
        if comes_from(framework, model):
            return read
    if own := framework_with_reader(model):
        return partial(_by_framework, own)
    if isinstance(model, tuple) and model and (own := framework_with_reader(model[0])):
        (title, *_) = own.model_packages.values()
        raise InvalidInput(
            f"{name_of(model)} is a module of {title} and more: give the module alone"
        )
    module = model[0] if is_pair(model) else model
    if other := unsupported_framework(module):
        raise InvalidInput(
            f"{name_of(module)} is a module of {other}, which is not supported yet; {supported()}"
        )
    if isinstance(model, Mapping):
        return _linen_variables
    if is_pair(model) and comes_from("flax.linen", module):
        return lambda pair: _linen_variables(pair[1])
    raise InvalidInput(
        f"{name_of(model)} is not a model of {_titles('or')} "
        "(for linen, give the variables or the pair (module, variables))"
    )


def framework_with_reader(model: Any) -> Framework | None:
    """Return the framework whose header has the package of a class of ``model``, or None."""
    found = (one for package, one in model_packages().items() if comes_from(package, model))
    return next(found, None)


def unsupported_framework(model: Any) -> str:
    """Return the name of a model's framework if that has no reader, or else ""."""
    found = (name for package, name in UNSUPPORTED.items() if comes_from(package, model))
    return next(found, "")


def is_of_another_framework(model: Any) -> bool:
    """Return whether a mapping may be a model or an array of a framework other than linen."""
    return bool(framework_with_reader(model) or unsupported_framework(model))


def is_pair(model: Any) -> bool:
    """Return whether ``model`` is a pair of a linen module and its variables."""
    return isinstance(model, tuple) and len(model) == 2 and isinstance(model[1], Mapping)


def comes_from(framework: str, model: Any) -> bool:
    """Return whether a class of ``model`` is defined in ``framework``, such as ``flax.nnx``."""
    modules = (base.__module__ for base in type(model).__mro__)
    return any(f"{module}.".startswith(f"{framework}.") for module in modules)


def _by_framework(framework: Framework, model: Any) -> Iterator[Weight]:
    """Read a model by the framework's own module."""
    yield from cast(LiveReader, framework.load()).live_weights(model)


def _keras(model: Any) -> Iterator[Weight]:
    if not hasattr(type(model), "trainable_weights"):
        raise InvalidInput(f"{name_of(model)} is not a Keras model or layer")
    layers = [model, *getattr(model, "layers", ())]
    unbuilt = next((layer for layer in layers if not getattr(layer, "built", True)), None)
    if unbuilt is not None:
        raise InvalidInput(
            f"{name_of(model)} is not built: {legible(unbuilt.name)} has no weights yet"
        )
    trainable = {id(variable) for variable in model.trainable_weights}
    seen: set[int] = set()
    for variable in model.weights:
        if id(variable) not in seen:
            seen.add(id(variable))
            path = getattr(variable, "path", variable.name)
            yield Weight(path, tuple(variable.shape), id(variable) in trainable)


def _linen(model: Any) -> Iterator[Weight]:
    if not hasattr(type(model), "variables") or getattr(model, "scope", None) is None:
        raise InvalidInput(f"{name_of(model)} has no variables: give (module, variables)")
    yield from _linen_variables(model.variables)


def _linen_variables(variables: Mapping[str, Any]) -> Iterator[Weight]:
    _require_collections(variables)
    found: dict[object, list[tuple[str, Any, bool]]] = {}
    for collection, tree in variables.items():
        for path, leaf in _leaves(tree, collection):
            _require_array(leaf, path)
            # An array with two names is stored once; equal abstract shapes are separate arrays.
            abstract = type(leaf).__name__ == "ShapeDtypeStruct"
            key = path if abstract else id(leaf)
            found.setdefault(key, []).append((path, leaf, collection == "params"))
    for (path, leaf, trainable), *others in found.values():
        yield Weight(path, tuple(leaf.shape), trainable, aliases=tuple(name for name, *_ in others))


def _require_collections(variables: Mapping[str, Any]) -> None:
    """Refuse a mapping that is not the variables of a linen module, such as params alone."""
    if not variables or isinstance(variables.get("params"), Mapping):
        return
    for name, tree in variables.items():
        for path, leaf in _leaves(tree, str(name)):
            _require_known(leaf, path)
    raise InvalidInput(
        f"{name_of(variables)} has no collection 'params', so it is not the variables of a linen "
        f"module: give them as module.init returns them, {{'params': …}}; {supported()}"
    )


def _leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a tree of mappings, each with its path."""
    if isinstance(tree, Mapping) and not is_of_another_framework(tree):
        for name, branch in tree.items():
            yield from _leaves(branch, f"{path}/{name}")
    elif hasattr(tree, "unbox"):
        yield from _leaves(tree.unbox(), path)
    else:
        yield path, tree


def _require_array(leaf: Any, path: str) -> None:
    _require_known(leaf, path)
    if not hasattr(leaf, "shape"):
        raise InvalidInput(f"{legible(path)} is not an array but {legible(type(leaf).__name__)}")


def _require_known(leaf: Any, path: str) -> None:
    """Refuse an array of a framework whose models cannot be counted from a mapping of arrays."""
    if comes_from("torch", leaf):
        raise InvalidInput(
            f"{legible(path)} is a PyTorch tensor: a state_dict also has buffers, and tied "
            "matrices twice, so give the module"
        )
    if framework_with_reader(leaf):
        raise InvalidInput(
            f"{legible(path)} is not linen's but of {name_of(leaf)}: a dict does not tell which "
            "arrays are trained, so give the module"
        )
    if other := unsupported_framework(leaf):
        raise InvalidInput(
            f"{legible(path)} belongs to {other} ({name_of(leaf)}), which is not supported yet; "
            f"{supported()}"
        )


def _nnx(model: Any) -> Iterator[Weight]:
    # The code that built the model has imported Flax.
    from flax import nnx

    for kind in (nnx.Param, nnx.BatchStat):
        is_state = isinstance(model, nnx.State)
        state = nnx.filter_state(model, kind) if is_state else nnx.state(model, kind)
        for path, variable in nnx.to_flat_state(state):
            shape = tuple(variable.get_value().shape)
            yield Weight(".".join(map(str, path)), shape, kind is nnx.Param)


READERS = {
    "keras": _keras,
    "tf_keras": _keras,
    "flax.linen": _linen,
    "flax.nnx": _nnx,
    "torch": torch_weights,
}
"""The reader of each framework, by the package of a model's classes."""

TITLES = ("PyTorch", "Keras", "tf-keras", "Flax linen", "nnx")
"""The frameworks of ``READERS``, as messages call them."""


def _titles(conjunction: str) -> str:
    own = (one.model_packages[package] for package, one in model_packages().items())
    *others, last = (*TITLES, *own)
    return f"{', '.join(others)} {conjunction} {last}"


def supported() -> str:
    """Return the sentence that names every framework whose live models can be read."""
    return f"{_titles('and')} are supported"


UNSUPPORTED: Mapping[str, str] = {
    "haiku": "Haiku",
    "tinygrad": "tinygrad",
    "mindspore": "MindSpore",
}
"""The packages of other frameworks' classes, with the names of the frameworks."""
