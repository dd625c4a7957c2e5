"""Read the weights of a live model of any framework, whatever their names.

A model's framework is recognised by the modules of its classes, so none is imported for that. Each
defines its parameters: ``nn.Parameter`` in PyTorch (a storage counts once, a buffer never),
``weights`` in Keras (with the moving statistics of a batch norm), the ``params`` collection in
linen, ``nnx.Param`` in nnx (other collections and statistics are not trainable). A framework whose
header has ``model_packages`` reads its own models.

``nn.DataParallel``, ``torch.compile`` and FSDP 2 leave parameters and shapes unchanged. Models that
FSDP 1, quantisation or adapters changed are refused, and so are those of other frameworks, even if
they look like a dict: a dict of arrays tells neither its framework nor which arrays are trained.
The variables of linen are read only if they are dicts of arrays of JAX or NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeVar, cast

from paramproof.builders.protocol import LiveReader
from paramproof.builders.registry import Framework, model_packages
from paramproof.formulas import Weight
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible
from paramproof.sources.tensor_names import require_none, signs_in

Value = TypeVar("Value")


def name_of(model: Any) -> str:
    kind = type(model)
    return legible(f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins."))


def live_weights(model: Any) -> list[Weight]:
    """Return every weight of a live model once, by identity.

    ``model`` is a module, layer or model of a framework, or an ``nnx.State``; of linen a bound
    module, a pair (module, variables), or the variables as ``module.init`` returns them. Raises
    ``ValueError`` for a model that is not built, is empty, or belongs to another framework.
    """
    found = [weight for weight in reader(model)(model) if weight.size]
    if not found:
        raise InvalidInput(f"{name_of(model)} is empty: it has no weights")
    return found


def reader(model: Any) -> Callable[[Any], Iterable[Weight]]:
    """Return the function that reads a model, by the modules of its classes."""
    # Keras comes before PyTorch: with that backend, a Keras layer is an nn.Module, too.
    if read := _of(READERS, model):
        return read
    if own := framework_with_reader(model):
        return cast(LiveReader, own.load()).live_weights
    module = model[0] if type(model) is tuple and model else model
    if module is not model and (own := framework_with_reader(module)):
        (title, *_) = own.model_packages.values()
        raise InvalidInput(
            f"{name_of(model)} is a module of {title} and more: give the module alone"
        )
    if isinstance(model, Mapping) or (is_pair(model) and comes_from("flax.linen", module)):
        return _linen
    raise InvalidInput(
        f"{name_of(module)} is not a model of {supported()} "
        "(for linen, give the variables or the pair (module, variables))"
    )


def framework_with_reader(model: Any) -> Framework | None:
    return _of(model_packages(), model)


def _of(packages: Mapping[str, Value], model: Any) -> Value | None:
    return next((one for package, one in packages.items() if comes_from(package, model)), None)


def is_pair(model: Any) -> bool:
    return isinstance(model, tuple) and len(model) == 2 and isinstance(model[1], Mapping)


def comes_from(framework: str, model: Any) -> bool:
    modules = (base.__module__ for base in type(model).__mro__)
    return any(f"{module}.".startswith(f"{framework}.") for module in modules)


def torch_weights(model: Any) -> Iterator[Weight]:
    """Yield the weights of an ``nn.Module``.

    Parameters that are the same elements of a storage are one weight, which is trainable if any
    of them is. Raises ``ValueError`` if they are not plain weights, or have no shape yet.
    """
    if not hasattr(type(model), "named_parameters"):
        raise InvalidInput(f"{name_of(model)} is not an nn.Module")
    by_name = signs_in((path for path, _ in model.named_parameters()), "adapter", "flat")
    require_none(chain(by_name, _disguises(model)), name_of(model), "model")
    found: dict[object, list[tuple[str, Any]]] = {}
    for path, parameter in model.named_parameters(remove_duplicate=False):
        if type(parameter).__name__ == "UninitializedParameter":
            raise InvalidInput(f"{name_of(model)} is not built: {legible(path)} has no shape yet")
        found.setdefault(_elements(parameter), []).append((path, parameter))
    for named in found.values():
        (path, first), *others = named
        trainable = any(parameter.requires_grad for _, parameter in named)
        yield Weight(path, tuple(first.shape), trainable, aliases=tuple(name for name, _ in others))


def _elements(parameter: Any) -> object:
    """Return a key that is equal exactly for parameters with the same elements of a storage.

    A matrix has the same key as its transpose and as its rows in one vector. A storage object has
    an address on the meta device, too, where its data has none.
    """
    try:
        storage = parameter.untyped_storage()._cdata
        axes = sorted(zip(parameter.stride(), parameter.shape, strict=True))
    except (NotImplementedError, RuntimeError):  # A sparse parameter has no storage.
        return id(parameter)
    steps: list[tuple[int, int]] = []
    for step, length in axes:
        if steps and step == math.prod(steps[-1]):
            steps[-1] = steps[-1][0], steps[-1][1] * length
        elif length != 1:
            steps.append((step, length))
    return storage, parameter.storage_offset(), tuple(steps)


def _disguises(model: Any) -> Iterator[tuple[str, str]]:
    """Yield the paths that show that parameters are not plain weights, with what they are."""
    sharded = any(
        getattr(getattr(module, "_handle", None), "uses_sharded_strategy", False)
        for module in model.modules()
    )
    for path, parameter in model.named_parameters():
        # FSDP 1 gives the module this name, except inside ``summon_full_params``.
        if sharded and "_fsdp_wrapped_module" in path.split("."):
            yield path, "flat"
        # Only floating-point numbers can be trained; bitsandbytes and Quanto have others.
        if not (parameter.is_floating_point() or parameter.is_complex()):
            yield path, "quantised"
    for path, _ in model.named_buffers():
        if path.split(".")[-1] in ("qweight", "weight_packed"):
            yield path, "quantised"
    for path, module in model.named_modules():
        # PyTorch's own quantised modules, whose weights are neither parameters nor buffers.
        if ".nn.quantized." in type(module).__module__:
            yield path or name_of(module), "quantised"


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
    for key, variable in {id(variable): variable for variable in model.weights}.items():
        path = getattr(variable, "path", variable.name)
        yield Weight(path, tuple(variable.shape), key in trainable)


def _linen(model: Any) -> Iterator[Weight]:
    variables = model[1] if is_pair(model) else model
    if not isinstance(model, Mapping | tuple):
        if not hasattr(type(model), "variables") or getattr(model, "scope", None) is None:
            raise InvalidInput(f"{name_of(model)} has no variables: give (module, variables)")
        variables = model.variables
    found: dict[object, list[tuple[str, Any, bool]]] = {}
    is_linen = not variables or isinstance(variables.get("params"), Mapping)
    for collection, tree in variables.items():
        for path, leaf in _leaves(tree, str(collection)):
            is_array = any(comes_from(one, leaf) for one in ARRAYS)
            if not is_array and (is_linen or hasattr(leaf, "shape")):
                raise InvalidInput(
                    f"{legible(path)} is not linen's but of {name_of(leaf)}: a dict "
                    "does not tell which arrays are trained, and which are tied, so give the module"
                )
            # An array with two names is stored once; equal abstract shapes are separate arrays.
            abstract = type(leaf).__name__ == "ShapeDtypeStruct"
            key = path if abstract else id(leaf)
            found.setdefault(key, []).append((path, leaf, collection == "params"))
    if not is_linen:
        raise InvalidInput(
            f"{name_of(variables)} has no collection 'params', so it is not the variables of a "
            "linen module: give them as module.init returns them, {'params': …}, or give a model "
            f"of {supported()}"
        )
    for (path, leaf, trainable), *others in found.values():
        yield Weight(path, tuple(leaf.shape), trainable, aliases=tuple(name for name, *_ in others))


def _leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    # Modules of tinygrad are dicts, too.
    if type(tree) is dict or (isinstance(tree, Mapping) and comes_from("flax", tree)):
        for name, branch in tree.items():
            yield from _leaves(branch, f"{path}/{name}")
    elif hasattr(tree, "unbox"):
        yield from _leaves(tree.unbox(), path)
    else:
        yield path, tree


def _nnx(model: Any) -> Iterator[Weight]:
    # The code that built the model has imported Flax.
    from flax import nnx

    for kind in (nnx.Param, nnx.BatchStat):
        is_state = isinstance(model, nnx.State)
        state = nnx.filter_state(model, kind) if is_state else nnx.state(model, kind)
        for path, variable in nnx.to_flat_state(state):
            shape = tuple(variable.get_value().shape)
            yield Weight(".".join(map(str, path)), shape, kind is nnx.Param)


ARRAYS = ("jax", "jaxlib", "numpy")
"""The packages of the arrays that variables of linen have."""

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


def supported() -> str:
    own = (one.model_packages[package] for package, one in model_packages().items())
    *others, last = (*TITLES, *own)
    return f"{', '.join(others)} or {last}"
