"""A function that makes a model as a constructor: its int parameters are the letters.

A PyTorch module's shapes are traced where they are made; those of any other framework are read from
values, since there sizes become plain ints on the way.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from paramproof.derivation import abstract
from paramproof.derivation.constructor import LOOPS_OF, Constructor
from paramproof.derivation.questions import deaf_to_arrays
from paramproof.derivation.reading import Seen
from paramproof.formulas.printing import shown


def constructor(
    name: str, function: Callable[..., Any], given: Mapping[str, int] | None = None
) -> Constructor:
    """Return ``function`` as a constructor; ``given`` are sizes by name, of any that it takes.

    Raises ``ValueError``, in one line, for a function without sizes, for a size that it does not
    take.
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

    def make(values: Mapping[str, int]) -> Any:
        model = abstract.made(function, values)
        abstract.framework_of(model)
        return model

    framework = _framework(make, sizes)
    traced = framework == "torch"
    module = function.__module__
    return Constructor(
        name,
        sizes,
        make,
        _traced_tensors if traced else lambda model, _: abstract.tensors(model),
        _tracing if traced else deaf_to_arrays,
        (module, module.partition(".")[0], *LOOPS_OF),
        dict(_versions(abstract.FRAMEWORKS[framework])) | {"python": sys.version.split()[0]},
        is_followed=traced,
    )


def _versions(distributions: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in distributions:
        # A mapping may be of linen, and of nothing at all.
        with suppress(PackageNotFoundError):
            yield name, version(name)


def _framework(make: Callable[[Mapping[str, int]], Any], sizes: Mapping[str, int]) -> str:
    """The framework of what is made; PyTorch where nothing is, which whoever derives will say."""
    try:
        return abstract.framework_of(make(sizes))
    except Exception:
        return "torch"


def _traced_tensors(model: Any, tracing: Any) -> Iterable[Seen]:
    from paramproof.derivation import live_torch

    return live_torch.tensors(model, tracing)


def _tracing() -> Any:
    from paramproof.derivation.torch_tracing import Tracing

    return Tracing()


def _defaults(name: str, function: Callable[..., Any]) -> dict[str, int]:
    """Return the ints that a function has as defaults; a bool is a flag, and none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: its parameters cannot be read") from error
    return {p.name: p.default for p in parameters if type(p.default) is int and p.default > 0}
