"""Read the parameters of a PyTorch module: each storage once, under all of its names.

``nn.DataParallel``, ``torch.compile`` and FSDP 2 (``fully_shard``) leave parameters and shapes as
they were. What else changes them is refused in a sentence: FSDP 1, quantisation, adapters.
PyTorch is not imported here; whoever made the module has imported it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from paramproof.formulas.printing import legible
from paramproof.sources.live.weight import LiveWeight, name_of
from paramproof.sources.telltale import ADAPTER, FLAT, QUANTISED, Disguise, disguise

WRAPPED_BY_FSDP = "_fsdp_wrapped_module"
"""The name that FSDP 1 gives to a module; gone while ``summon_full_params`` lasts."""


def torch_weights(model: Any) -> Iterator[LiveWeight]:
    """Return the weights of an ``nn.Module``.

    Parameters that share a storage, the same one or one each, are one weight, trainable where
    any of them is.

    Raises ``ValueError``, in one line, where its parameters are not those of the model's
    layers, or have no shape yet.
    """
    if not hasattr(type(model), "named_parameters"):
        raise ValueError(f"{name_of(model)} is no nn.Module")
    told = _told(model)
    if told:
        path, seen = told
        raise ValueError(f"{name_of(model)} {seen.what} (it has {legible(path)}): {seen.model}")
    found: dict[object, list[tuple[str, Any]]] = {}
    for path, parameter in model.named_parameters(remove_duplicate=False):
        if type(parameter).__name__ == "UninitializedParameter":
            raise ValueError(f"{name_of(model)} is not built: {legible(path)} has no shape yet")
        found.setdefault(_elements(parameter), []).append((path, parameter))
    for named in found.values():
        (path, first), *others = named
        trainable = any(parameter.requires_grad for _, parameter in named)
        yield LiveWeight(path, tuple(first.shape), trainable, tuple(name for name, _ in others))


def _elements(parameter: Any) -> object:
    """What is equal for parameters that are the same elements of a storage, and for no others.

    A matrix, its transpose and its rows as one vector are. A storage is an object with an
    address of its own on the meta device too, where its data has none.
    """
    try:
        storage = parameter.untyped_storage()._cdata
        axes = sorted(zip(parameter.stride(), parameter.shape, strict=True))
    except (NotImplementedError, RuntimeError):  # of a sparse one, which has no storage
        return id(parameter)
    steps: list[tuple[int, int]] = []
    for step, length in axes:
        if steps and step == math.prod(steps[-1]):
            steps[-1] = steps[-1][0], steps[-1][1] * length
        elif length != 1:
            steps.append((step, length))
    return storage, parameter.storage_offset(), tuple(steps)


def _told(model: Any) -> tuple[str, Disguise] | None:
    """The first name that gives away that parameters are not those of layers, and what."""
    named = dict(model.named_parameters())
    told = disguise(named, ADAPTER, FLAT)
    if told:
        return told
    sharded = any(
        getattr(getattr(module, "_handle", None), "uses_sharded_strategy", False)
        for module in model.modules()
    )
    for path, parameter in named.items():
        if sharded and WRAPPED_BY_FSDP in path.split("."):
            return path, FLAT
        # None but floating-point numbers can be trained; bitsandbytes and Quanto have others.
        if not (parameter.is_floating_point() or parameter.is_complex()):
            return path, QUANTISED
    for path, _ in model.named_buffers():
        if path.split(".")[-1] in ("qweight", "weight_packed"):
            return path, QUANTISED
    for path, module in model.named_modules():
        # PyTorch's own, whose weights are in no parameter and no buffer.
        if ".nn.quantized." in type(module).__module__:
            return path or name_of(module), QUANTISED
    return None
