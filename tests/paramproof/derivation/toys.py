"""Constructors of no framework: a program adds tensors to ``Parts``, or returns them as a list.

The module of the program is instrumented, so that ``range`` and ``int`` in it follow sizes, as they
do in the code of a real model.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from math import prod
from random import Random
from typing import Any

from paramproof.derivation.trace_runner import TraceRunner
from paramproof.formulas.expression import expression
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.recorder import RUNNING
from paramproof.tracing.symbolic.symint import plain_int
from paramproof.tracing.tensor_groups import ObservedTensor


class Parts:
    """A model: the tensors that were added, in order, with the loops that ran meanwhile."""

    def __init__(self):
        self.added = []

    def add(self, path, *shape, role="trainable", seen=True):
        """Add a tensor; where it is not ``seen``, nobody saw how its shape came about."""
        self.added.append((path, shape, role, seen, tuple(RUNNING)))

    def tensors(self, tracing):
        for path, shape, role, seen, made in self.added:
            numbers = tuple(map(plain_int, shape))
            letters = tuple(map(in_letters, shape)) if tracing and seen else None
            yield ObservedTensor(path, numbers, role, (), letters, made if tracing else ())


def in_letters(size):
    made = getattr(size, "expression", None)
    return expression(plain_int(size)) if made is None else made


def constructor(program: Callable[..., Any], module: str, sizes: dict[str, int]) -> Constructor:
    def make(values):
        parts = Parts()
        program(parts, **values)
        return parts

    return Constructor("toy", sizes, make, Parts.tensors, partial(nullcontext, "traced"), (module,))


def toy(make, unseen=None, **sizes):
    """Return ``make`` as a constructor: it takes sizes by name, and returns (path, lengths).

    ``unseen`` sees a model's shapes in plain numbers, as C code does that no tracer hears: it
    returns more tensors, or raises what a framework does.
    """

    def program(parts, **values):
        made = make(**values)
        for path, lengths in made:
            parts.add(path, *lengths)
        shapes = [(path, tuple(map(plain_int, lengths))) for path, lengths in made]
        for path, lengths in unseen(shapes) if unseen else ():
            parts.add(path, *lengths)

    return constructor(program, make.__module__, sizes)


def runner(program, **sizes):
    return TraceRunner(constructor(program, program.__module__, sizes), Random(0), 6)


def conditions(found):
    return {str(one.condition): str(one.consequence) for one in found.conditions}


def built(constructor, **sizes):
    return sum(prod(one.shape) for one in constructor.read(constructor.make(sizes), None))
