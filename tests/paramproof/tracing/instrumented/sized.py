"""Sizes of a trace, what it knows about a container, and what it recorded."""

from paramproof.formulas.expression import letter
from paramproof.tracing.caveats import caveat_text
from paramproof.tracing.instrumented.lengths import known_length
from paramproof.tracing.symbolic.symint import SymInt

H, L = letter("H"), letter("L")


def size(number, expression):
    return SymInt(number, expression)


def length_of_list(values):
    known = known_length(values)
    return (False, None) if known is None else (True, known.length)


def caveats(recorder):
    return [caveat_text(one).partition(" (")[0] for one in recorder.caveats]
