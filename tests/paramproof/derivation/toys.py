"""Constructors of no framework: their models are lists of (path, lengths).

``asking_runner`` imitates a followed constructor: its program evaluates each guard, given in words,
and the answers are recorded.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from paramproof.derivation.guard_probing import negated
from paramproof.derivation.runner import DEFAULT_EFFORT, GeneralTensors, Runner
from paramproof.derivation.validation import Validator
from paramproof.formulas.condition import condition_in
from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.tensor_groups import ObservedTensor

PLACE = ("a.py", 1)


def observed(model):
    return [ObservedTensor(path, tuple(shape), "trainable") for path, shape in model]


def constructor(program, module, sizes):
    """Return a program, which adds tensors to a list, as a constructor."""

    def make(values):
        model = []
        program(model, **values)
        return model

    return Constructor("toy", sizes, make, observed, (module,))


def toy(make, unseen=None, **sizes):
    """Return ``make`` as a constructor: it takes sizes by name, and returns (path, lengths).

    ``unseen`` sees a model, returns more tensors, or raises what a framework does.
    """

    def program(model, **values):
        model += make(**values)
        model += unseen([*model]) if unseen else ()

    return constructor(program, make.__module__, sizes)


def asking_runner(program, effort=DEFAULT_EFFORT, loops=(), **sizes):
    """Run ``program(ask, **sizes)``, in which ``ask`` says whether a guard in words is met."""

    def guards_at(sizes):
        asked = Asked(sizes)
        program(asked, **sizes)
        return asked.guards

    own = toy(lambda **values: program(Asked(values), **values), **sizes)
    effort = replace(effort, deepest=6)
    return Runner(own, Random(0), effort, print, repeated=loops, guards_at=guards_at)


class Asked:
    def __init__(self, sizes):
        self.sizes, self.guards = sizes, {}

    def __call__(self, words):
        guard = condition_in(words)
        is_met = guard.is_met(self.sizes)
        self.guards[guard if is_met else negated(guard)] = {PLACE}
        return is_met


def derive_asking(program, *tensors, loops=(), effort=DEFAULT_EFFORT, **sizes):
    """Return the derivation of such a program with these tensors at its own sizes."""
    runner = asking_runner(program, effort, loops, **sizes)
    return Validator(runner, GeneralTensors([*tensors]), runner.guards_at(sizes)).validated()


def tensor(path, *shape, times=1, looped=True):
    """Return a parameter of these lengths, which are names of sizes or numbers."""
    lengths = (letter(one) if isinstance(one, str) else expression(one) for one in (*shape, times))
    *shape, times = lengths
    return DerivedTensor(path, tuple(shape), times, "trainable", (), True, looped)


def conditions(found):
    return {str(one.condition): str(one.consequence) for one in found.conditions}
