"""Constructors of no framework: functions that say which tensors they make.

A function takes a ``Parts`` and sizes. Its module is the one that is instrumented, so that
``range`` and ``int`` in it follow sizes, as they do in the code of a real model.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
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

    def add(self, path, *shape, role="trainable", aliases=(), seen=True):
        """Add a tensor; where it is not ``seen``, nobody saw how its shape came about."""
        self.added.append((path, shape, role, aliases, seen, tuple(RUNNING)))

    def tensors(self, traced):
        """Return the tensors, with shapes in letters where they were traced and seen."""
        return [
            ObservedTensor(
                path,
                tuple(map(plain_int, shape)),
                role,
                tuple(aliases),
                tuple(map(in_letters, shape)) if traced and seen else None,
                made if traced else (),
            )
            for path, shape, role, aliases, seen, made in self.added
        ]


def in_letters(size):
    """Return the expression of a size, or of a plain number."""
    made = getattr(size, "expression", None)
    return expression(plain_int(size)) if made is None else made


def toy(program: Callable[..., Any], name: str = "toy", **sizes: int) -> Constructor:
    """Return the constructor of what ``program`` makes of these sizes."""

    def make(values):
        parts = Parts()
        program(parts, **values)
        return parts

    return Constructor(
        name,
        sizes,
        make,
        lambda parts, tracing: parts.tensors(traced=tracing is not None),
        lambda: nullcontext("traced"),
        (program.__module__,),
    )


def runner(program, **sizes):
    """Return what makes the models of a program, with the same sizes drawn at every run."""
    return TraceRunner(toy(program, **sizes), Random(0), 6)


def traces(program, *points):
    """Return the traces of a program at these sizes."""
    there = runner(program, **points[0])
    return [there.trace(point) for point in points]
