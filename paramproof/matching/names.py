"""Match the weights of a model or of a file with a formula by the names of transformers.

Names of a derived formula are mapped as ``from_pretrained`` maps them, so they may be those that
``save_pretrained`` writes or those in memory. Names of a family may also be the canonical ones. A
live model with other names is matched by shape.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from paramproof.catalogue.conversions import Loaded, Operation, Transform, conversions_of
from paramproof.formulas import Inventory, Row, Weight
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.comparison import Matched, Shape, by_canonical_name
from paramproof.formulas.path import LAYER, layer_of, starred
from paramproof.formulas.printing import legible, some_of
from paramproof.matching.shapes import (
    BY_SHAPE,
    MAX_LAYERS_NAMED,
    LayerNames,
    Matching,
    Unit,
    by_shape,
    most_pairs,
    unit_of,
)
from paramproof.sources.tensor_names import CheckpointNames, best_prefix, unwrapped

BY_NAME = "tensors matched by name"
"""The note of a report on a comparison by name."""

NO_NAME_KNOWN = Row(
    "wrong name", LAYER, None, LAYER, None, 0, "the formula has none of the names in the file"
)
"""The row of a file whose names transformers cannot map, so that it cannot be loaded."""


def _on_prefix(prefix: str) -> list[Row]:
    """Return the row of a file all of whose names begin with a prefix that the model lacks."""
    note = f"all names begin with {legible(prefix)} and match without it"
    row = Row("wrong name", LAYER, None, f"{prefix}{LAYER}", None, 0, note)
    return [row] if prefix else []


def _on_buffers(buffers: Sequence[Weight]) -> tuple[str, ...]:
    names = [legible(weight.path) for weight in buffers]
    return (f"buffers, not compared: {some_of(names, 1)}",) if names else ()


def match_family(
    family: str, inventory: Inventory, weights: Sequence[Weight], *, is_file: bool
) -> Matched:
    """Match the tensors of a family with weights.

    Names of a live model count if most weights have one that transformers gives to a tensor of the
    family. If not, as for the user's own model, the weights are matched by shape. A frozen weight
    of a live model that has no such name is ignored.

    A header does not tell which tensors are trainable, so for a file the formula decides.
    """
    names = CheckpointNames(family, inventory)
    prefix = names.unknown_prefix([unwrapped(weight.path)[0] for weight in weights])
    fixed = {tensor.path for tensor in inventory if not tensor.trainable and tensor.present}
    kept: list[Weight] = []
    buffers: list[Weight] = []
    for weight in weights:
        own = [unwrapped(name)[0].removeprefix(prefix) for name in (weight.path, *weight.aliases)]
        found = [names.storage(name) for name in own]
        first, *others = [one for one in found if one.parts] or found[:1]
        # BERT's bias of the head has two names for one canonical tensor.
        aliases = {part: None for one in others for part in one.parts if part not in first.parts}
        known = replace(weight, parts=first.parts, layout=first.layout, aliases=(*aliases,))
        if not is_file:
            kept.append(known)
        elif names.is_buffer(own[0]):
            buffers.append(weight)
        else:
            kept.append(replace(known, trainable=not fixed.intersection(first.parts)))
    if is_file:
        rows = [*_on_prefix(prefix), *_by_layer(inventory, kept)]
        return Matched(rows, kept, (*_on_buffers(buffers), BY_NAME))
    if 2 * sum(bool(weight.parts) for weight in kept) <= len(kept):
        return by_shape(inventory, weights)
    kept = [weight for weight in kept if weight.parts or weight.trainable]
    return Matched(_by_layer(inventory, kept), weights, (BY_NAME,))


def _by_layer(named: Inventory, weights: Sequence[Weight]) -> Iterator[Row]:
    """Yield rows layer by layer; of very many layers, those beyond the weights' share one row."""
    paths = (path for weight in weights for path in weight.parts)
    beyond = 1 + max((layer_of(path) or 0 for path in paths), default=-1)
    most = max(MAX_LAYERS_NAMED, len(weights))
    cut = [t if t.repeat <= most else replace(t, repeat=min(beyond, most)) for t in named]
    yield from by_canonical_name(Inventory(named.letters, tuple(cut)), weights).rows
    for tensor, part in zip(named, cut, strict=True):
        layers = tensor.present * (tensor.repeat - part.repeat)
        if layers and tensor.trainable and tensor.tied_to is None:
            path = tensor.path.replace(LAYER, f"{part.repeat}-{tensor.repeat - 1}")
            yield Row("missing", path, tensor.shape, None, None, -layers * tensor.size)


def match_derived(
    architecture: Architecture,
    inventory: Inventory,
    weights: Sequence[Weight],
    *,
    is_file: bool,
    is_untied: bool,
) -> Matched:
    """Match the tensors of a derived formula with weights, by their names in memory.

    Tied weights come last, since a file needs only one name of each tensor. If the formula has none
    of the names, weights are matched by shape, which is a difference all the same for a file.
    """
    known = _KnownNames(inventory, architecture)
    prefix, loaded = known.load(weights)
    matcher = _Matcher(inventory)
    made: dict[tuple[int, str], list[tuple[Loaded, Weight]]] = defaultdict(list)
    tied, buffers, counted = [], [], []
    for one, weight in zip(loaded, weights, strict=True):
        if is_file and known.is_passed_over(one):
            buffers.append(weight)
            continue
        if is_file:
            trainable = starred(one.name) not in known.frozen
            weight = replace(weight, path=one.stored, trainable=trainable)
        if not weight.size and one.name in known:
            # A tensor has no entries where the model has none of something: registers, labels.
            continue
        counted.append(weight)
        if one.converter:
            made[id(one.converter), one.name].append((one, weight))
        elif owner := known.owners.get(starred(one.name)):
            tied.append((owner, weight))
        else:
            matcher.take(one.name, weight)
    for group in made.values():
        matcher.take_converted(group)
    for owner, weight in tied:
        matcher.take_tied(owner, weight, is_untied=is_untied)
    matcher.take_misfits()
    untied = {id(weight) for weight in matcher.untied}
    own = [weight for weight in counted if id(weight) not in untied]
    notes = (BY_NAME, *_on_untied(matcher.untied, inventory.total()))
    names = [one.name for one in loaded if one.name in known]
    rows = _on_prefix(prefix) * is_file
    if not weights or names:
        rows += matcher.matching(names).rows()
    else:
        rows += [NO_NAME_KNOWN] * is_file
        rows += most_pairs([*matcher.left().elements()], own).rows()
        notes = (BY_SHAPE, *notes[1:])
    return Matched(rows, own, (*_on_buffers(buffers), *notes))


class _KnownNames:
    """The names that a derived model has in memory, and how transformers maps others to them."""

    def __init__(self, named: Inventory, architecture: Architecture) -> None:
        self.buffers = frozenset(map(starred, architecture.buffers))
        self.frozen = frozenset(tensor.path for tensor in named if not tensor.trainable)
        self.paths = frozenset(tensor.path for tensor in named)
        self.owners = {tensor.path: tensor.tied_to for tensor in named if tensor.tied_to}
        self.conversions = conversions_of(architecture.name)

    def __contains__(self, name: str) -> bool:
        """Return whether the model has a parameter or a buffer of this name."""
        path = starred(name)
        return path in self.paths or path in self.buffers

    def load(self, weights: Sequence[Weight]) -> tuple[str, list[Loaded]]:
        """Return the unknown prefix of all names, and the names in memory.

        A live weight with several names has the first that the model has, too.
        """
        names = [[unwrapped(name)[0] for name in (one.path, *one.aliases)] for one in weights]
        prefix = best_prefix([first for first, *_ in names], self._known)
        bare = [[name.removeprefix(prefix) for name in own] for own in names]
        chosen = [next(filter(self.__contains__, own), own[0]) for own in bare]
        return prefix, self.conversions.load(chosen, self.__contains__)

    def _known(self, names: Sequence[str]) -> int:
        return sum(one.name in self for one in self.conversions.load(names, self.__contains__))

    def is_passed_over(self, one: Loaded) -> bool:
        """Return whether this is a buffer, or a tensor of older files that transformers ignores."""
        path = starred(one.name)
        if path in self.paths:
            return False
        return path in self.buffers or self.conversions.is_ignored(one.name)


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

    def __init__(self, named: Inventory) -> None:
        self.waiting: Counter[Unit] = Counter()
        self.by_path: dict[str, list[Unit]] = defaultdict(list)
        for tensor in named:
            if tensor.trainable and not tensor.tied_to and tensor.size and tensor.repeat:
                unit = unit_of(tensor)
                self.by_path[unit.path] += [] if unit in self.waiting else [unit]
                self.waiting[unit] += tensor.repeat
        self.repeats = Counter(dict.fromkeys(self.by_path, 0))
        for unit, times in self.waiting.items():
            self.repeats[unit.path] += times
        self.pairs: list[tuple[Unit, Weight]] = []
        self.missing: list[Unit] = []
        self.misfits: list[tuple[str, Weight]] = []
        self.misshapen: list[tuple[Unit, Weight]] = []
        self.unexpected: list[Weight] = []
        self.untied: list[Weight] = []

    def matching(self, names: Sequence[str]) -> Matching:
        """Return the matching by names; ``names`` are those in memory of all weights."""
        layers = LayerNames(names, self.repeats)
        return Matching(self.pairs, self.left(), self.unexpected, layers, self.misshapen)

    def left(self) -> Counter[Unit]:
        """Return the missing tensors; for a tensor that the file stores in parts, those parts."""
        return Counter(self.missing) + self.waiting

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
    # A source is a pattern, and the names that it matches end in the text after its *.
    sources = (converter.sources[one].replace("\\.", ".") for one in (source, other))
    own, its = (one.rpartition("*")[2] for one in sources)
    if name.endswith(its):
        name = name.removesuffix(its) + own
    before, dot, after = name.rpartition(f".{number}.")
    return f"{before}.{index}.{after}" if dot else name


Member = tuple[int, int | None]
"""The index of a converter's source, and the number in the tensor's name, an expert's index."""


def members(
    converter: Transform, targets: Sequence[Shape], found: Mapping[Member, Shape]
) -> dict[Member, Shape]:
    """Return the shapes that the file should have, given the shapes of the ``targets`` in memory.

    ``found`` has the file's own shapes. They settle what the shapes in memory leave open: whether
    a tensor is transposed where the converter transposes only if needed, and how wide each part of
    a concatenation is.
    """
    number = len(converter.sources)
    if converter.operations[0].name == "ErnieFuseAndSplitTextVisionExperts":
        return _split_between_targets(converter.operations[0], targets, number)
    parts: list[Shape] = list(targets)
    singly = False
    for operation in reversed(converter.operations):
        dim = operation.options.get("dim", 0)
        if operation.name in ("Chunk", "Split"):
            parts = [_with(parts[0], dim, sum(shape[dim] for shape in parts))]
        elif operation.name == "Concatenate" and operation.options.get("num_shards_attribute"):
            return _shards(parts[0], dim, found)
        elif operation.name == "Concatenate":
            parts = _parts(parts[0], dim, number, found)
        elif operation.name == "MergeModulelist":
            singly = True
        elif operation.name == "Transpose":
            parts = [_transposed(operation, shape, found) for shape in parts]
    if not singly:
        # A name without experts may contain a number too: the index of a layer.
        numbers = dict(found.keys())
        return {(n, numbers.get(n)): shape for n, shape in enumerate(parts)}
    return {
        (source, index): shape[1:]
        for source, shape in enumerate(parts)
        for index in range(shape[0])
    }


def _with(shape: Shape, dim: int, length: int) -> Shape:
    return (*shape[:dim], length, *shape[dim + 1 :])


def _parts(shape: Shape, dim: int, number: int, found: Mapping[Member, Shape]) -> list[Shape]:
    """Return the shapes of a concatenation's parts: the file's own if they fit, else equal ones."""
    own = [next((s for (n, _), s in found.items() if n == source), ()) for source in range(number)]
    if all(len(s) == len(shape) and _with(s, dim, 0) == _with(shape, dim, 0) for s in own) and (
        sum(s[dim] for s in own) == shape[dim]
    ):
        return own
    return [_with(shape, dim, shape[dim] // number)] * number


def _shards(shape: Shape, dim: int, found: Mapping[Member, Shape]) -> dict[Member, Shape]:
    """Return the shapes of a tensor's shards: the file's own if they add up, else equal ones."""
    lengths = [s[dim] if len(s) > dim else 0 for s in found.values()]
    if sum(lengths) == shape[dim]:
        return {key: _with(shape, dim, n) for key, n in zip(found, lengths, strict=True)}
    return {key: _with(shape, dim, shape[dim] // len(found)) for key in found}


def _transposed(operation: Operation, shape: Shape, found: Mapping[Member, Shape]) -> Shape:
    if operation.options.get("check_dims") and shape in found.values():
        return shape
    dim0, dim1 = operation.options.get("dim0", 0), operation.options.get("dim1", 1)
    lengths = list(shape)
    lengths[dim0], lengths[dim1] = lengths[dim1], lengths[dim0]
    return tuple(lengths)


def _split_between_targets(
    operation: Operation, targets: Sequence[Shape], number: int
) -> dict[Member, Shape]:
    """Return the shapes of single experts; the first target holds the first of them, and so on."""
    dim = operation.options.get("concat_dim", 1)
    experts = [
        _with(shape, dim, shape[dim] // number)[1:] for shape in targets for _ in range(shape[0])
    ]
    return {
        (source, index): shape for source in range(number) for index, shape in enumerate(experts)
    }
