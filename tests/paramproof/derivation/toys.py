"""Constructors of pure Python, which need no framework: a model is a list of named shapes."""

from contextlib import nullcontext
from operator import index

from paramproof.formulas.expression import expression
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.tensor_groups import ObservedTensor


def toy(make, unseen=None, **sizes):
    """Return ``make`` as a constructor: it takes sizes by name, and returns (path, lengths).

    ``unseen`` sees a model's shapes in plain numbers, as C code does that no tracer hears: it
    returns more tensors, or raises what a framework does.
    """

    def read(model, _):
        shapes = [(path, tuple(map(index, lengths))) for path, lengths in model]
        for (path, shape), (_, lengths) in zip(shapes, model, strict=True):
            letters = tuple(getattr(n, "expression", None) or expression(n) for n in lengths)
            yield ObservedTensor(path, shape, "trainable", (), letters)
        for path, shape in (unseen(shapes) if unseen else None) or ():
            yield ObservedTensor(path, shape, "trainable", (), tuple(map(expression, shape)))

    def made(chosen):
        return make(**chosen)

    return Constructor("toy", sizes, made, read, nullcontext, (make.__module__,))


def conditions(found):
    """The conditions of a derivation as text, with what is so elsewhere."""
    return {str(one.condition): str(one.consequence) for one in found.conditions}


def built(constructor, **sizes):
    """How many parameters a model has at these sizes."""
    total = 0
    for seen in constructor.read(constructor.make(sizes), None):
        number = 1
        for length in seen.shape:
            number *= length
        total += number
    return total
