"""The difference of a count and its formula, as algebra, with the component that has it.

``actual − formula = −L·F   feed_forward.intermediate.bias``: the terms of a difference come
from a report on one model, whose tensors have a size in letters, or from the shapes that a
builder's tensors have in letters. A number that no letters fit is printed as a number.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from paramproof.algebra.symbols import folded_text
from paramproof.formulas import Inventory, Report, Row, Tensor
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.comparison import MAX_ROWS_SHOWN, Shape
from paramproof.formulas.expression import Expression, expression, letter, sum_of, text
from paramproof.formulas.path import LAYER, lies_in, shared_beginning, stack_of, without_braces
from paramproof.formulas.printing import legible

MAX_IN_LETTERS = 1000
"""So many differences are sought in letters; further ones are printed as numbers."""

MAX_AXES = 8
"""A shape with more axes is none of the formula's."""


@dataclass(frozen=True, slots=True)
class Residual:
    """The share of one component in ``actual − formula``; ``what`` says how it differs."""

    path: str
    what: str
    size: Expression


def explained(report: Report, architecture: Architecture, width: int | None = None) -> str:
    found = with_residual(replace(report, about=architecture.about), architecture)
    return found.render(width)


def with_residual(report: Report, architecture: Architecture) -> Report:
    """Return ``report`` with its difference in letters, if a number differs."""
    if not any(row.difference for row in report.rows):
        return report
    residuals, named = report_residuals(report, architecture)
    texts = [_text(one.size, named) for one in residuals[:MAX_ROWS_SHOWN]]
    first, *_ = lines(residuals, named)
    return replace(report, residual=(first, *(texts if len(texts) > 1 else ())))


def lines(residuals: Iterable[Residual], named: Inventory) -> list[str]:
    """Return a line for the whole difference, and for each component in which it lies."""
    groups: dict[str, list[Expression]] = defaultdict(list)
    for residual in residuals:
        groups[residual.path].append(residual.size)
    sums = {path: size for path, sizes in groups.items() if (size := sum_of(sizes))}
    whole = sum_of(sums.values())
    first = f"actual − formula = {_text(whole, named)}"

    def place(path: str, size: Expression) -> str:
        # L as a factor of the term says already that it is in every layer.
        everywhere = not size.substitute({"L": 0})
        return legible(path.removeprefix(f"layers.{LAYER}.") if everywhere else path)

    if component := _whole(list(sums), named):
        return [f"{first}   {place(component, whole)}"]
    own = [f"  {_text(size, named)}   {place(path, size)}" for path, size in sums.items()]
    if rest := [*sums.values()][MAX_ROWS_SHOWN:]:
        own[MAX_ROWS_SHOWN:] = [f"  {_text(sum_of(rest), named)}   and {len(rest):,} more"]
    return [first, *own]


def _text(size: Expression, named: Inventory) -> str:
    letters = named.letters
    return text(size) if isinstance(letters, Mapping) else folded_text(size, type(letters))


def _whole(paths: list[str], named: Inventory) -> str:
    """Return the component that these tensors, and no others, make up; or the only path."""
    if len(paths) < 2:
        return "".join(paths)
    if len(paths) > len(named.tensors):
        return ""
    common = shared_beginning(paths)
    inside = {t.path for t in named if t.tied_to is None and lies_in(t.path, common)}
    return common if common and inside == set(paths) else ""


class _Known:
    """The tensors of one model, in letters, and the value of each letter and of each axis."""

    def __init__(self, architecture: Architecture) -> None:
        self.named = architecture.inventory()
        self.values = {name: architecture.sizes[name] for name in architecture.fields}
        self.hidden = letter("H") if "H" in self.values else None
        self.layers = {stack_of(tensor.path): tensor.repeat for tensor in self.named}
        axes = [letter(name) for name in self.values]
        axes += [axis for tensor in self.named for axis in tensor.shape if type(axis) is not int]
        self.axes = {axis: axis.evaluate(self.values) for axis in axes}
        self.groups: dict[str, list[Tensor]] = defaultdict(list)
        for tensor in self.named:
            self.groups[tensor.path].append(tensor)

    def group(self, path: str, expected: Shape | None) -> Tensor | None:
        """Return the tensors with this path and this shape, or the first ones with this path."""
        for one in (found := self.groups.get(path, [])):
            if expected == tuple(expression(n).evaluate(self.values) for n in one.shape):
                return one
        return found[0] if found else None

    def layers_of(self, row: Row) -> Expression:
        if LAYER not in row.component:
            return expression(1)
        tensor = self.group(row.component, row.expected)
        return expression(tensor.repeat if tensor else self.layers.get(stack_of(row.component), 1))


def report_residuals(
    report: Report, architecture: Architecture
) -> tuple[list[Residual], Inventory]:
    """Return the difference of each group of rows in letters, and the tensors in these letters."""
    known, found = _Known(architecture), []
    for number, rows in enumerate(report.groups()):
        row, difference = rows[0], sum(row.difference for row in rows)
        path, size = row.component if len(rows) > 1 else row.path, expression(difference)
        if number < MAX_IN_LETTERS:
            layers = known.layers_of(row)
            everywhere = layers != 1 and layers.substitute(known.values) == len(rows)
            times = layers if everywhere and LAYER not in row.path else expression(len(rows))
            path = row.component if everywhere else path
            sizes = (times * one for one in _candidates(row, known))
            fitting = (one for one in sizes if one.substitute(known.values) == difference)
            size = next(fitting, size)
        found.append(Residual(path, row.kind, size))
    return found, known.named


def _candidates(row: Row, known: _Known) -> Iterator[Expression]:
    """Yield possible formulas for the difference of one row, the likeliest first."""
    tensors = [known.group(path, row.expected) for path in without_braces(row.component)]
    one = sum_of(expression(tensor.size) for tensor in tensors if tensor)
    whole = one * known.layers_of(row) if LAYER in row.path else one
    sign = -1 if row.difference < 0 else 1
    if row.kind != "wrong shape" and whole:
        yield sign * whole
        size = one.evaluate(known.values)
        if size and not row.difference % size:
            # Some of the layers, as many as the difference says.
            yield row.difference // size * one
    elif row.expected and row.observed and len(row.expected) == len(row.observed):
        # One axis is longer or shorter than it should be; the others are as they were.
        pairs = zip(row.expected, row.observed, strict=True)
        changed = [(e, o) for e, o in pairs if e != o]
        if len(changed) == 1:
            (expected, observed) = changed[0]
            for axis in _letters(expected, known):
                rest = whole / axis
                if rest.is_polynomial:
                    yield _change(observed - expected, axis, known) * rest
    if row.observed and row.expected is None and len(row.observed) <= MAX_AXES:
        axes = (next(_letters(length, known)) for length in row.observed)
        yield sign * math.prod(axes, start=expression(1))


def _letters(length: int, known: _Known) -> Iterator[Expression]:
    """Yield each symbol or multiple of H that equals ``length``, and then ``length`` itself."""
    hidden = known.hidden
    found = [axis for axis, size in known.axes.items() if size == length]
    if hidden and hidden in found:
        found = [hidden]
    if hidden and not found:
        found = [n * hidden for n in (2, 3) if n * known.axes[hidden] == length]
    yield from found if len(found) == 1 else ()
    yield expression(length)


def _change(length: int, axis: Expression, known: _Known) -> Expression:
    """Return ``length`` as a multiple of H if it is one, as where q, k and v are fused."""
    hidden = known.hidden
    if not hidden or (axis / hidden).constant is None:
        return expression(length)
    times, rest = divmod(length, known.axes[hidden])
    return expression(length) if rest else times * hidden
