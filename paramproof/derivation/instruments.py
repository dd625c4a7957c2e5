"""``int``, ``range`` and NumPy's ``prod`` that keep what a size remembers, while a model is made.

``int(H / A)`` asks for a plain int, and ``range(L)`` counts with plain ints, whatever they are
given; ``numpy.prod`` makes an array of them. While a model is traced the modules whose code makes
it see these instead. They are there for finding a formula only; what holds it to models runs the
modules as they are.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from types import ModuleType
from typing import Any

from paramproof.derivation.loops import Iteration
from paramproof.derivation.questions import LOOP, note_loop
from paramproof.derivation.size import Ratio, Size, made_by
from paramproof.formulas.expression import expression, letter

_numbers = count()

RUNNING: list[Iteration] = []
"""The loops over sizes that are running, the innermost last."""


class _LikeInt(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, builtins.int)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, builtins.int)

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], Size | Ratio):
            return args[0].__trunc__()
        return builtins.int(*args, **options)


class RememberedInt(builtins.int, metaclass=_LikeInt):
    """Python's int, but of a size or a ratio it keeps how that was made."""


class _LikeRange(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, builtins.range | Loop)

    def __call__(cls, *args: Any) -> Any:
        if any(isinstance(one, Size) for one in args):
            return Loop(*args)
        return builtins.range(*args)


class RememberedRange(metaclass=_LikeRange):
    """Python's range, but over sizes it is a loop that knows its length."""


class Loop:
    """A range over sizes: its indices are sizes too, with the loop's own letter."""

    def __init__(self, *args: Any) -> None:
        self.numbers = builtins.range(*map(builtins.int, args))
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        length = -((start - stop) // step)
        self.length = length.expression if isinstance(length, Size) else expression(length)
        self.start, self.step = made_by(start) or expression(0), made_by(step) or expression(1)

    def __iter__(self) -> Iterator[Size]:
        index = f"{LOOP}{next(_numbers)}"
        note_loop(self.length, index)
        # The letter is which iteration it is: the third of range(2, L, 3) is 2 + 3·2.
        made = self.start + self.step * letter(index)
        for iterations, number in enumerate(self.numbers):
            iteration = Iteration(self.length, index, iterations)
            RUNNING.append(iteration)
            try:
                yield Size(number, made)
            finally:
                if iteration in RUNNING:
                    RUNNING.remove(iteration)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        return self.numbers[index]

    def __contains__(self, item: object) -> bool:
        # Through the sizes, so that it is asked what this number is compared with.
        return any(item == number for number in self)

    def __reversed__(self) -> Iterator[Size]:
        return builtins.reversed(list(self))


@contextmanager
def _products_remembered() -> Iterator[None]:
    """Let NumPy's ``prod``, where it is loaded, be the product of sizes that remember."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        yield
        return
    plain = numpy.prod

    def prod(values: Any, *args: Any, **options: Any) -> Any:
        if isinstance(values, list | tuple) and any(isinstance(one, Size) for one in values):
            return math.prod(values)
        return plain(values, *args, **options)

    setattr(numpy, "prod", prod)  # noqa: B010
    try:
        yield
    finally:
        setattr(numpy, "prod", plain)  # noqa: B010


@contextmanager
def instrumented(packages: Iterable[str]) -> Iterator[None]:
    """Give the modules of ``packages`` what remembers, inside only."""
    # A loop that an error left, and whose frame somebody keeps, runs no longer.
    RUNNING.clear()
    packages = tuple(packages)
    inside = tuple(f"{package}." for package in packages)
    replaced = {"int": RememberedInt, "range": RememberedRange}
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
