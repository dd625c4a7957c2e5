"""Match the tensors in a file with a derived formula, by names as transformers loads them.

Names are mapped as transformers' ``from_pretrained`` maps them, so the file may have the names that
``save_pretrained`` writes or those in memory.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from paramproof.catalogue.conversions import Conversions, Loaded, Transform
from paramproof.formulas import Inventory, Row, Weight
from paramproof.formulas.comparison import Matched
from paramproof.formulas.path import LAYER, starred
from paramproof.formulas.printing import legible
from paramproof.matching.names import BY_NAME
from paramproof.matching.shapes import BY_SHAPE, Matching, most_pairs
from paramproof.matching.source_shapes import Member, members
from paramproof.matching.units import Unit, units_in
from paramproof.sources.checkpoints.names import best_prefix


def on_prefix(prefix: str) -> Row:
    """Return the row of a file all of whose names begin with a prefix that the model lacks."""
    note = f"all names begin with {legible(prefix)} and match without it"
    return Row("wrong name", LAYER, None, f"{prefix}{LAYER}", None, 0, note)


NO_NAME_KNOWN = Row(
    "wrong name", LAYER, None, LAYER, None, 0, "the formula has none of the names in the file"
)
"""The row of a file whose names transformers cannot map, so that it cannot be loaded."""


class Loading:
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
        prefix = best_prefix(names, self._known)
        bare = [name.removeprefix(prefix) for name in names]
        return prefix, self.conversions.load(bare, self.knows)

    def _known(self, names: Sequence[str]) -> int:
        return sum(self.knows(one.name) for one in self.conversions.load(names, self.knows))

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


def match_loaded(
    inventory: Inventory,
    weights: Sequence[Weight],
    *,
    loading: Loading,
    loaded: Sequence[Loaded],
    is_untied: bool,
) -> Matched:
    """Match the weights of a file with an inventory; ``loaded`` has their names in memory.

    Tied weights come last, since a file needs only one name of each tensor. If the formula has none
    of the names in the file, weights are matched by shape, which is a difference all the same.
    """
    matcher = _Matcher(unit for tensor in inventory for unit in units_in(tensor))
    made: dict[tuple[int, str], list[tuple[Loaded, Weight]]] = defaultdict(list)
    tied = []
    for one, weight in zip(loaded, weights, strict=True):
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
    matcher.take_misfits()
    notes = (BY_NAME, *_on_untied(matcher.untied, inventory.total()))
    if not weights or any(loading.knows(one.name) for one in loaded):
        return Matched(matcher.matching().rows(), notes, matcher.untied)
    own = [weight for weight in weights if weight not in matcher.untied]
    by_shape = most_pairs([*matcher.left()], own)
    return Matched((NO_NAME_KNOWN, *by_shape.rows()), (BY_SHAPE, *notes[1:]), matcher.untied)


def _on_untied(weights: Sequence[Weight], total: int) -> Iterator[str]:
    for weight in weights:
        yield (
            f"untied in the file: {legible(weight.path)} has {weight.size:,} values of its own, "
            "which the formula does not count"
        )
    if weights:
        whole = total + sum(weight.size for weight in weights)
        yield f"total with the tensors untied in the file: {whole:,}"


class _Matcher:
    """Matches the tensors of a file with the expected ones, and keeps what is left of both."""

    def __init__(self, units: Iterator[Unit]) -> None:
        self.waiting = Counter(units)
        self.by_path: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.waiting:
            self.by_path[unit.path].append(unit)
        self.pairs: list[tuple[Unit, Weight]] = []
        self.missing: list[Unit] = []
        self.misfits: list[tuple[str, Weight]] = []
        self.misshapen: list[tuple[Unit, Weight]] = []
        self.unexpected: list[Weight] = []
        self.untied: list[Weight] = []

    def matching(self) -> Matching:
        """Return the matching by names."""
        return Matching(
            tuple(self.pairs),
            self.left(),
            tuple(self.unexpected),
            are_named=True,
            misshapen=tuple(self.misshapen),
        )

    def left(self) -> tuple[Unit, ...]:
        """Return the missing tensors; for a tensor that the file stores in parts, those parts."""
        whole = (unit for unit, times in self.waiting.items() for _ in range(times))
        return (*self.missing, *whole)

    def take(self, name: str, weight: Weight) -> None:
        """Match a weight that the file stores as it is in memory."""
        for unit in self._candidates(name):
            if unit.shape == weight.shape:
                self.waiting[unit] -= 1
                self.pairs.append((unit, weight))
                return
        self.misfits.append((name, weight))

    def take_misfits(self) -> None:
        """Match the weights whose shapes fit no tensor of their names with those tensors."""
        for name, weight in self.misfits:
            if units := self._candidates(name):
                self.waiting[units[0]] -= 1
                self.misshapen.append((replace(units[0], path=name), weight))
            else:
                self.unexpected.append(weight)

    def take_tied(self, owner: str, weight: Weight, *, is_untied: bool) -> None:
        """Match a weight under another name of the tensor at the path ``owner``.

        If the file has the tensor under this name only, the weight is that tensor. If not, it is
        unexpected, or untied if the configuration does not tie the embeddings.
        """
        is_alike = any(unit.shape == weight.shape for unit in self.by_path.get(owner, ()))
        if is_untied and is_alike and not self._candidates(owner):
            self.untied.append(weight)
        else:
            self.take(owner, weight)

    def take_converted(self, group: Sequence[tuple[Loaded, Weight]]) -> None:
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
            if member not in found:
                self.missing.append(unit)
            elif shapes[member] == shape:
                self.pairs.append((unit, found[member]))
            else:
                self.misshapen.append((unit, found[member]))
        self.unexpected += [weight for member, weight in found.items() if member not in due]

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
