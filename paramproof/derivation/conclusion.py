"""Validate a formula whose guards were probed, and conclude with its derivation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.runner import DerivationError, Effort, Progress, Runner
from paramproof.derivation.validation import HeldOutValidation
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from

Naming: TypeAlias = Callable[[Iterable[str]], Mapping[str, str]]
"""Returns a letter for each field."""


def validated(
    prober: GuardProber,
    caveats: dict[str, None],
    effort: Effort,
    naming: Naming,
    note: Progress,
) -> Derivation:
    """Validate a formula whose guards were probed, and return the derivation."""
    runner, conditions, tensors = prober.runner, prober.conditions, prober.tensors
    tensors.fold(conditions.exact_divisions)
    conditions.fold()
    validation = HeldOutValidation(runner, conditions, tensors, note)
    try:
        validation.hold(effort.held + 1, effort.far)
    except DerivationError as error:
        raise error.because(caveats) from error
    letters = naming(runner.sizes)
    caveats = caveats | validation.caveats
    moving = {name for t in tensors.kept for e in (*t.shape, t.times) for name in e.letters}
    asked = {name for condition in conditions.consequences for name in condition.letters}
    derivation = Derivation(
        runner.name,
        dict(runner.sizes),
        {name: name for name in runner.sizes},
        tensors.kept,
        conditions.stated,
        fixed=tuple(sorted(runner.fixed)),
        inert=tuple(sorted(set(runner.sizes) - moving - asked - runner.fixed)),
        unexplained=tuple(tensors.left_out),
        irrelevant_guards=tuple(conditions.irrelevant),
        caveats=tuple(caveats),
        evidence=runner.evidence(effort.held),
        validated=_validated(runner, conditions, [*prober.alike, *validation.alike]),
    )
    return derivation_from(derivation_data(derivation.renamed(letters)))


def _validated(
    runner: Runner, conditions: GuardSet, alike: Iterable[Mapping[str, int]]
) -> dict[str, tuple[int, int]]:
    """Return the smallest and largest value of each size at which the formula was confirmed.

    Leaves out models that violate a guard stated later, or in which a fixed size has another value.
    """
    inside = [
        sizes
        for sizes in alike
        if all(condition.is_met(sizes) for condition in conditions.consequences)
        and all(sizes[name] == runner.sizes[name] for name in runner.fixed)
    ]
    found = {name: [sizes[name] for sizes in inside] for name in runner.sizes}
    return {name: (min(sizes), max(sizes)) for name, sizes in found.items() if sizes}
