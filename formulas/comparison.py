"""Compare the tensors that a formula expects with the weights of a model or a file, and report it.

How the two are matched is a function of its own: here, by canonical names. A report has two totals
and the rows that differ. Every difference has a row with its size, so the differences of the rows
always add up to the difference of the totals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, cycle, zip_longest
from textwrap import wrap
from typing import Any, Literal, NamedTuple, TypeAlias

from paramproof.formulas.layout import Weight, stored_shape
from paramproof.formulas.path import at_layer, placed, shared_path, stack_of, starred
from paramproof.formulas.printing import MAX_NOTE_SHOWN, MINUS, legible, shape_text, signed
from paramproof.formulas.spec import head_size_of
from paramproof.formulas.tensors import Inventory

RowKind: TypeAlias = Literal[
    "missing", "unexpected", "wrong name", "wrong shape", "wrong trainability", "wrong count"
]
Shape: TypeAlias = tuple[int, ...]

MAX_ROWS_SHOWN = 20  # One more row sums up the rest.
HANGING = "    "  # The indentation of the rest of a line that is folded.
EQUAL = "every tensor is as the formula says"  # The last line of a report without a difference.


@dataclass(frozen=True, slots=True)
class Row:
    """One difference between formula and model.

    ``path`` has the number of the layer, or a ``*`` if nothing tells which layer it is.
    ``difference`` is what the row adds to the trainable total, observed − expected. ``expected`` is
    the stored shape that the formula expects, None if it expects no tensor. ``native`` and
    ``observed`` are the framework's path and shape, None if the framework has no tensor.
    """

    kind: RowKind
    path: str
    expected: Shape | None
    native: str | None
    observed: Shape | None
    difference: int
    note: str = ""

    @property
    def component(self) -> str:
        return starred(self.path)


@dataclass(frozen=True, slots=True)
class Report:
    """The totals, and the rows that differ; ``equal`` if there are none.

    ``formula`` and ``actual`` count trainable parameters, with tied ones counted once, and
    ``frozen`` those of the model that are not trainable. ``about`` is a line that names what was
    expected, and ``notes`` are lines on what is not a difference. ``residual`` is the difference in
    letters: a line for the whole, and of several ``groups()``, a text for each that is shown.
    """

    formula: int
    actual: int
    rows: tuple[Row, ...]
    frozen: int = 0
    about: str = ""
    notes: tuple[str, ...] = ()
    residual: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        totals = {"formula": self.formula, "actual": self.actual, "difference": self.difference}
        return totals | {"rows": [asdict(row) for row in self.rows]}

    @property
    def difference(self) -> int:
        return self.actual - self.formula

    @property
    def equal(self) -> bool:
        return not self.rows and not self.difference

    def __str__(self) -> str:
        return self.render()

    def render(self, width: int | None = None) -> str:
        """Return this report as text: what is expected, totals, notes, and the rows that differ.

        Rows that differ only in the layer share one line, which names the layers. The largest
        differences come first. After ``MAX_ROWS_SHOWN`` lines, a last line has the number of
        further lines and the sum of their differences. Lines wider than ``width`` are folded.
        """
        lines = [self.about, totals(self.actual, self.formula), *self.notes, self._on_another()]
        lines += self._differences() if self.rows else [EQUAL] * self.equal
        lines += self.residual[:1]
        if width is not None:
            parts = (wrap(one, width, subsequent_indent=HANGING) for one in lines)
            lines = [*chain(*parts)]
        return "\n".join(filter(None, lines))

    def _differences(self) -> list[str]:
        groups = self.groups()
        shown, rest = groups[:MAX_ROWS_SHOWN], groups[MAX_ROWS_SHOWN:]
        numbers = [signed(_sum(rows)) if _sum(rows) else "0" for rows in shown]
        letters = zip_longest(numbers, self.residual[1 : len(shown) + 1], fillvalue="0")
        numbers = [n if t.strip(MINUS).isdigit() else f"{n} = {t}" for n, t in letters]
        lines = [f"  {n}  {_sentence(rows)}" for n, rows in zip(numbers, shown, strict=True)]
        if rest:
            lines.append(f"  {signed(sum(map(_sum, rest)))}  and {len(rest):,} more")
        return lines

    def _on_another(self) -> str:
        """Return a sentence on a model that shares less than half with the formula, or ""."""
        rows = [row for row in self.rows if row.kind in ("missing", "unexpected", "wrong shape")]
        unlike = sum(
            math.prod(row.observed or ()) if row.kind == "wrong shape" else max(row.difference, 0)
            for row in rows
        )
        lacking = unlike - _sum(rows)
        if 2 * unlike <= self.actual or 2 * lacking <= self.formula:
            return ""
        of = f"of the formula's {self.formula:,} parameters, {self.formula - lacking:,}"
        return f"this is a model of another architecture or of other sizes: {of} have a counterpart"

    def groups(self) -> list[list[Row]]:
        """Return the rows in groups, the largest difference first; one differs in layers only."""
        groups: dict[tuple[object, ...], list[Row]] = {}
        for row in self.rows:
            key = (row.component, row.kind, row.expected, row.observed)
            groups.setdefault(key, []).append(row)
        whole = "wrong name"  # This is about all tensors, so it comes first.
        return sorted(groups.values(), key=lambda own: (own[0].kind != whole, -abs(_sum(own))))


def _sentence(rows: list[Row]) -> str:
    row = rows[0]
    expected, observed = (legible(shape_text(shape)) for shape in (row.expected, row.observed))
    name = legible(placed([one.path for one in rows]), MAX_NOTE_SHOWN)
    names_match = row.kind == "wrong name" or starred(row.native or row.path) == row.component
    native = f"named {legible(row.native)}{' ...' * (len(rows) > 1)} in the model"
    note = legible(row.note, MAX_NOTE_SHOWN) * (row.kind != "wrong trainability")
    should = "trainable" if row.note == "frozen" else "frozen"
    said = {
        "missing": f"{name} is missing: {expected}",
        "unexpected": f"{name} is unexpected: {observed}",
        "wrong shape": f"{name} has the shape {observed}, not {expected}",
        "wrong trainability": f"{name} is {row.note}, but should be {should}: {observed}",
        "wrong count": f"{name} differs in its number",
        "wrong name": "",
    }
    return "; ".join(filter(None, (said[row.kind], native * (not names_match), note)))


def _sum(rows: list[Row]) -> int:
    return sum(row.difference for row in rows)


def totals(actual: int, formula: int) -> str:
    difference = signed(actual - formula) if actual != formula else "0"
    return f"actual {actual:,} {MINUS} formula {formula:,} = {difference}"


class Matched(NamedTuple):
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
        shapes = [self.expected[self._paths(part)[0]].shape for part in parts]
        layers = self._layers(parts[0])
        expected = stored_shape(weight.layout, shapes, head_size=self.head_size, layers=layers)
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
                if tensor and not (tensor.trainable or weight.trainable):
                    pass  # Several frozen tensors may share one table.
                elif tensor is None or (tensor.tied_to != target and path in self.seen):
                    yield Row("unexpected", path, None, weight.path, weight.shape, 0, note)
                elif tensor.tied_to != target:
                    loss = -tensor.size if tensor.trainable and tensor.tied_to is None else 0
                    yield Row("missing", path, tensor.shape, weight.path, None, loss, note)
                self.seen.add(path)

    def _why_unexpected(self, part: str) -> str:
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
        return [at_layer(part, index) for index in range(self._layers(part))] or [part]

    def _layers(self, part: str) -> int:
        return self.layers.get(stack_of(part), 0)
