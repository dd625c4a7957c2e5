"""Import every group of constructors, which fills the lists."""

from tests.foolers import (  # noqa: F401
    adversaries,
    another_package,
    arrays,
    bits,
    by_layer,
    comparing,
    counters,
    counting,
    floats,
    functions,
    harmless,
    harmless_layers,
    iterating,
    kinds,
    messages,
    names,
    objects,
    tables,
    tensors,
    text,
    world,
)
from tests.foolers.registering import FOOLERS, HARMLESS

__all__ = ["FOOLERS", "HARMLESS"]
