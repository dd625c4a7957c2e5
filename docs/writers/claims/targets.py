"""The components that a printed number claims to count, and its best explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache

from docs.writers.claims.data import Claim, ClaimedFormula
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.explanation.answer import Match
from paramproof.explanation.index import Described, Way, component, named, words
from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.search import PLAIN, search
from paramproof.explanation.ways import TRAINABLE, Part, PartCounts, parts_of_way
from paramproof.formulas import inventory
from paramproof.formulas.conventions import PARTS, STORAGE, Undecided, counted
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.models import named_models
from paramproof.formulas.path import (
    beginnings,
    has_layer,
    in_braces,
    leaf,
    lies_in,
    parent,
    without_braces,
)
from paramproof.formulas.spec import Spec

FIELDS = {"vocab_size", "target_vocab_size", "max_position_embeddings", "type_vocab_size"}
"""The sizes of tables."""


@dataclass(frozen=True, slots=True)
class ClaimTarget:
    """The components of a model that a number claims to count, and the convention.

    ``complete`` means that the text lists every tensor, so no convention can explain a difference.
    """

    model: str
    spec: Spec
    parts: tuple[Part, ...] = (Part(),)
    complete: bool = False

    @classmethod
    def of(cls, entry: Claim | ClaimedFormula) -> ClaimTarget:
        """Return the target of an entry."""
        every = isinstance(entry, Claim) and entry.all
        names = (*TRAINABLE, *(entry.counts if isinstance(entry, Claim) else ()))
        parts = tuple(
            Part(path, has_layer(path) and not every, conventions=names) for path in entry.of
        )
        return cls(entry.model, entry.spec, parts, isinstance(entry, Claim) and entry.complete)

    @property
    def formula(self) -> Expression:
        """The correct number in letters."""
        return in_hidden(counts(self.model).formula(self.parts), self.spec)

    @property
    def count(self) -> int:
        """The correct number."""
        return self.formula.evaluate(FamilyArchitecture.of(self.spec).sizes)

    @property
    def name(self) -> str:
        """The names of its components."""
        return ", ".join(part.component or "the whole model" for part in self.parts)

    @property
    def text(self) -> str:
        """Its components in words; those of one component are joined, ``attention.{query,key}``."""
        groups: dict[tuple[object, ...], list[Part]] = {}
        for part in self.parts:
            above = parent(part.component) or part.component
            groups.setdefault((above, part.one, part.conventions), []).append(part)
        return " + ".join(map(_words, groups.values()))

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the text names."""
        return self.parts[0].conventions[1:]

    def under(self, names: tuple[str, ...]) -> ClaimTarget:
        """Return the same components, counted under other conventions."""
        parts = tuple(part._replace(conventions=names) for part in self.parts)
        return ClaimTarget(self.model, self.spec, parts)


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a number counts instead of its target: an explanation, perhaps at another's sizes."""

    match: Match
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The explanation in words."""
        if not self.sizes:
            return self.match.text
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        return f"{self.match.text}, at {sizes} (of {self.match.model.name})"

    def beyond(self, target: ClaimTarget) -> Expression:
        """Return this minus a target, in letters, with a prime for each other size."""
        of = {field: name for name, (field, _) in self.match.model.letters.items()}
        primed = {of[name]: letter(f"{of[name]}'") for name in self.sizes}
        own = in_hidden(self.match.expression, target.spec)
        return own.substitute(primed) - target.formula

    def is_inside(self, target: ClaimTarget) -> bool:
        """Return whether this counts parts of the target only, in as many layers."""
        way = self.match.way
        path = "" if way.kind in ("under", "estimate") else way.what
        one = way.kind in ("one", "wide")
        return any(lies_in(path, own.component) and one == own.one for own in target.parts)

    def components(self, target: ClaimTarget) -> str:
        """Return the components in which this differs from its target."""
        own, way = {part.component for part in target.parts}, self.match.way
        names = [part.what for part in self.match.without]
        if way.kind == "wide":
            is_output = way.what.endswith("output")
            names += [f"{way.what}.kernel"] if is_output else without_braces(way.what)
        elif way.kind == "estimate":
            names.append("layers.*.feed_forward")
        else:
            parts = parts_of_way(way)
            names += [part.component for part in parts if part.component not in {*own, ""}]
            names += _uncounted(parts[0], target.spec)
        names += [SIZE_OF.get(name, "the whole model") for name in self.sizes]
        return ", ".join(dict.fromkeys(names))


def excuse(number: int, target: ClaimTarget) -> ClaimTarget | None:
    """Return the target under the convention that makes ``number`` right, or None.

    A text that lists every tensor, or that names a convention, has no such excuse.
    """
    if target.complete or target.conventions:
        return None
    for names in (*((*TRAINABLE, name) for name in PARTS), *((name,) for name in STORAGE)):
        other = target.under(names)
        with suppress(Undecided):
            if other.count == number:
                return other
    return None


def explanation_of(number: int, target: ClaimTarget) -> Claimed | None:
    """Return the explanation of ``number`` closest to its target, or None.

    Its components with parts left out come first, then other explanations by the model, and
    those by other named models that differ from it only in the sizes of tables.
    """
    found = [Claimed(one) for one in _matches(number, target.model, target.complete)]
    found = found or list(_translated(number, target))
    return min(found, key=lambda one: not one.is_inside(target), default=None)


SIZE_OF = {
    "vocab_size": "embeddings.word_embeddings",
    "target_vocab_size": "decoder.embeddings.word_embeddings",
    "max_position_embeddings": "embeddings.position_embeddings",
    "type_vocab_size": "embeddings.token_type_embeddings",
    "intermediate_size": "layers.*.feed_forward",
    "num_hidden_layers": "layers",
}
"""The component whose size a field gives, for fields that do not affect the whole model."""


def in_hidden(formula: Expression, spec: Spec) -> Expression:
    """Return a formula with H for G·K and A·K, if every head has keys and values of H/A."""
    own = spec.letters()._asdict()
    if own.get("G") != own.get("A") or own.get("A", 1) * own.get("K", 0) != own["H"]:
        return formula
    return formula.substitute({"G": letter("A"), "K": letter("H") / letter("A")})


@cache
def counts(model: str) -> PartCounts:
    """Return what counts the parts of a model."""
    return PartCounts(FamilyArchitecture.of(named_models()[model].spec))


def _words(parts: list[Part]) -> str:
    """Return parts of one component in words."""
    first = parts[0]
    names = ", ".join(name for name in first.conventions if (name,) != TRAINABLE)
    if not first.component:
        return words(Way("under", names or "trainable", 0, ""))
    above, own = parent(first.component), in_braces([leaf(part.component) for part in parts])
    path = f"{above}.{own}" if above else own
    what = f"{path} under {names}" if names else path
    return component(Way("one" if first.one else "all", what, 0, ""), noun=False)


def _matches(number: int, model: str, complete: bool = False) -> Iterator[Match]:
    """Yield the explanations of a number by the components of a model.

    Conventions are left out if the text is ``complete``.
    """
    known = named()[model]
    first, *others = (way for way in known.ways if way.kind in PLAIN and way.kind != "class")
    ways = [way for way in others if not (complete and way.kind == "under")]
    own = Described(model, (first, *ways), known.letters)
    yield from search(WrittenNumber(str(number), number), [own], alone=True)


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


def _translated(number: int, target: ClaimTarget) -> Iterator[Claimed]:
    """Yield explanations by other models, as explanations by the target's model at their sizes."""
    for name, model in named_models().items():
        if sizes := _other_sizes(target.spec, model.spec):
            for match in _matches(number, name):
                yield Claimed(match, sizes)


def _other_sizes(spec: Spec, other: Spec) -> dict[str, int]:
    """Return the sizes of tables in which two specs differ, if nothing else differs."""
    if type(spec) is not type(other):
        return {}
    theirs = {one.name: getattr(other, one.name) for one in fields(spec)}
    changed = {name: size for name, size in theirs.items() if size != getattr(spec, name)}
    return changed if changed.keys() <= FIELDS else {}
