"""The components that a printed number claims to count, and its best explanation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache

from docs.writers.claims.data import Claim, ClaimedFormula
from paramproof.algebra.family_architecture import FamilyArchitecture
from paramproof.explanation import letters as algebra
from paramproof.explanation.explanation import (
    TRAINABLE,
    ChangedSizes,
    Explanation,
    Part,
    recount,
    usual_estimate,
)
from paramproof.explanation.ranking import tables_left_out
from paramproof.explanation.searched import candidates
from paramproof.explanation.sizes import FIELDS
from paramproof.formulas import inventory
from paramproof.formulas.conventions import PARTS, counted
from paramproof.formulas.expression import Expression
from paramproof.formulas.models import named_models
from paramproof.formulas.path import LAYER, beginnings, has_layer, in_braces, leaf, lies_in, parent
from paramproof.formulas.spec import Spec


@dataclass(frozen=True, slots=True)
class ClaimTarget:
    """The components of a model that a number claims to count, and the convention.

    ``complete`` means that the text lists every tensor, so no convention can explain a difference.
    """

    model: str
    spec: Spec
    explanation: Explanation
    complete: bool = False

    @classmethod
    def of(cls, entry: Claim | ClaimedFormula) -> ClaimTarget:
        """Return the target of an entry."""
        every = isinstance(entry, Claim) and entry.all
        names = (*TRAINABLE, *(entry.counts if isinstance(entry, Claim) else ()))
        parts = tuple(
            Part(path, has_layer(path) and not every, conventions=names) for path in entry.of
        )
        complete = isinstance(entry, Claim) and entry.complete
        return cls(entry.model, entry.spec, Explanation(parts, len(parts)), complete)

    @property
    def count(self) -> int:
        """The correct number."""
        number, _ = recount(self.explanation, FamilyArchitecture.of(self.spec))
        return number

    @property
    def name(self) -> str:
        """The names of its components."""
        return ", ".join(part.component or "the whole model" for part in self.explanation.parts)

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the text names."""
        return self.explanation.parts[0].conventions[1:]

    def under(self, names: tuple[str, ...]) -> Explanation:
        """Return the same components, counted under other conventions."""
        parts = tuple(part._replace(conventions=names) for part in self.explanation.parts)
        return self.explanation._replace(parts=parts)

    def excused(self, explanation: Explanation) -> bool:
        """Return whether ``explanation`` is this target under one convention more."""
        if len(explanation.parts) > 1 or explanation.sizes or explanation.as_estimate:
            return False
        (part,) = explanation.parts
        one = len(set(part.conventions) - set(TRAINABLE)) == 1
        return one and (part._replace(conventions=TRAINABLE),) == self.explanation.parts

    def covers(self, explanation: Explanation) -> bool:
        """Return whether every part of ``explanation`` lies in this target, in as many layers."""
        return all(
            any(
                lies_in(part.component, own.component) and part.one == own.one
                for own in self.explanation.parts
            )
            for part in explanation.parts
        )

    def beyond(self, explanation: Explanation) -> Expression:
        """Return ``explanation`` minus this target, in letters."""
        model = FamilyArchitecture.of(self.spec)
        own = algebra.in_letters(self.explanation, model)
        return algebra.in_letters(explanation, model) - own


def explanation_of(number: int, target: ClaimTarget) -> Explanation | None:
    """Return the explanation of ``number`` closest to its target, or None.

    The order is: the target itself, the target under one convention, the target with components
    left out or added, other explanations by the model, and explanations by other named models that
    differ from it only in the sizes of tables.
    """
    if number == target.count:
        return target.explanation
    own = [explanation for count, explanation in _candidates(target.model) if count == number]
    found = [
        explanation for explanation in own if not (target.complete and _conventional(explanation))
    ]
    found = found or list(_translated(number, target))

    def rank(explanation: Explanation) -> tuple[object, ...]:
        return (
            not target.excused(explanation),
            not target.covers(explanation),
            explanation.complexity,
            explanation.parts[0].component != target.explanation.parts[0].component,
            tables_left_out(explanation),
        )

    return min(found, key=rank, default=None)


def components_of(explanation: Explanation, target: ClaimTarget) -> str:
    """Return the components in which ``explanation`` differs from ``target``."""
    own = {part.component for part in target.explanation.parts}
    names = [part.component for part in explanation.parts if part.component not in own]
    names += _uncounted(explanation.parts[0], target.spec)
    names += [SIZE_OF.get(field, "the whole model") for field, _ in explanation.sizes]
    if explanation.as_estimate:
        names = list(_differing(target.spec))
    return ", ".join(dict.fromkeys(names))


SIZE_OF = {
    "vocab_size": "embeddings.word_embeddings",
    "target_vocab_size": "decoder.embeddings.word_embeddings",
    "max_position_embeddings": "embeddings.position_embeddings",
    "type_vocab_size": "embeddings.token_type_embeddings",
    "intermediate_size": "layers.*.feed_forward",
    "num_hidden_layers": "layers",
}
"""The component whose size a field gives, for fields that do not affect the whole model."""


def _uncounted(part: Part, spec: Spec) -> list[str]:
    """Return the components that the conventions of ``part`` leave out, as few as possible.

    Components with the same last name are grouped: ``attention.{query,key,value,output}.bias``.
    """
    named = counted(inventory(spec.letters()), *TRAINABLE)
    inside = (tensor for tensor in named if lies_in(tensor.path, part.component))
    there = [tensor.path for tensor in inside if tensor.present]
    kept = {tensor.path for tensor in counted(named, *TRAINABLE, *part.conventions[1:])}
    gone = [path for path in there if path not in kept]
    groups: dict[tuple[str, str], list[str]] = {}
    for path in dict.fromkeys(_largest(path, there, kept) for path in gone):
        above = parent(path)
        groups.setdefault((parent(above), leaf(path)), []).append(leaf(above))
    return [
        ".".join(filter(None, (before, in_braces(names), last)))
        for (before, last), names in groups.items()
    ]


def _largest(path: str, there: list[str], kept: set[str]) -> str:
    """Return the largest component around ``path`` that is left out entirely."""
    gone = (
        one for one in beginnings(path) if not any(lies_in(p, one) and p in kept for p in there)
    )
    return next(gone, path)


@cache
def _candidates(model: str) -> tuple[tuple[int, Explanation], ...]:
    return tuple(candidates(FamilyArchitecture.of(named_models()[model].spec), alone=True))


def _conventional(explanation: Explanation) -> bool:
    return any(part.conventions != TRAINABLE for part in explanation.parts)


def _translated(number: int, target: ClaimTarget) -> Iterator[Explanation]:
    """Yield explanations by other models, as explanations by the target's model at their sizes."""
    for name, model in named_models().items():
        if sizes := _other_sizes(target.spec, model.spec):
            for count, explanation in _candidates(name):
                if count == number and not explanation.sizes:
                    yield explanation._replace(
                        sizes=sizes, complexity=explanation.complexity + 2 * len(sizes)
                    )


def _other_sizes(spec: Spec, other: Spec) -> ChangedSizes:
    """Return the sizes of tables in which two specs differ, if nothing else differs."""
    if type(spec) is not type(other):
        return ()
    names = [field.name for field in fields(spec)]
    changed = [name for name in names if getattr(spec, name) != getattr(other, name)]
    if not FIELDS.keys() >= set(changed):
        return ()
    return tuple((name, getattr(other, name)) for name in changed)


def _differing(spec: Spec) -> Iterator[str]:
    """Yield the components of a layer whose count differs from the usual estimate."""
    usual, own = (
        PARTS["weights-only"](inventory(one.letters())) for one in (usual_estimate(spec), spec)
    )
    for path in own.components(f"layers.{LAYER}"):
        if usual.total(path) != own.total(path):
            yield path
