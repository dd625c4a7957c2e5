"""The tensors of a model as transformers builds it, each with its module and its dtype.

A model in bfloat16 is not two bytes for each parameter: about 28 model files create the weights of
a router in float32, whatever the dtype of the model, and most buffers have a dtype of their own.
``modules.json`` has these exceptions. Parameters of one storage count once, in the dtype of the
first of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from paramproof.bytes import BITS
from paramproof.catalogue import Entry
from paramproof.catalogue.program import Tensor
from paramproof.following.modules import Module, buffer_dtype, module_of
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible
from paramproof.resolver.models import ConfigReading

ELEMENT_BYTES = {dtype: bits // 8 for dtype, bits in BITS.items() if bits >= 8}
ELEMENT_BYTES |= {"int64": 8, "int32": 4, "int16": 2, "uint8": 1, "bool": 1}
ELEMENT_BYTES |= {"complex64": 8, "complex128": 16}

DTYPES = ("bfloat16", "float16", "float32")
"""The dtypes in which a model can be built."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A parameter: its path, its shape, and its module; ``others`` has the paths tied to it."""

    path: str
    shape: tuple[int, ...]
    module: Module
    others: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return prod(self.shape)


class Tensors(NamedTuple):
    """A class, the types of a model and its parts, its parameters, and buffers that a file has.

    ``experts`` are the numbers of experts that its configurations name as transformers' layers do.
    """

    class_name: str
    types: Sequence[str]
    weights: Sequence[Weight]
    buffers: Sequence[Tensor]
    experts: Collection[object]


def dtype_of(reading: ConfigReading) -> str:
    """Return the dtype that a configuration names, bfloat16 if no model is built in it."""
    return reading.dtype if reading.dtype in DTYPES else "bfloat16"


def tensors_of(found: Entry) -> Tensors:
    """Return the tensors of a model. Raises ``InvalidInput`` if a module is not known."""
    # The tensors of a part have the names that the part's own type gives them.
    named = (part.get("model_type") for part in found.parts.values())
    types = list(dict.fromkeys([found.model_type, *(one for one in named if isinstance(one, str))]))
    storages: dict[object, Weight] = {}
    buffers: list[Tensor] = []
    for one in found.part.tensors(found.class_name):
        if "buffer" in one.role:
            buffers += [one] if one.role == "buffer" else []
        elif one.storage in storages:
            first = storages[one.storage]
            storages[one.storage] = replace(first, others=(*first.others, one.path))
        elif one.shape is None:
            raise InvalidInput(f"the shape of {legible(one.path)} is not known")
        else:
            storages[one.storage] = Weight(one.path, one.shape, module_of(types, one.path))
    names = ("num_local_experts", "num_experts")
    experts = [part.get(name) for part in found.parts.values() for name in names]
    return Tensors(found.class_name, types, list(storages.values()), buffers, experts)


def buffer_bytes(tensors: Tensors, dtype: str) -> int | None:
    """Return the bytes of the buffers that a file has too, or None if some are not known."""
    total = 0
    for one in tensors.buffers:
        try:
            own = buffer_dtype(tensors.types, one.path)
        except InvalidInput:
            return None
        if one.shape is None:
            return None
        total += prod(one.shape) * ELEMENT_BYTES[own or dtype]
    return total
