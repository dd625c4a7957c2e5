"""Compare the models of two libraries symbolically, and find the tensors that differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import combinations

from docs.writers.kerashub.pairs import Pair
from paramproof.derivation.guard_set import simplify_exact_division
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, sum_of

WORDS = {
    "kernel": "weight", "embeddings": "weight", "gamma": "weight", "beta": "bias", "ln": "layernorm"
}  # fmt: skip
"""The names of tensors and layers in Keras, with those in PyTorch."""

MOST_TOGETHER = 4
"""The most tensors into which the other library may split one: query, key, value and more."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A backbone of KerasHub and its model in transformers, in the same letters.

    Both formulas assume the ``conditions`` of both, and that divisions which transformers rounds
    down are exact. ``more`` are the tensors that only KerasHub has, ``fewer`` those that only
    transformers has.
    """

    pair: Pair
    ours: Derivation
    theirs: Derivation
    conditions: tuple[Condition, ...]
    more: tuple[DerivedTensor, ...]
    fewer: tuple[DerivedTensor, ...]

    @property
    def difference(self) -> Expression:
        """KerasHub's formula minus that of transformers."""
        return self.ours.formula - self.theirs.formula


def compare(pair: Pair, ours: Derivation) -> Comparison:
    """Compare a derived backbone with the catalogue's base model, under the conditions of both.

    Raises ``ValueError`` if the remaining tensors do not add up to the difference, or if ``why``
    explains a tensor that does not remain.
    """
    theirs = pair.theirs(ours.sizes)
    stated = (one.condition for one in (*theirs.conditions, *ours.conditions))
    divide = (
        one for one in theirs.irrelevant_guards if one.relation is Relation.DIVIDES and one.holds
    )
    met = tuple(dict.fromkeys([*divide, *stated]))
    exact = [(c.right, c.left) for c in met if c.relation is Relation.DIVIDES and c.holds]
    ours, theirs = _written(ours, exact), _written(theirs, exact)
    conditions = dict.fromkeys(
        replace(
            one,
            left=simplify_exact_division(one.left, exact),
            right=simplify_exact_division(one.right, exact),
        )
        if one.relation is not Relation.DIVIDES
        else one
        for one in met
    )
    more, fewer = left_over(_trainable(ours), _trainable(theirs))
    found = Comparison(
        pair,
        ours,
        theirs,
        tuple(_needed(conditions)),
        tuple(more),
        tuple(fewer),
    )
    if _total(more) - _total(fewer) != found.difference:
        raise ValueError(f"{pair.backbone}: the tensors that are left make another difference")
    if unknown := pair.why.keys() - {tensor.path for tensor in (*more, *fewer)}:
        raise ValueError(f"{pair.backbone}: no difference consists of {', '.join(unknown)}")
    return found


def _needed(conditions: Iterable[Condition]) -> list[Condition]:
    """Return the conditions that are neither always met nor implied by one before."""
    found: list[Condition] = []
    for one in conditions:
        always = (
            one.relation is Relation.DIVIDES and floor(one.right, one.left) * one.left == one.right
        )
        if not (one.is_settled or always or any(other.implies(one) for other in found)):
            found.append(one)
    return found


def _written(derivation: Derivation, exact: list[tuple[Expression, Expression]]) -> Derivation:
    """Return a derivation whose shapes use exact divisions."""
    return replace(
        derivation,
        tensors=tuple(
            replace(
                one, shape=tuple(simplify_exact_division(length, exact) for length in one.shape)
            )
            for one in derivation.tensors
        ),
    )


def _trainable(derivation: Derivation) -> list[DerivedTensor]:
    return [one for one in derivation.tensors if one.role == "trainable" and one.size != 0]


def _total(tensors: list[DerivedTensor]) -> Expression:
    return sum_of(one.size for one in tensors)


def left_over(
    left: list[DerivedTensor], right: list[DerivedTensor]
) -> tuple[list[DerivedTensor], list[DerivedTensor]]:
    """Return the tensors of either side that remain after tensors of equal size are matched.

    Tensors of equal size with the most similar names are matched first. Then one tensor is matched
    with several that add up to its size.
    """
    more, fewer = list(left), list(right)
    equal = [(one, other) for one in left for other in right if one.size == other.size]
    equal.sort(key=lambda both: -_likeness(both[0].path, both[1].path))
    for one, other in equal:
        if one in more and other in fewer:
            more.remove(one)
            fewer.remove(other)
    while _take_parts(more, fewer) or _take_parts(fewer, more):
        pass
    return more, fewer


def _likeness(ours: str, theirs: str) -> float:
    """Return how similar two names are, with Keras's words replaced by PyTorch's."""
    words = (WORDS.get(word, word) for word in ours.split("."))
    return SequenceMatcher(None, ".".join(words), theirs).ratio()


def _take_parts(wholes: list[DerivedTensor], parts: list[DerivedTensor]) -> bool:
    """Remove a tensor and several that add up to it; return whether there were any."""
    for one in wholes:
        for number in range(2, MOST_TOGETHER + 1):
            for some in combinations(parts, number):
                if _total(list(some)) == one.size:
                    wholes.remove(one)
                    for part in some:
                        parts.remove(part)
                    return True
    return False
