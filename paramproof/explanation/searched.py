"""A model in which numbers are searched, with the counts of its explanations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from paramproof.algebra.family_architecture import FamilyArchitecture
from paramproof.explanation.explanation import Counted, Explanation, inventory_of
from paramproof.explanation.grammar import (
    MIN_COUNT_BY_COMPLEXITY,
    MODELS_REMEMBERED,
    explanations,
    simple_explanations,
    whole_explanations,
    with_classifier,
)
from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.sizes import at_known_sizes, with_labels
from paramproof.formulas import Inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.spec import Spec


@dataclass(frozen=True, eq=False)
class SearchedModel:
    """A model in which numbers are searched.

    With ``every_form``, the whole grammar is tried on an exact number; without, only the usual
    counts. ``printed`` is its published number of parameters, and ``printed_active`` that of its
    active parameters.
    """

    name: str
    architecture: Architecture
    every_form: bool = True
    printed: WrittenNumber | None = None
    printed_active: WrittenNumber | None = None

    @cached_property
    def named(self) -> Inventory:
        """Its tensors, with ints as sizes."""
        return inventory_of(self.architecture)

    @cached_property
    def total(self) -> int:
        """Its number of trainable parameters."""
        return int(self.named.total())

    @cached_property
    def simple(self) -> tuple[tuple[int, Explanation], ...]:
        """The usual explanations, each with its count."""
        return tuple(dict.fromkeys(simple_explanations(self.architecture, self.named)))

    @cached_property
    def whole(self) -> tuple[tuple[int, Explanation], ...]:
        """Those of the usual explanations that count the whole model, each with its count."""
        return tuple(dict.fromkeys(whole_explanations(self.architecture, self.named)))

    def candidates(self, number: int | None, *, alone: bool) -> Iterator[tuple[int, Explanation]]:
        """Yield the possible explanations of an exact ``number``, or of any, with their counts.

        ``alone`` is set if no other model is searched.
        """
        if self.every_form:
            return candidates(self.architecture, alone=alone, number=number)
        return large_enough(self.simple)

    def rounded_candidates(self, *, alone: bool) -> Counted:
        """Yield the possible explanations of a rounded number, with their counts.

        Components, and conventions that leave little of a model, are tried only if it is searched
        ``alone``.
        """
        yield from self.simple if alone else self.whole

    def is_published(self, number: WrittenNumber, explanation: Explanation) -> bool:
        """Return whether ``number`` was published for what ``explanation`` counts."""
        printed = self.printed_active if explanation.active else self.printed
        counts = explanation.active or explanation.is_total
        return bool(counts and printed and number.same_as(printed))


def candidates(
    architecture: Architecture, *, alone: bool = False, number: int | None = None
) -> Iterator[tuple[int, Explanation]]:
    """Yield every possible explanation of an exact number by a model, with its count.

    If the ``number`` is given, the number of labels of a classifier is solved for.
    """
    if spec := architecture.spec:
        found = (*with_classifier(spec, number), *_of_any_number(spec, alone))
    else:
        found = (*explanations(architecture), *with_labels(architecture, number))
    yield from large_enough(found)


def large_enough(found: tuple[tuple[int, Explanation], ...]) -> Counted:
    """Yield the explanations whose count is large enough for their complexity."""
    for count, explanation in found:
        if count >= MIN_COUNT_BY_COMPLEXITY[explanation.complexity]:
            yield count, explanation


@lru_cache(MODELS_REMEMBERED)
def _of_any_number(spec: Spec, alone: bool) -> tuple[tuple[int, Explanation], ...]:
    return (*explanations(FamilyArchitecture.of(spec)), *at_known_sizes(spec, alone=alone))
