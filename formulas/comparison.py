"""Compare the tensors that a formula expects with the weights of a model or a file.

How the two are matched is a function of its own: here, by canonical names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle
from typing import NamedTuple, TypeAlias

from paramproof.formulas.layout import Weight, stored_shape
from paramproof.formulas.path import at_layer, shared_path, stack_of
from paramproof.formulas.report import Report, Row, Shape
from paramproof.formulas.spec import head_size_of
from paramproof.formulas.tensors import Inventory


class Matched(NamedTuple):
    """The rows that differ, the weights that count, and notes for the report."""

    rows: Iterable[Row]
    weights: Sequence[Weight]
    notes: tuple[str, ...] = ()


Matcher: TypeAlias = Callable[[Inventory, Sequence[Weight]], Matched]
"""A way to match the tensors of an inventory with weights."""


def by_canonical_name(inventory: Inventory, weights: Sequence[Weight]) -> Matched:
    """Match each weight with the canonical tensors in its ``parts``.

    A tied tensor may be an alias of its target's storage, or absent if it is tied by data flow.
    A frozen tensor may be absent, since a framework may compute it. A weight without entries
    (with a 0 in its shape, as stacked weights of no layers) is ignored.
    """
    rows = _Comparison(inventory).rows([weight for weight in weights if weight.size])
    return Matched(rows, weights)


def compare(
    inventory: Inventory, weights: Iterable[Weight], match: Matcher = by_canonical_name
) -> Report:
    """Compare ``weights`` with ``inventory`` (in ints): names, shapes, trainability and total."""
    rows, counted, notes = match(inventory, list(weights))
    return Report(
        formula=inventory.total(),
        actual=sum(weight.size for weight in counted if weight.trainable),
        rows=tuple(rows),
        frozen=sum(weight.size for weight in counted if not weight.trainable),
        notes=notes,
    )


class _Comparison:
    """The expected canonical tensors, and the paths that a weight has been matched with so far."""

    def __init__(self, inventory: Inventory) -> None:
        self.head_size = head_size_of(inventory.letters)
        self.layers: dict[str | None, int] = {stack_of(t.path): t.repeat for t in inventory}
        self.expected = {tensor.path: tensor for tensor in inventory.expand()}
        self.seen: set[str] = set()

    def rows(self, weights: list[Weight]) -> Iterator[Row]:
        for weight in weights:
            yield from self._storage(weight)
        for weight in weights:
            yield from self._aliases(weight)
        for tensor in self.expected.values():
            if tensor.path not in self.seen and tensor.tied_to is None and tensor.trainable:
                yield Row("missing", tensor.path, tensor.shape, None, None, -tensor.size)

    def _storage(self, weight: Weight) -> Iterator[Row]:
        """Yield the differences of a weight's storage from the canonical tensors in its parts."""
        counted = weight.size if weight.trainable else 0
        reasons = {part: self._why_unexpected(part) for part in weight.parts}
        parts = [part for part, reason in reasons.items() if not reason]
        note = "; ".join(f"{part}: {reason}" for part, reason in reasons.items() if reason)
        if not parts:
            path = self._paths(weight.parts[0])[0] if weight.parts else weight.path
            note = note or "no canonical name"
            yield Row("unexpected", path, None, weight.path, weight.shape, counted, note)
            return
        tensors = [self.expected[path] for part in parts for path in self._paths(part)]
        self.seen.update(tensor.path for tensor in tensors)
        difference = counted - sum(tensor.size for tensor in tensors if tensor.trainable)
        path = shared_path(tensor.path for tensor in tensors)
        expected = self._stored_shape(weight, parts)
        if expected != weight.shape:
            yield Row("wrong shape", path, expected, weight.path, weight.shape, difference, note)
            difference = 0
        if any(tensor.trainable != weight.trainable for tensor in tensors):
            shape, note = weight.shape, "trainable" if weight.trainable else "frozen"
            yield Row("wrong trainability", path, expected, weight.path, shape, difference, note)

    def _aliases(self, weight: Weight) -> Iterator[Row]:
        """Yield rows for the aliases of a weight's storage that the formula does not tie to it."""
        for alias, part in zip(weight.aliases, cycle(weight.parts or (weight.path,))):
            for path, target in zip(self._paths(alias), self._paths(part), strict=True):
                tensor = self.expected.get(path)
                note = f"shares the storage of {target}"
                if tensor is None:
                    yield Row("unexpected", path, None, weight.path, weight.shape, 0, note)
                elif not tensor.trainable and not weight.trainable:
                    pass  # Several frozen tensors may share one table.
                elif tensor.tied_to != target and path in self.seen:
                    yield Row("unexpected", path, None, weight.path, weight.shape, 0, note)
                elif tensor.tied_to != target:
                    loss = -tensor.size if tensor.trainable and tensor.tied_to is None else 0
                    yield Row("missing", path, tensor.shape, weight.path, None, loss, note)
                self.seen.add(path)

    def _why_unexpected(self, part: str) -> str:
        """Return why the formula does not expect this part here, "" if it does."""
        for path in self._paths(part):
            tensor = self.expected.get(path)
            if tensor is None:
                return "not in this spec"
            if tensor.tied_to is not None:
                return f"should share the storage of {tensor.tied_to}"
            if path in self.seen:
                return "stored a second time"
        return ""

    def _paths(self, part: str) -> list[str]:
        """Return the canonical paths of a part: one for each layer if it is stacked."""
        return [at_layer(part, index) for index in range(self._layers(part))] or [part]

    def _layers(self, part: str) -> int:
        """Return the number of layers in the stack of ``part``; 1 outside of stacks."""
        return self.layers.get(stack_of(part), 0)

    def _stored_shape(self, weight: Weight, parts: list[str]) -> Shape:
        return stored_shape(
            weight.layout,
            [self.expected[self._paths(part)[0]].shape for part in parts],
            head_size=self.head_size,
            layers=self._layers(parts[0]),
        )
