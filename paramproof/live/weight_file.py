"""Compare a file of weights with a derived formula, by the names and shapes in its header."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from paramproof.catalogue.conversions import Conversions, Loaded, Transform, conversions_of
from paramproof.formulas import Inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.path import starred
from paramproof.live.matching import Matching, most_pairs
from paramproof.live.name_matching import units_in
from paramproof.live.report import LiveReport
from paramproof.live.source_shapes import Member, members
from paramproof.live.units import Unit
from paramproof.sources.checkpoints import Checkpoint
from paramproof.sources.checkpoints.names import shared_prefixes
from paramproof.sources.live.weight import LiveWeight
from paramproof.sources.telltale import unwrapped

MAX_NAMES_TRIED = 100
"""The most names of a file that are tried to find the prefix of all of them."""


@dataclass(frozen=True, slots=True)
class WeightFileReport:
    """The buffers of a file, its untied tensors, and the report on the rest.

    ``prefix`` is a prefix of all names that transformers does not know. ``by_shapes`` means that
    the file has none of the formula's names, so that only shapes were compared. In both cases
    transformers cannot load the file by its names, and the file is not equal.
    """

    buffers: tuple[str, ...]
    report: LiveReport
    untied: tuple[LiveWeight, ...] = ()
    prefix: str = ""
    by_shapes: bool = False

    @property
    def equal(self) -> bool:
        """Whether the file has the formula's tensors, under names that transformers can load."""
        return self.report.equal and not self.prefix and not self.by_shapes


def compare_weight_file(
    found: Checkpoint, architecture: Architecture, *, is_untied: bool = False
) -> WeightFileReport:
    """Compare the tensors in a file with the formula at its own sizes.

    Names are mapped as transformers' ``from_pretrained`` maps them, so the file may have the names
    that ``save_pretrained`` writes or those in memory. A header does not say which tensors are
    trainable, so the formula decides. A tied tensor that the file stores again is unexpected,
    unless ``is_untied`` says that the configuration does not tie the embeddings.
    """
    named = architecture.inventory(architecture.sizes)
    names = [unwrapped(stored.name)[0] for stored in found.tensors]
    loading = _Loading(named, architecture.buffers, conversions_of(architecture.name))
    prefix, loaded = loading.load(names)
    matcher = _Matcher(unit for tensor in named for unit in units_in(tensor))
    buffers, weights = [], []
    for one, stored in zip(loaded, found.tensors, strict=True):
        if loading.is_passed_over(one):
            buffers.append(stored.name)
        elif stored.size or not loading.knows(one.name):
            # A tensor has no entries where the model has none of something: registers, labels.
            trainable = not loading.is_frozen(one.name)
            weights.append((one, LiveWeight(one.stored, stored.shape, trainable)))
    _match_names(matcher, weights, loading, is_untied=is_untied)
    by_shapes = bool(weights) and not matcher.pairs
    own = [weight for _, weight in weights if weight not in matcher.untied]
    matching = most_pairs([*matcher.left()], own) if by_shapes else matcher.matching()
    report = LiveReport(
        architecture,
        actual=sum(weight.size for weight in own if weight.trainable),
        frozen=sum(weight.size for weight in own if not weight.trainable),
        matching=matching,
    )
    return WeightFileReport(tuple(buffers), report, tuple(matcher.untied), prefix, by_shapes)


class _Loading:
    """Maps the names in a file to the names that the model has in memory."""

    def __init__(self, named: Inventory, buffers: Sequence[str], conversions: Conversions) -> None:
        self.buffers = frozenset(map(starred, buffers))
        self.frozen = frozenset(tensor.path for tensor in named if not tensor.trainable)
        self.shapes = {tensor.path: tensor.shape for tensor in named}
        self.owners = {tensor.path: tensor.tied_to for tensor in named if tensor.tied_to}
        self.conversions = conversions

    def knows(self, name: str) -> bool:
        """Return whether the model has a parameter or a buffer of this name."""
        path = starred(name)
        return path in self.shapes or path in self.buffers

    def load(self, names: Sequence[str]) -> tuple[str, list[Loaded]]:
        """Return the unknown prefix of all names, and the names in memory."""
        tried = names[:: max(1, len(names) // MAX_NAMES_TRIED)]
        prefix = max(("", *shared_prefixes(names)), key=lambda before: self._known(before, tried))
        bare = [name.removeprefix(prefix) for name in names]
        return prefix, self.conversions.load(bare, self.knows)

    def _known(self, prefix: str, names: Sequence[str]) -> int:
        bare = [name.removeprefix(prefix) for name in names]
        return sum(self.knows(one.name) for one in self.conversions.load(bare, self.knows))

    def is_passed_over(self, one: Loaded) -> bool:
        """Return whether this is a buffer, or a tensor of older files that transformers ignores."""
        path = starred(one.name)
        if path in self.shapes:
            return False
        return path in self.buffers or self.conversions.is_ignored(one.name)

    def is_frozen(self, name: str) -> bool:
        """Return whether the parameter of this name is not trained."""
        return starred(name) in self.frozen

    def owner(self, name: str) -> str | None:
        """Return the path of the tensor that this name is tied to, or None."""
        return self.owners.get(starred(name))


def _match_names(
    matcher: _Matcher,
    weights: Sequence[tuple[Loaded, LiveWeight]],
    loading: _Loading,
    *,
    is_untied: bool,
) -> None:
    """Match weights by name, tied ones last, since a file needs only one name of each tensor."""
    made: dict[tuple[int, str], list[tuple[Loaded, LiveWeight]]] = defaultdict(list)
    tied = []
    for one, weight in weights:
        if one.converter:
            made[id(one.converter), one.name].append((one, weight))
        elif owner := loading.owner(one.name):
            tied.append((owner, weight))
        else:
            matcher.take(one.name, weight)
    for group in made.values():
        matcher.take_converted(group)
    for owner, weight in tied:
        matcher.take_tied(owner, weight, is_untied=is_untied)


class _Matcher:
    """Matches the tensors of a file with the expected ones, and keeps what is left of both."""

    def __init__(self, units: Iterator[Unit]) -> None:
        self.waiting = Counter(units)
        self.by_path: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.waiting:
            self.by_path[unit.path].append(unit)
        self.pairs: list[tuple[Unit, LiveWeight]] = []
        self.missing: list[Unit] = []
        self.unexpected: list[LiveWeight] = []
        self.untied: list[LiveWeight] = []

    def matching(self) -> Matching:
        """Return the matching by names."""
        return Matching((), self.left(), tuple(self.unexpected), tuple(self.pairs))

    def left(self) -> tuple[Unit, ...]:
        """Return the missing tensors; for a tensor that the file stores in parts, those parts."""
        whole = (unit for unit, times in self.waiting.items() for _ in range(times))
        return (*self.missing, *whole)

    def take(self, name: str, weight: LiveWeight) -> None:
        """Match a weight that the file stores as it is in memory."""
        for unit in self._candidates(name):
            if unit.shape == weight.shape:
                self.waiting[unit] -= 1
                self.pairs.append((unit, weight))
                return
        self.unexpected.append(weight)

    def take_tied(self, owner: str, weight: LiveWeight, *, is_untied: bool) -> None:
        """Match a weight under another name of the tensor at the path ``owner``.

        If the file has the tensor under this name only, the weight is that tensor. If not, it is
        unexpected, or untied if the configuration does not tie the embeddings.
        """
        is_alike = any(unit.shape == weight.shape for unit in self.by_path.get(owner, ()))
        if is_untied and is_alike and not self._candidates(owner):
            self.untied.append(weight)
        else:
            self.take(owner, weight)

    def take_converted(self, group: Sequence[tuple[Loaded, LiveWeight]]) -> None:
        """Match the weights that one converter turns into one or several tensors in memory."""
        first, _ = group[0]
        converter = first.converter
        assert converter
        head = converter.targets[0]
        names = [first.name.replace(head, target) for target in converter.targets]
        found = {(one.source, one.number): weight for one, weight in group}
        shapes = {member: weight.shape for member, weight in found.items()}
        choices = [
            (units, members(converter, [unit.shape for unit in units], shapes))
            for units in product(*map(self._candidates, names))
        ]
        if not choices:
            self.unexpected += [weight for _, weight in group]
            return
        # A tensor's shape may differ between layers.
        units, due = max(choices, key=lambda choice: len(choice[1].items() & shapes.items()))
        self.waiting.subtract(units)
        siblings = {member: one.stored for (one, _), member in zip(group, found, strict=True)}
        for member, shape in due.items():
            unit = Unit(_name_of(member, siblings, converter), shape, frozenset())
            if shapes.get(member) == shape:
                self.pairs.append((unit, found[member]))
            else:
                self.missing.append(unit)
        self.unexpected += [
            weight for member, weight in found.items() if due.get(member) != weight.shape
        ]

    def _candidates(self, name: str) -> list[Unit]:
        return [unit for unit in self.by_path.get(starred(name), ()) if self.waiting[unit]]


def _name_of(member: Member, siblings: Mapping[Member, str], converter: Transform) -> str:
    """Return the name in the file of one input of a converter.

    The name of a missing input is that of a sibling with its own number, or with the ending of its
    own source.
    """
    if member in siblings:
        return siblings[member]
    source, index = member
    like = min(siblings, key=lambda other: other[0] != source)
    name, (other, number) = siblings[like], like
    own, its = _end_of(converter.sources[source]), _end_of(converter.sources[other])
    if name.endswith(its):
        name = name.removesuffix(its) + own
    before, dot, after = name.rpartition(f".{number}.")
    return f"{before}.{index}.{after}" if dot else name


def _end_of(source: str) -> str:
    """Return the ending of the names that a source matches: the text after its ``*``."""
    return source.replace("\\.", ".").rpartition("*")[2]
