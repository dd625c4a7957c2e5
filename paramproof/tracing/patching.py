"""``int``, ``range`` and NumPy's ``prod`` that keep what a size remembers, in modules that run as
they are.

``int(H / A)`` asks for a plain int, and ``range(L)`` counts with plain ints, whatever they are
given; ``numpy.prod`` makes an array of them. While a model is traced, PyTorch's own layers see
these instead, and so do the modules of frameworks whose code is not instrumented otherwise.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from paramproof.tracing.instrumented.containers import forget_entered
from paramproof.tracing.instrumented.iteration import symbolic_range
from paramproof.tracing.instrumented.lengths import forget_all
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import SymInt


class _LikeInt(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, builtins.int)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, builtins.int)

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], SymInt | SymFloat):
            return args[0].__trunc__()
        return builtins.int(*args, **options)


class TracingInt(builtins.int, metaclass=_LikeInt):
    """Python's int, but of a size or a ratio it keeps how that was made."""


class _LikeRange(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, builtins.range)

    def __call__(cls, *args: Any) -> Any:
        return symbolic_range(*args)


class TracingRange(metaclass=_LikeRange):
    """Python's range, but over sizes it is a loop that knows its length."""


@contextmanager
def _products_remembered() -> Iterator[None]:
    """Let NumPy's ``prod``, where it is loaded, be the product of sizes that remember."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        yield
        return
    plain = numpy.prod

    def prod(values: Any, *args: Any, **options: Any) -> Any:
        if isinstance(values, list | tuple) and any(isinstance(one, SymInt) for one in values):
            return math.prod(values)
        return plain(values, *args, **options)

    setattr(numpy, "prod", prod)  # noqa: B010
    try:
        yield
    finally:
        setattr(numpy, "prod", plain)  # noqa: B010


@contextmanager
def patched_modules(packages: Iterable[str]) -> Iterator[None]:
    """Give the modules of ``packages`` what remembers, inside only."""
    # What an error left: a loop whose frame somebody keeps runs no longer.
    forget_all()
    forget_entered()
    packages = tuple(packages)
    inside = tuple(f"{package}." for package in packages)
    replaced = {"int": TracingInt, "range": TracingRange}
    touched: list[tuple[ModuleType, str]] = []
    for name in [name for name in sys.modules if name.startswith(inside) or name in packages]:
        if not isinstance(module := sys.modules[name], ModuleType):
            continue
        for key, value in replaced.items():
            if key not in vars(module):
                setattr(module, key, value)
                touched.append((module, key))
    try:
        with _products_remembered():
            yield
    finally:
        for module, key in touched:
            delattr(module, key)
        # What a loop filled may hold a whole model.
        forget_all()
        forget_entered()
