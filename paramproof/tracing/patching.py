"""Give modules an ``int``, a ``range`` and NumPy's ``prod`` that keep symbolic ints symbolic.

Python's own ``int(H / A)`` and ``range(L)`` return plain ints, and ``numpy.prod`` makes an array.
PyTorch's layers, whose code is not instrumented, receive these replacements during a trace, and so
do the modules of other frameworks.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from paramproof.tracing.instrumented.containers import forget_values
from paramproof.tracing.instrumented.iteration import symbolic_range
from paramproof.tracing.instrumented.lengths import forget_lengths
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
    """Python's ``int``, which keeps the expression of a symbolic number."""


class _LikeRange(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, builtins.range)

    def __call__(cls, *args: Any) -> Any:
        return symbolic_range(*args)


class TracingRange(metaclass=_LikeRange):
    """Python's ``range``, which becomes a ``SymRange`` if an argument is symbolic."""


@contextmanager
def _patched_prod() -> Iterator[None]:
    """Make ``numpy.prod`` keep symbolic ints, if NumPy is loaded."""
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
    """Patch the modules of ``packages`` inside the context."""
    # Discard what an earlier error left behind.
    forget_lengths()
    forget_values()
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
        with _patched_prod():
            yield
    finally:
        for module, key in touched:
            delattr(module, key)
        # A container that a loop filled may keep a whole model alive.
        forget_lengths()
        forget_values()
