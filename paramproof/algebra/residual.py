"""What a count has too much or too little, as algebra, and the component it belongs to.

``actual − formula = −L·F   feed_forward.intermediate.bias``: the terms of a difference come
from a report on one model, whose components have a size in letters, or from the symbolic
reading of a builder. What no letters fit is printed as the number it is.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import sympy

from paramproof.algebra import symbols as algebra
from paramproof.algebra.symbols import Expression
from paramproof.formulas import (
    EncoderLetters,
    FamilyLetters,
    Inventory,
    Report,
    Row,
    Spec,
    inventory,
)
from paramproof.formulas.layout import STACKED, stored_shape
from paramproof.formulas.path import LAYER, lies_in, shared_path, stack_of
from paramproof.formulas.tensors import Tensor
from paramproof.proof.symbolic import POINTS, Reading

IN_LAYERS = f"layers.{LAYER}."


@dataclass(frozen=True, slots=True)
class Term:
    """What one component adds to ``actual − formula``; ``what`` says how it differs."""

    path: str
    what: str
    size: Expression


def explained(report: Report, spec: Spec) -> str:
    """``report`` as text, and where something differs the residual as algebra below it."""
    rendered = report.render(spec)
    if report.equal:
        return rendered
    return "\n".join([rendered, *lines(report_terms(report, spec), algebra.letters_of(spec))])


def lines(terms: Iterable[Term], letters: FamilyLetters) -> list[str]:
    """The residual, and with it the component, or a line for each where there are several."""
    sums: dict[str, Expression] = defaultdict(int)
    for term in terms:
        sums[term.path] += term.size
    sums = {path: size for path, size in sums.items() if sympy.expand(size)}
    folded = "K" not in letters._fields
    first = f"actual − formula = {algebra.text(algebra.total(sums.values()), folded)}"
    whole = _whole(list(sums), inventory(letters))
    if whole:
        return [f"{first}   {_place(whole, algebra.total(sums.values()))}"]
    return [
        first,
        *(f"  {algebra.text(size, folded)}   {_place(path, size)}" for path, size in sums.items()),
    ]


def _whole(paths: list[str], named: Inventory) -> str:
    """The component that these tensors, and no others, make up; or the only path there is."""
    if len(paths) < 2:
        return "".join(paths)
    levels = list(zip(*(path.split(".") for path in paths), strict=False))
    depth = next((i for i, names in enumerate(levels) if len(set(names)) > 1), len(levels))
    common = ".".join(paths[0].split(".")[:depth])
    inside = {t.path for t in named if t.tied_to is None and lies_in(t.path, common)}
    return common if common and inside == set(paths) else ""


def _place(path: str, size: Expression) -> str:
    """``path``, whose ``layers.*`` goes without saying where L is a factor."""
    everywhere = not algebra.value(size, {"L": 0})
    return path.removeprefix(IN_LAYERS) if everywhere else path


def reading_terms(readings: Sequence[Reading], letters: EncoderLetters) -> list[Term]:
    """Each way in which tensors read in symbols are not as the formula says, tensor by tensor.

    A term may be of size 0: another shape with as many entries, or an unknown name beside a
    missing one.
    """
    named = [t for t in inventory(letters) if t.present and t.tied_to is None]
    due = {tensor.path: tensor for tensor in named if tensor.trainable}
    left = {path: tensor.repeat for path, tensor in due.items()}
    terms = []
    for reading in readings:
        parts = [path for path in reading.parts if path in due]
        for path in parts:
            left[path] -= reading.times * (letters.L if STACKED in reading.layout else 1)
        if parts:
            terms += _held(reading, [due[path] for path in parts], letters)
        elif reading.trainable or not {t.path for t in named}.issuperset(reading.parts or ("",)):
            size = reading.size if reading.trainable else 0
            terms.append(Term("".join(reading.parts[:1]) or reading.path, "unexpected", size))
    for path, times in left.items():
        if times := sympy.expand(times):
            what = "missing" if algebra.value(times, POINTS[0]) > 0 else "stored too often"
            terms.append(Term(path, what, -times * due[path].size))
    return terms


def _held(reading: Reading, tensors: Sequence[Tensor], letters: EncoderLetters) -> Iterator[Term]:
    """How one native tensor is not as the canonical tensors in it ask for."""
    path = shared_path(tensor.path for tensor in tensors)
    shapes = [tensor.shape for tensor in tensors]
    head_size = letters.H / letters.A
    expected = stored_shape(reading.layout, shapes, head_size=head_size, layers=letters.L)
    if not _alike(expected, reading.shape):
        extra = reading.times * (sympy.prod(reading.shape) - sympy.prod(expected))
        yield Term(path, "wrong shape", extra)
    if not reading.trainable:
        yield Term(path, "frozen", -reading.size)


def _alike(expected: Sequence[Expression], observed: Sequence[Expression]) -> bool:
    return len(expected) == len(observed) and not any(
        sympy.expand(e - o) for e, o in zip(expected, observed, strict=True)
    )


def report_terms(report: Report, spec: Spec) -> list[Term]:
    """The terms of a report on the model of ``spec``, each equal to its rows' difference."""
    known = _Known(spec)
    groups: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in report.rows:
        groups[row.component, row.kind, row.expected, row.observed].append(row)
    return [_term(rows, known) for rows in groups.values()]


class _Known:
    """The tensors of one spec, in letters and in numbers."""

    def __init__(self, spec: Spec) -> None:
        self.values = algebra.sizes_of(spec)
        letters = algebra.letters_of(spec)
        self.hidden = letters.H
        tensors = list(inventory(letters))
        self.sizes = {tensor.path: tensor.size for tensor in tensors}
        self.layers = {stack_of(tensor.path): tensor.repeat for tensor in tensors}
        axes = [algebra.SYMBOLS[name] for name in self.values]
        axes += [axis for tensor in tensors for axis in tensor.shape if type(axis) is not int]
        self.axes = {axis: algebra.value(axis, self.values) for axis in axes}

    def layers_of(self, component: str) -> Expression:
        """The number of layers of the stack that ``component`` lies in, 1 outside of any."""
        stack = stack_of(component)
        return self.layers.get(stack, 1) if stack else 1


def _term(rows: list[Row], known: _Known) -> Term:
    row, difference = rows[0], sum(row.difference for row in rows)
    layers = known.layers_of(row.component)
    inside = layers != 1
    everywhere = inside and len(rows) == algebra.value(layers, known.values)
    times = layers if everywhere and LAYER not in row.path else len(rows)
    path = row.component if everywhere or len(rows) > 1 else row.path
    for size in _candidates(row, known):
        if algebra.value(times * size, known.values) == difference:
            return Term(path, row.kind, times * size)
    return Term(path, row.kind, sympy.Integer(difference))


def _candidates(row: Row, known: _Known) -> Iterator[Expression]:
    """What the difference of one row may be in letters, the likeliest first."""
    whole = sum(known.sizes.get(path, 0) for path in _braces(row.component))
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
                rest = sympy.cancel(whole / axis)
                if rest.is_polynomial():
                    yield _change(observed - expected, axis, known) * rest
    if row.observed and row.expected is None:
        yield sign * math.prod(next(_letters(length, known)) for length in row.observed)


def _letters(length: int, known: _Known) -> Iterator[Expression]:
    """``length`` in letters, where only one letter, or multiple of H, is as long; or as it is."""
    hidden = known.hidden
    found = [axis for axis, size in known.axes.items() if size == length]
    if hidden in found:
        found = [hidden]
    found += [n * hidden for n in (2, 3) if n * known.axes[hidden] == length and not found]
    yield from found if len(found) == 1 else ()
    yield sympy.Integer(length)


def _change(length: int, axis: Expression, known: _Known) -> Expression:
    """``length`` as a multiple of H where the axis is one (fused q, k and v), or as it is."""
    times, rest = divmod(length, int(known.axes[known.hidden]))
    return times * known.hidden if not rest and axis.has(known.hidden) else sympy.Integer(length)


def _braces(path: str) -> list[str]:
    """The paths that ``attention.{query,key}.bias`` stands for."""
    levels = [re.fullmatch(r"\{(.*)\}", level) for level in path.split(".")]
    names = zip(path.split("."), levels, strict=True)
    return [
        ".".join(choice)
        for choice in product(*(m[1].split(",") if m else [level] for level, m in names))
    ]


def components_of_size(residual: Expression) -> list[str]:
    """The components whose size, in all layers, is ``residual`` up to the sign."""
    named = inventory(algebra.letters())
    found = []
    for path in _components(named, ""):
        size = named.total(path) * (algebra.SIZES["L"] if LAYER in path.split(".") else 1)
        if not sympy.expand(size - residual) or not sympy.expand(size + residual):
            found.append(path.removeprefix(IN_LAYERS))
    return found


def _components(named: Inventory, component: str) -> Iterator[str]:
    for path in named.components(component):
        yield path
        yield from _components(named, path)
