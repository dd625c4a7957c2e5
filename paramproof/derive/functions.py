"""A function that makes a PyTorch module as a constructor: its int parameters are the letters."""

from __future__ import annotations

import importlib.metadata
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

from paramproof.derive.constructor import Constructor
from paramproof.formulas.printing import shown


def constructor(
    name: str, function: Callable[..., Any], given: Mapping[str, int] | None = None
) -> Constructor:
    """Return ``function`` as a constructor; ``given`` are sizes by name, of any that it takes.

    Raises ``ValueError``, in one line, for a function without sizes, for a size that it does not
    take, and for what it returns that is no module.
    """
    sizes = _defaults(name, function)
    chosen = dict(given or {})
    takes = inspect.signature(function).parameters
    for size, value in chosen.items():
        if size not in takes:
            raise ValueError(f"{name} takes no {shown(size)}; it takes {', '.join(takes)}")
        if value < 1:
            raise ValueError(f"{size}={value} is no size: it must be 1 or more")
    sizes |= chosen
    missing = [
        parameter.name
        for parameter in takes.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and parameter.name not in sizes
    ]
    if missing:
        raise ValueError(f"{name} has no default for {missing[0]}: give --size {missing[0]}=…")
    if not sizes:
        raise ValueError(f"{name} takes no ints: there is no letter to derive a formula in")

    import torch

    from paramproof.builders.meta import meta
    from paramproof.derive import live_torch
    from paramproof.derive.torch_tracing import Tracing

    def make(values: Mapping[str, int]) -> Any:
        with meta():
            model = function(**values)
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"{name} returned {type(model).__name__}, which is no nn.Module")
        return model

    module = function.__module__
    return Constructor(
        name,
        sizes,
        make,
        live_torch.tensors,
        Tracing,
        (module, module.partition(".")[0], "torch.nn"),
        {"torch": importlib.metadata.version("torch"), "python": sys.version.split()[0]},
    )


def _defaults(name: str, function: Callable[..., Any]) -> dict[str, int]:
    """Return the ints that a function has as defaults; a bool is a flag, and none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: its parameters cannot be read") from error
    return {p.name: p.default for p in parameters if type(p.default) is int and p.default > 0}
