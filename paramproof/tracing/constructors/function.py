"""Use a function that returns a model as a constructor: its int parameters are the sizes.

The code of a function that makes a PyTorch module is followed. In other frameworks a formula is
fitted to the models that it makes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from paramproof.formulas.errors import InvalidInput
from paramproof.sources.reference import require_arguments
from paramproof.tracing import abstract_build
from paramproof.tracing.constructors import Constructor, require_sizes
from paramproof.tracing.internal_errors import calls_constructor, raise_if_internal
from paramproof.tracing.tensor_groups import (
    ObservedTensor,
    has_numbered_names,
    layer_patterns,
    star_layer_numbers,
)


def function_constructor(
    name: str, function: Callable[..., Any], given: Mapping[str, int] | None = None
) -> Constructor:
    """Return ``function`` as a constructor; ``given`` overrides sizes by name.

    Raises ``ValueError`` with one line if the function has no sizes, or no parameter of a given
    name.
    """
    sizes = _defaults(name, function)
    chosen = dict(given or {})
    takes = inspect.signature(function).parameters
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    defaults = {
        one.name: one.default is not one.empty or one.kind in variable for one in takes.values()
    }
    require_arguments(name, defaults, chosen)
    sizes |= require_sizes(chosen)
    if not sizes:
        raise InvalidInput(f"{name} has no int parameters to derive a formula in")

    @calls_constructor
    def make(values: Mapping[str, int]) -> Any:
        model = abstract_build.build_abstractly(function, values)
        abstract_build.framework_of(model)
        return model

    framework, packages, layers = _first_made(make, sizes)
    is_torch = framework == "torch"
    module = function.__module__

    def read(model: Any) -> Iterable[ObservedTensor]:
        return star_layer_numbers(_tensors(model), layers)

    return Constructor(
        name,
        sizes,
        make,
        read if is_torch else abstract_build.observed_tensors,
        tuple(dict.fromkeys((module, module.partition(".")[0], *packages))),
        dict(_versions(abstract_build.distributions_of(framework)))
        | {"python": sys.version.split()[0]},
        function if is_torch and "torch" in sys.modules else None,
    )


def _versions(distributions: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in distributions:
        # For Flax, a mapping of arrays needs neither distribution.
        with suppress(PackageNotFoundError):
            yield name, version(name)


def _first_made(
    make: Callable[[Mapping[str, int]], Any], sizes: Mapping[str, int]
) -> tuple[str, tuple[str, ...], frozenset[str]]:
    """Build a model; return its framework, the packages of its classes and its layer patterns.

    Assumes PyTorch if the function refuses: the derivation reports why.
    """
    try:
        model = make(sizes)
        framework = abstract_build.framework_of(model)
        if framework != "torch":
            return framework, (), frozenset()
        return framework, packages_of(model), _numbered_layers(model, make, sizes)
    except Exception as error:  # A user's function may raise anything.
        raise_if_internal(error)
        return "torch", (), frozenset()


def _numbered_layers(
    model: Any, make: Callable[[Mapping[str, int]], Any], sizes: Mapping[str, int]
) -> frozenset[str]:
    """Return the patterns of repeated layers that have a number inside their name."""
    models = [_paths(model)]
    if not has_numbered_names(models[0]):
        return frozenset()
    for name, size in sizes.items():
        # A constructor may refuse this size.
        try:
            models.append(_paths(make({**sizes, name: size + 1})))
        except Exception as error:  # A user's function may raise anything.
            raise_if_internal(error)
    return layer_patterns(models)


def _paths(model: Any) -> list[str]:
    return [one.path for one in _tensors(model)]


def packages_of(model: Any) -> tuple[str, ...]:
    """Return the packages of the classes of a PyTorch module and its submodules.

    A thin function may call a library whose classes inherit from another library's; loops and
    comparisons in any of them matter. PyTorch's are trusted; the standard library builds no models.
    """
    classes = dict.fromkeys(base for part in model.modules() for base in type(part).__mro__)
    packages = dict.fromkeys(str(one.__module__).partition(".")[0] for one in classes)
    return tuple(name for name in packages if name not in PYTHON)


PYTHON = {"torch", *sys.stdlib_module_names} - {"__main__"}


def _tensors(model: Any) -> Iterable[ObservedTensor]:
    from paramproof.tracing.torch_tensors import observed_tensors

    return observed_tensors(model)


def _defaults(name: str, function: Callable[..., Any]) -> dict[str, int]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name}: its parameters cannot be read") from error
    return {p.name: p.default for p in parameters if type(p.default) is int and p.default > 0}
