"""Derive a formula of a constructor: follow its code, or fit the models that it builds.

The code of PyTorch's modules is followed with every size unknown, which proves the formula inside
its conditions. Where the code does what is not followed, and in other frameworks, the formula is
fitted to models, and names the lines that were not followed. Either is compared with models that
the code builds from plain ints, at sizes far from the constructor's own.
"""

from __future__ import annotations

from random import Random

from paramproof.derivation.fit import fit
from paramproof.derivation.runner import DEFAULT_EFFORT, DerivationError, Effort, Progress, Runner
from paramproof.formulas.derivation import Derivation
from paramproof.tracing.constructors import Constructor

__all__ = ["DerivationError", "Effort", "derive"]


def derive(
    constructor: Constructor,
    seed: int = 0,
    note: Progress = lambda _: None,
    *,
    effort: Effort = DEFAULT_EFFORT,
) -> Derivation:
    """Return the formula of ``constructor``.

    Raises ``DerivationError`` with one line if no formula was found, or if validation failed.
    """
    runner, caveats = Runner(constructor, Random(seed), effort, note), tuple[str, ...]()
    if constructor.function is not None:
        # PyTorch is loaded: the function has built a module of it.
        from paramproof.derivation.followed import NotFollowedError, follow

        try:
            return follow(runner)
        except NotFollowedError as error:
            caveats = error.args
    return fit(runner, caveats)
