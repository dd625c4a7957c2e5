"""Read the parameters of a PyTorch module: each storage once, under all of its names.

``nn.DataParallel``, ``torch.compile`` and FSDP 2 (``fully_shard``) leave parameters and shapes
unchanged. Models changed by FSDP 1, quantisation or adapters are refused. PyTorch is not imported
here: the code that built the module has imported it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from paramproof.formulas import Weight
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible
from paramproof.sources.live.name import name_of
from paramproof.sources.telltale import Disguise, disguise, disguises

WRAPPED_BY_FSDP = "_fsdp_wrapped_module"
"""The name that FSDP 1 gives to a module; absent inside ``summon_full_params``."""


def torch_weights(model: Any) -> Iterator[Weight]:
    """Return the weights of an ``nn.Module``.

    Parameters that are the same elements of a storage are one weight, which is trainable if any
    of them is.

    Raises ``ValueError``, in one line, if its parameters are not plain weights, or have no shape
    yet.
    """
    if not hasattr(type(model), "named_parameters"):
        raise InvalidInput(f"{name_of(model)} is not an nn.Module")
    recognised = _disguise(model)
    if recognised:
        path, kind = recognised
        raise InvalidInput(
            f"{name_of(model)} {kind['what']} (it has {legible(path)}): {kind['model']}"
        )
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


def _disguise(model: Any) -> tuple[str, Disguise] | None:
    """Return the first name that shows that parameters are not plain weights, and their kind."""
    named = dict(model.named_parameters())
    if by_name := disguise(named, "adapter", "flat"):
        return by_name
    sharded = any(
        getattr(getattr(module, "_handle", None), "uses_sharded_strategy", False)
        for module in model.modules()
    )
    for path, parameter in named.items():
        if sharded and WRAPPED_BY_FSDP in path.split("."):
            return path, disguises()["flat"]
        # Only floating-point numbers can be trained; bitsandbytes and Quanto have others.
        if not (parameter.is_floating_point() or parameter.is_complex()):
            return path, disguises()["quantised"]
    for path, _ in model.named_buffers():
        if path.split(".")[-1] in ("qweight", "weight_packed"):
            return path, disguises()["quantised"]
    for path, module in model.named_modules():
        # PyTorch's own quantised modules, whose weights are neither parameters nor buffers.
        if ".nn.quantized." in type(module).__module__:
            return path or name_of(module), disguises()["quantised"]
    return None
