"""One model at other sizes: whether it is as derived, and what happens there if it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from paramproof.derivation.doubts import Doubt, at
from paramproof.derivation.in_letters import Tensors
from paramproof.derivation.making import Maker
from paramproof.formulas.derivation import Consequence, Kind, Outcome
from paramproof.sources.reference import in_one_line


class Trial(NamedTuple):
    """What came of a model.

    ``outside`` is what happens here, or None where all is as derived, and ``wrong`` says what
    differs, with the sizes. ``buffers`` are not as derived either.
    """

    outside: Consequence | None = None
    wrong: Doubt = ()
    buffers: tuple[Kind, ...] = ()


def tried(maker: Maker, tensors: Tensors, sizes: Mapping[str, int]) -> Trial:
    """Return what comes of a model at these sizes, as far as the first difference."""
    try:
        made = maker.build(sizes)
    except Exception as error:
        why = in_one_line(error)
        return Trial(
            Consequence(Outcome.REFUSED, why),
            ("refuses sizes inside the conditions, ", *at(sizes), f": {why}"),
        )
    here: Doubt = "not as derived at ", *at(sizes)
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
