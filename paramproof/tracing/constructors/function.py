"""Use a function that returns a model as a constructor: its int parameters are the sizes.

The code of a function that makes a PyTorch module is followed. In other frameworks a formula is
fitted to the models that it makes.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import starred
from paramproof.sources.live import comes_from
from paramproof.sources.reference import require_arguments
from paramproof.tracing.abstract_build import build_abstractly, model_frameworks, observed_tensors
from paramproof.tracing.constructors import Constructor, require_sizes, torch_tensors
from paramproof.tracing.internal_errors import raise_if_internal
from paramproof.tracing.tensor_groups import ObservedTensor, layer_patterns, star_layers


def function_constructor(
    name: str, function: Callable[..., Any], given: Mapping[str, int] | None = None
) -> Constructor:
    """Return ``function`` as a constructor; ``given`` overrides sizes by name.

    Raises ``ValueError`` with one line if the function has no sizes, or no parameter of a given
    name.
    """
    try:
        takes = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name}: its parameters cannot be read") from error
    chosen = dict(given or {})
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    defaults = {one.name: one.default is not one.empty or one.kind in variable for one in takes}
    require_arguments(name, defaults, chosen)
    sizes = {one.name: one.default for one in takes if type(one.default) is int and one.default > 0}
    sizes |= require_sizes(chosen)
    if not sizes:
        raise InvalidInput(f"{name} has no int parameters to derive a formula in")

    make, frameworks = partial(build_abstractly, function), model_frameworks()
    # If the function refuses its own sizes, the derivation reports why.
    framework, packages, layers = "torch", tuple[str, ...](), list[str]()
    try:
        model = make(sizes)
        framework = next((name for name in frameworks if comes_from(name, model)), "flax")
        if framework == "torch":
            packages, layers = packages_of(model), _numbered_layers(model, make, sizes)
    except Exception as error:  # A user's function may raise anything.
        raise_if_internal(error)

    def read(model: Any) -> Iterator[ObservedTensor]:
        for one in torch_tensors(model):
            path, *aliases = (star_layers(name, layers) for name in (one.path, *one.aliases))
            yield one._replace(path=path, aliases=tuple(aliases))

    is_torch, module = framework == "torch", function.__module__
    versions = {one: found for one, found in frameworks[framework].versions().items() if found}
    return Constructor(
        name,
        sizes,
        make,
        read if is_torch else observed_tensors,
        tuple(dict.fromkeys((module, module.partition(".")[0], *packages))),
        versions | {"python": sys.version.split()[0]},
        function if is_torch and "torch" in sys.modules else None,
    )


def _numbered_layers(
    model: Any, make: Callable[[Mapping[str, int]], Any], sizes: Mapping[str, int]
) -> list[str]:
    """Return the patterns of repeated layers that have a number inside their name."""
    models = [[one.path for one in torch_tensors(model)]]
    if not any(re.search(r"\d", starred(path)) for path in models[0]):
        return []
    for name, size in sizes.items():
        # A constructor may refuse this size.
        try:
            models.append([one.path for one in torch_tensors(make({**sizes, name: size + 1}))])
        except Exception as error:  # A user's function may raise anything.
            raise_if_internal(error)
    return layer_patterns(models)


def packages_of(model: Any) -> tuple[str, ...]:
    """Return the packages of the classes of a PyTorch module and its submodules.

    A thin function may call a library whose classes inherit from another library's; loops and
    comparisons in any of them matter. PyTorch's are trusted; the standard library builds no models.
    """
    classes = dict.fromkeys(base for part in model.modules() for base in type(part).__mro__)
    packages = dict.fromkeys(str(one.__module__).partition(".")[0] for one in classes)
    trusted = {"torch", *sys.stdlib_module_names} - {"__main__"}
    return tuple(name for name in packages if name not in trusted)
