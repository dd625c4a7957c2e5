"""Explanations by the active parameters per token of a mixture of experts."""

from __future__ import annotations

from paramproof.explanation.explanation import Counted, Explanation, Part
from paramproof.formulas.active import ACTIVE_CONVENTIONS, active, per_token
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import Undecided, size
from paramproof.formulas.expression import expression


def active_counts(architecture: Architecture) -> Counted:
    """Yield the active parameters per token of a mixture of experts, under each convention.

    Yield nothing if the number of experts per token is not known.
    """
    try:
        if not per_token(architecture):
            return
        named = active(architecture)
    except ValueError:
        return
    for name, convention in ACTIVE_CONVENTIONS.items():
        try:
            number = expression(size(convention(named)))
        except Undecided:
            continue
        yield number.evaluate(architecture.sizes), Explanation((Part(),), 1, active=name)
