"""Compare one model at given sizes with the formula."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from paramproof.derivation.generalization import GeneralTensors
from paramproof.derivation.trace_runner import TraceRunner
from paramproof.formulas.derivation import Consequence, Kind, Outcome
from paramproof.sources.reference import in_one_line
from paramproof.tracing.caveats import Caveat, sizes_fragment
from paramproof.tracing.internal_errors import raise_if_internal


class Trial(NamedTuple):
    """The result of comparing one model with the formula.

    ``consequence`` is None if all parameters match, and ``wrong`` describes the first difference,
    with the sizes. ``buffers`` are kinds of buffers that differ.
    """

    consequence: Consequence | None = None
    wrong: Caveat = ()
    buffers: tuple[Kind, ...] = ()


def run_trial(runner: TraceRunner, tensors: GeneralTensors, sizes: Mapping[str, int]) -> Trial:
    """Build a model at these sizes and compare it, up to the first parameter that differs."""
    try:
        made = runner.build(sizes)
    except Exception as error:  # A constructor may raise anything.
        raise_if_internal(error)
        why = in_one_line(error)
        return Trial(
            Consequence(Outcome.REFUSED, why),
            ("refuses sizes inside the conditions, ", *sizes_fragment(sizes), f": {why}"),
        )
    here: Caveat = "not as derived at ", *sizes_fragment(sizes)
    try:
        differences = tensors.differences(made, sizes)
    except (ValueError, ZeroDivisionError) as error:
        return Trial(Consequence(Outcome.OTHERS), (*here, f": {error}"))
    buffers: list[Kind] = []
    for (kind, shape), there, due in differences:
        if kind.role != "buffer":
            differs = f": {kind.path} of {shape} is there {there} times, and not {due}"
            return Trial(Consequence(Outcome.OTHERS), (*here, differs), tuple(buffers))
        buffers.append(kind)
    return Trial(buffers=tuple(buffers))
