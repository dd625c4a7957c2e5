"""Write a derivation as an entry: a class relative to the class that it contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paramproof.catalogue.derivations import COMPOSED, with_prefix
from paramproof.formulas.derivation import FITTED, PROVED, Derivation, DerivedTensor
from paramproof.formulas.derivation_data import all_tensors_data, scope_data, ties_data

TENSOR_KEYS = ("contains", "variant", "under", "without", "tensors", "buffers", "ties")
"""The keys of ``class_data`` that describe tensors, in order."""

STANDING_KEYS = (
    *("conditions", "harmless", "fixed", "inert", "unread", "unexplained", "doubts", "validated"),
    *("status", "evidence"),
)
"""The keys of ``standing_data``, in order."""

MIN_SHARED = 0.3
"""The share of a part's tensors that a class must have to be written as containing it."""


@dataclass(frozen=True, slots=True)
class KnownVariant:
    """A variant that is written already: its class, its index, and its tensors."""

    name: str
    variant: int
    tensors: tuple[DerivedTensor, ...]

    def prefixes(self, paths: Iterable[str]) -> list[str]:
        """Return the prefixes under which ``paths`` has the first of its tensors."""
        first = self.tensors[0].path
        found = {path.removesuffix(first) for path in paths if f".{path}".endswith(f".{first}")}
        return sorted(one.removesuffix(".") for one in found)


def class_data(derivation: Derivation, known: Sequence[KnownVariant]) -> dict[str, Any]:
    """Return the JSON of a derivation, relative to one of the ``known`` variants if possible."""
    tensors = [without_aliases(one) for one in derivation.tensors]
    data: dict[str, Any] = {}
    part, prefix, without = _best_part(tensors, known)
    if part:
        data["contains"] = part.name
        if part.variant:
            data["variant"] = part.variant
        if prefix:
            data["under"] = prefix
        if without:
            data["without"] = without
        inherited_tensors = with_prefix(prefix, part.tensors)
        inherited = Counter(one for one in inherited_tensors if one.path not in without)
        tensors = list(_not_inherited(tensors, inherited))
    data |= all_tensors_data(tensors)
    data["ties"] = ties_data(derivation.tensors)
    data |= standing_data(derivation)
    return {key: value for key, value in data.items() if value}


def standing_data(derivation: Derivation) -> dict[str, Any]:
    """Return how far a derivation holds, as JSON: everything but its tensors.

    All ``STANDING_KEYS`` are present. Some have an empty value, which an entry leaves out.
    """
    # A proved formula holds at other sizes, too.
    tried = {} if derivation.status == PROVED else derivation.validated
    moving = {name: sizes for name, sizes in tried.items() if name not in derivation.inert}
    evidence = derivation.evidence
    # The text of an error is left out, since it names random sizes.
    return {
        **scope_data(replace(derivation, validated=moving)),
        "status": derivation.status,
        "evidence": [evidence.traces, evidence.builds, evidence.held],
    }


def composed_standing(data: Mapping[str, Any], also: Mapping[str, Any]) -> dict[str, Any]:
    """Return how far a variant holds that is composed of a class and a part's variant.

    Keys that are missing here have the class's values.
    """
    conditions = {**data.get("conditions", {}), **also.get("conditions", {})}
    return {
        **({"conditions": conditions} if conditions else {}),
        "doubts": [*data.get("doubts", ()), COMPOSED],
        "status": FITTED,
    }


def without_aliases(tensor: DerivedTensor) -> DerivedTensor:
    """Return a tensor without its other paths."""
    return replace(tensor, aliases=())


def _best_part(
    tensors: Sequence[DerivedTensor], known: Iterable[KnownVariant]
) -> tuple[KnownVariant | None, str, list[str]]:
    """Return the known variant that leaves the fewest tensors to write, and its prefix.

    Also return the paths of the part that the tensors lack.
    """
    counts, paths = Counter(tensors), {one.path for one in tensors}
    best: tuple[int, KnownVariant | None, str, list[str]] = (len(tensors), None, "", [])
    for one in known:
        for prefix in one.prefixes(paths):
            here = with_prefix(prefix, one.tensors)
            missing = {path for path, group in _by_path(here).items() if group - counts}
            shared = sum(1 for tensor in here if tensor.path not in missing)
            cost = len(tensors) - shared + len(missing)
            if shared >= MIN_SHARED * len(here) and shared and cost < best[0]:
                best = (cost, one, prefix, sorted(missing))
    return best[1:]


def _by_path(tensors: Iterable[DerivedTensor]) -> Mapping[str, Counter[DerivedTensor]]:
    found: dict[str, Counter[DerivedTensor]] = {}
    for one in tensors:
        found.setdefault(one.path, Counter())[one] += 1
    return found


def _not_inherited(
    tensors: Iterable[DerivedTensor], inherited: Counter[DerivedTensor]
) -> Iterable[DerivedTensor]:
    left = Counter(inherited)
    for one in tensors:
        if left[one] > 0:
            left[one] -= 1
        else:
            yield one
