"""The difference of a count and its formula, as algebra, with the component that has it.

``actual − formula = −L·F   feed_forward.intermediate.bias``: the terms of a difference come
from a report on one model, whose components have a size in letters, or from the shapes that a
builder's tensors have in letters. A number that no letters fit is printed as a number.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from paramproof.algebra.symbols import folded, in_order, sizes_as_symbols, sizes_of, with_head_size
from paramproof.formulas import FamilyLetters, Inventory, Report, Row, Spec, inventory
from paramproof.formulas.expression import Expression, Number, expression, letter
from paramproof.formulas.notation import text
from paramproof.formulas.path import LAYER, lies_in, stack_of, without_braces
from paramproof.formulas.printing import MAX_ROWS_SHOWN, legible
from paramproof.formulas.products import Powers

IN_LAYERS = f"layers.{LAYER}."

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


def explained(report: Report, spec: Spec, width: int | None = None) -> str:
    """Return ``report`` as text. If something differs, the residual follows as algebra.

    With a ``width``, the rows of the report are folded to fit it.
    """
    rendered = replace(report, about=f"spec = {spec!r}").render(width)
    if report.equal:
        return rendered
    letters = with_head_size(sizes_as_symbols(spec))
    return "\n".join([rendered, *lines(report_residuals(report, spec), letters)])


def lines(residuals: Iterable[Residual], letters: FamilyLetters) -> list[str]:
    """Return a line for each component in which the difference lies.

    There are at most as many lines as a report has rows, and one for the sum of the others.
    """
    groups: dict[str, list[Expression]] = defaultdict(list)
    for residual in residuals:
        groups[residual.path].append(residual.size)
    sums = {path: size for path, sizes in groups.items() if (size := _added(sizes))}
    whole = _added(sums.values())
    first = f"actual − formula = {_text(whole, letters)}"
    component = _whole(list(sums), inventory(letters))
    if component:
        return [f"{first}   {_place(component, whole)}"]
    pairs = list(sums.items())
    own = [
        f"  {_text(size, letters)}   {_place(path, size)}" for path, size in pairs[:MAX_ROWS_SHOWN]
    ]
    if rest := pairs[MAX_ROWS_SHOWN:]:
        others = _added(size for _, size in rest)
        own.append(f"  {_text(others, letters)}   and {len(rest):,} more")
    return [first, *own]


def _added(sizes: Iterable[Expression]) -> Expression:
    """Return the sum of ``sizes``, without an expression for each step on the way to it."""
    terms: dict[Powers, Number] = defaultdict(int)
    for size in sizes:
        for powers, number in size.terms.items():
            terms[powers] += number
    return Expression(terms)


def _text(size: Expression, letters: FamilyLetters) -> str:
    whole = size if "K" in letters._fields else folded(size)
    return text(in_order(whole, type(letters)))


def _whole(paths: list[str], named: Inventory) -> str:
    """Return the component that these tensors, and no others, make up; or the only path."""
    if len(paths) < 2:
        return "".join(paths)
    if len(paths) > len(named.tensors):
        return ""
    levels = list(zip(*(path.split(".") for path in paths), strict=False))
    depth = next((i for i, names in enumerate(levels) if len(set(names)) > 1), len(levels))
    common = ".".join(paths[0].split(".")[:depth])
    inside = {t.path for t in named if t.tied_to is None and lies_in(t.path, common)}
    return common if common and inside == set(paths) else ""


def _place(path: str, size: Expression) -> str:
    """Return ``path``, without ``layers.*`` if L is a factor of the term."""
    everywhere = not size.substitute({"L": 0})
    return legible(path.removeprefix(IN_LAYERS) if everywhere else path)


def report_residuals(report: Report, spec: Spec) -> list[Residual]:
    """Return the residuals of a report on the model of ``spec``, each of its rows' difference."""
    known = _Known(spec)
    groups: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in report.rows:
        groups[row.component, row.kind, row.expected, row.observed].append(row)
    return [
        _residual(rows, known) if number < MAX_IN_LETTERS else _in_numbers(rows)
        for number, rows in enumerate(groups.values())
    ]


def _in_numbers(rows: list[Row]) -> Residual:
    row, difference = rows[0], sum(row.difference for row in rows)
    path = row.component if len(rows) > 1 else row.path
    return Residual(path, row.kind, expression(difference))


class _Known:
    """The tensors of one spec, in letters and in numbers."""

    def __init__(self, spec: Spec) -> None:
        self.values = sizes_of(spec)
        letters = with_head_size(sizes_as_symbols(spec))
        self.hidden = expression(letters._asdict()["H"])
        if self.hidden != letter("H"):
            # A product, A·K, and no symbol of its own.
            del self.values["H"]
        tensors = list(inventory(letters))
        self.sizes = {tensor.path: tensor.size for tensor in tensors}
        self.layers = {stack_of(tensor.path): tensor.repeat for tensor in tensors}
        axes = [letter(name) for name in self.values]
        axes += [axis for tensor in tensors for axis in tensor.shape if type(axis) is not int]
        self.axes = {axis: axis.evaluate(self.values) for axis in axes}

    def layers_of(self, component: str) -> Expression:
        """Return the number of layers of the stack with ``component``, 1 outside any stack."""
        stack = stack_of(component)
        return expression(self.layers.get(stack, 1) if stack else 1)

    def comes_to(self, size: Expression, number: int) -> bool:
        """Whether ``size`` is ``number`` at these sizes."""
        return size.substitute(self.values) == number


def _residual(rows: list[Row], known: _Known) -> Residual:
    row, difference = rows[0], sum(row.difference for row in rows)
    layers = known.layers_of(row.component)
    everywhere = layers != 1 and known.comes_to(layers, len(rows))
    times = layers if everywhere and LAYER not in row.path else expression(len(rows))
    path = row.component if everywhere or len(rows) > 1 else row.path
    for size in _candidates(row, known):
        if known.comes_to(times * size, difference):
            return Residual(path, row.kind, times * size)
    return Residual(path, row.kind, expression(difference))


def _candidates(row: Row, known: _Known) -> Iterator[Expression]:
    """Yield possible formulas for the difference of one row, the likeliest first."""
    whole = sum((known.sizes.get(path, 0) for path in without_braces(row.component)), Expression())
    whole *= known.layers_of(row.component) if LAYER in row.path else 1
    sign = -1 if row.difference < 0 else 1
    if row.kind != "wrong shape" and whole:
        yield sign * whole
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
    if hidden in found:
        found = [hidden]
    found += [n * hidden for n in (2, 3) if n * known.axes[hidden] == length and not found]
    yield from found if len(found) == 1 else ()
    yield expression(length)


def _change(length: int, axis: Expression, known: _Known) -> Expression:
    """Return ``length`` as a multiple of H if it is one, as for fused q, k and v."""
    times, rest = divmod(length, known.axes[known.hidden])
    multiple = (axis / known.hidden).constant is not None
    return times * known.hidden if not rest and multiple else expression(length)
