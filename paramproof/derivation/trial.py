"""One model at other sizes: whether it is as derived, and what happens there if it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from paramproof.derivation.generalization import GeneralTensors
from paramproof.derivation.trace_runner import TraceRunner
from paramproof.formulas.derivation import Consequence, Kind, Outcome
from paramproof.sources.reference import in_one_line
from paramproof.tracing.caveats import Caveat, sizes_fragment


class Trial(NamedTuple):
    """What came of a model.

    ``outside`` is what happens here, or None where all is as derived, and ``wrong`` says what
    differs, with the sizes. ``buffers`` are not as derived either.
    """

    consequence: Consequence | None = None
    wrong: Caveat = ()
    buffers: tuple[Kind, ...] = ()


def run_trial(runner: TraceRunner, tensors: GeneralTensors, sizes: Mapping[str, int]) -> Trial:
    """Return what comes of a model at these sizes, as far as the first difference."""
    try:
        made = runner.build(sizes)
    except Exception as error:
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
