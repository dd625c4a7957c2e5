"""A model in letters: as a sum of terms, as tables, as LaTeX, and as the lines of a derivation.

The terms come from the inventory. Each is a table, a norm or a dense layer or, inside a layer, a
whole attention or feed-forward network. A derivation groups its tensors by how often they occur
instead, and says whether it is proved.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.derivation import (
    FITTED,
    PROVED,
    Derivation,
    DerivedTensor,
    StatedCondition,
)
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import latex, text
from paramproof.formulas.path import LAYER, beginnings, leaf, shared_beginning
from paramproof.formulas.printing import legible, some_of
from paramproof.formulas.spec import Quantity
from paramproof.resolver import Model
from paramproof.views.table import Column, Table, TableRow, numbers, percent


@dataclass(frozen=True, slots=True)
class Lettered:
    """A model in letters: its tensors, the sizes and fields of the letters, and a closed form.

    Only a ``family`` has a closed form, which is written apart from its tensors, and canonical
    names; those of a derived formula are native.
    """

    named: Inventory
    sizes: Mapping[str, int]
    fields: Mapping[str, str]
    closed: Expression | None = None
    family: str = ""

    @property
    def formula(self) -> Expression:
        """The trainable parameters: the closed form, or without one the sum of the tensors."""
        return expression(self.named.total()) if self.closed is None else self.closed


@dataclass(frozen=True, slots=True)
class Term:
    """A component that occurs ``times`` times; ``each`` is 0 if it is tied or not trainable."""

    path: str
    tensors: tuple[Tensor, ...]
    each: Quantity
    times: Quantity

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of its tensors, each once."""
        return tuple(dict.fromkeys(tensor.source for tensor in self.tensors))


def terms(named: Inventory) -> list[Term]:
    """Return the terms of the count of a model, in the order of the forward pass.

    Multiplied by their numbers of layers, they add up to ``named.total()``.
    """
    present = replace(named, tensors=tuple(t for t in named if t.present != 0))
    return [
        Term(path, kind.tensors, _each(kind), times)
        for path in _term_paths(present, "")
        for times, kind in present.kinds(path).items()
    ]


def _term_paths(named: Inventory, component: str) -> Iterator[str]:
    """Return the components that hold tensors themselves, or are the parts of a layer."""
    paths = {tensor.path for tensor in named}
    for path, inside in named.below(component).items():
        below = inside.components(path)
        direct = path in paths or any(component in paths for component in below)
        if direct or (leaf(component) == LAYER and list(map(leaf, below)) != [LAYER]):
            yield path
        else:
            yield from _term_paths(inside, path)


def _each(kind: Inventory) -> Quantity:
    """Return the trainable parameters of one occurrence."""
    counted = (t for t in kind if t.trainable and t.tied_to is None)
    return sum((tensor.present * tensor.size for tensor in counted), 0)


def latex_sum(parts: Sequence[Term], result: Quantity) -> str:
    """Return the terms and their sum as an ``align*`` environment of amsmath."""
    lines = [
        rf"{latex(term.times * term.each)} && \text{{{_upright(term.path)}}} \\"
        for term in parts
        if term.each != 0
    ]
    first, *rest = lines
    return "\n".join(
        [
            r"\begin{align*}",
            rf"\text{{parameters}} ={{}}& {first}",
            *(f"& + {line}" for line in rest),
            rf"={{}}& {latex(result)}",
            r"\end{align*}",
        ]
    )


def _upright(path: str) -> str:
    return re.sub(r"([_&%$#{}])", r"\\\1", legible(path))


BRACKETED = re.compile(r"[(⌊⌈][^()⌊⌋⌈⌉]*[)⌋⌉]")
"""The innermost brackets with their content."""


def in_letters(model: Model) -> Lettered:
    """Return a model in letters, the indicators of a family as the numbers that they are."""
    one = model.architecture
    named = one.inventory(), one.sizes, one.fields
    return Lettered(*named, one.formula, one.spec.family) if one.spec else Lettered(*named)


def letters_in(model: Model, formula: Expression | None = None) -> tuple[str, ...]:
    """Return the letters of a formula and of the conditions under which it holds.

    The formula is that of the trainable parameters, unless another is given.
    """
    one = model.architecture
    moving = (one.formula if formula is None else formula).letters | one.bound_letters
    return tuple(name for name in one.fields if name in moving)


def letters_table(
    one: Architecture, letters: Iterable[str], note: Callable[[str], str] | None = None
) -> Table:
    """Return letters with their sizes and fields, and what there is to ``note`` about each."""
    columns = Column("letter"), numbers("size"), Column("field", form=legible)
    notes = () if note is None else (Column("", "note"),)
    rows = (
        TableRow((name, one.sizes[name], one.fields[name], *((note(name),) if note else ())))
        for name in letters
    )
    return Table.of((*columns, *notes), rows)


def holds_where(model: Model) -> Iterator[str]:
    """Yield the conditions under which a formula holds, as one line."""
    if conditions := model.architecture.conditions:
        yield f"holds where {'; '.join(str(stated.condition) for stated in conditions)}"


def latex_of(model: Lettered) -> str:
    """The same sum as LaTeX, up to the closed form."""
    whole = model.named.total() if model.closed is None else model.closed
    return latex_sum(terms(model.named), whole)


def terms_table(model: Lettered) -> Table:
    """Return the terms of a count: the size of one, how often it occurs, the product, its value.

    Below them are the sum and, for a family, the closed form.
    """

    def value(quantity: Quantity) -> str:
        return f"{expression(quantity).evaluate(model.sizes):,}"

    columns = (
        Column("component", "component", legible),
        Column("each", "each"),
        Column("", "times", is_whole=True),
        Column("formula", "formula"),
        numbers("total", "total", value),
    )
    rows = [
        TableRow(
            (one.path, each_text(one), times_text(one), product_text(one), one.times * one.each)
        )
        for one in terms(model.named)
    ]
    whole = model.named.total()
    rows.append(TableRow(("total", text(whole), "", text(whole), whole), starts_section=True))
    if model.closed is not None:
        rows.append(
            TableRow(("closed form", text(model.closed), "", text(model.closed), model.closed))
        )
    return Table.of(columns, rows)


def product_text(term: Term) -> str:
    """Return a term as a product, with brackets around a sum."""
    each = each_text(term)
    if term.each == 0 or term.times == 1:
        return each
    flat, before = each, ""
    while flat != before:
        flat, before = BRACKETED.sub("", flat), flat
    return f"({each}) {times_text(term)}" if " " in flat else f"{each} {times_text(term)}"


def times_text(term: Term) -> str:
    """Return how often a term is there, ``× L``; "" for once."""
    return "" if term.times == 1 else f"× {factor(expression(term.times))}"


def factor(one: Expression) -> str:
    """Return an expression as a factor of a product: a sum is in brackets."""
    return f"({text(one)})" if len(one.terms) > 1 else text(one)


def each_text(term: Term) -> str:
    """Return what one of a term has, or why there is nothing to count."""
    if term.each != 0:
        return text(term.each)
    tied = [tensor.tied_to for tensor in term.tensors if tensor.tied_to]
    return f"0: tied to {legible(tied[0])}" if tied else "0: not trainable"


ONE = expression(1)

MOST_GUARDS = 4
"""How many of the guards that the proof rests on are printed; --json has all."""


def formula_lines(derivation: Derivation) -> Iterator[str]:
    """Yield the formula, a line for each kind of layer, and its value."""
    yield "trainable parameters"
    yield from grouped(derivation)
    yield f"  = {derivation.count(derivation.sizes):,}"


def grouped(derivation: Derivation) -> Iterator[str]:
    """Yield the formula, a line for each kind of layer."""
    sign = " "
    for times, tensors in derivation.summands().items():
        trainable = [t for t in tensors if t.role == "trainable"]
        each = sum((prod(t.shape, start=ONE) for t in trainable), 0 * ONE)
        if each == 0:
            continue
        inside = text(each) if times == ONE else f"{factor(times)} × ({text(each)})"
        yield f"  {sign} {inside}"
        sign = "+"


def evidence_lines(derivation: Derivation) -> Iterator[str]:
    """Yield whether and where the formula is proved, and the models it was compared with."""
    evidence = derivation.evidence
    reasons = derivation.reasons_at(derivation.sizes)
    if guards := derivation.proved_where:
        named = some_of([*guards], MOST_GUARDS)
        yield f"{PROVED} where {named}: every shape and number was traced"
        yield f"{FITTED} elsewhere: validated on held-out models, not proved"
    elif derivation.is_proved:
        yield f"{PROVED}: every shape and number was traced, at all sizes that meet the conditions"
    if reasons:
        what = "not proved at these sizes" if derivation.is_proved else f"{FITTED}, not proved"
        yield f"{what}: {'; '.join(reasons)}"
    if derivation.validated and (reasons or derivation.irrelevant_guards):
        yield f"validated at {_validated(derivation)}"
    yield (
        f"traced {evidence.traces} times; every tensor compared with {evidence.held} models at "
        f"other sizes; {evidence.builds} models built in {evidence.seconds:g} s"
    )
    if derivation.buffers:
        yield f"buffers, not counted: {', '.join(map(legible, derivation.buffers))}"


def certainty(architecture: Architecture) -> str:
    """Return the status of a formula, such as proved, or proved where V ≤ 25000."""
    if guards := architecture.proved_where:
        return f"{PROVED} where {' and '.join(guards)}; {FITTED} elsewhere"
    return architecture.status


def _validated(derivation: Derivation) -> str:
    """Return the sizes of traces and held-out models, by letter."""
    ranges = derivation.validated.items()
    return ", ".join(
        f"{name} = {low} to {high}" for name, (low, high) in ranges if name not in derivation.inert
    )


def tensors_table(derivation: Derivation) -> Table:
    """Return the trainable tensors, grouped by how often they occur, with shapes and numbers."""
    columns = (
        Column("tensor"),
        Column("shape"),
        numbers("parameters"),
        numbers("share", form=percent),
    )
    whole = derivation.count(derivation.sizes)
    total = TableRow(("total", None, whole, _share(whole, whole)), starts_section=True)
    return Table.of(columns, [*_groups(derivation, whole), total])


def _groups(derivation: Derivation, whole: int) -> Iterator[TableRow]:
    for times, tensors in derivation.summands().items():
        counted = [tensor for tensor in tensors if tensor.role != "buffer"]
        if not counted:
            continue
        inside = sum((tensor.size for tensor in counted if tensor.role == "trainable"), 0 * ONE)
        stack = _stack(counted)
        heading = _heading(stack, times, derivation)
        yield TableRow((heading, None, *_numbers(inside, derivation, whole)), is_bold=True)
        for tensor in counted:
            path = legible(tensor.path.removeprefix(stack))
            yield TableRow((path, _shape(tensor), *_cells(tensor, derivation, whole)), level=1)
            for alias in tensor.aliases:
                yield TableRow((legible(alias), "the same tensor, tied", 0, None), level=1)


def sizes_table(derivation: Derivation) -> Table:
    """Return each letter with its value, its field, and a note if it was not varied or unused."""

    def note(letter: str) -> str:
        if letter in derivation.fixed:
            return "not varied: the formula holds for this value only"
        if letter in derivation.unread:
            return "never read"
        return "changes no tensor" if letter in derivation.inert else ""

    return letters_table(derivation, derivation.sizes, note)


def conditions_table(derivation: Derivation) -> Table:
    """Return the guards of the formula, what violating them does, and the lines that compare."""
    columns = (
        Column("holds where"),
        Column("elsewhere"),
        Column("compared in"),
    )
    rows = (
        TableRow((str(one.condition), legible(str(one.consequence), 160), _place(one)))
        for one in derivation.conditions
    )
    return Table.of(columns, rows)


def _stack(tensors: Sequence[DerivedTensor]) -> str:
    """Return the shared beginning of all paths, up to the last layer index: ``layers.*.``."""
    shared = beginnings(shared_beginning([tensor.path for tensor in tensors]))
    return next((f"{stack}." for stack in reversed(shared) if leaf(stack) == LAYER), "")


def _heading(stack: str, times: Expression, derivation: Derivation) -> str:
    if times == ONE:
        return "once"
    number = f"{times.evaluate(derivation.sizes):,}"
    letters = number if times.constant else f"{factor(times)} = {number}"
    return f"{legible(stack.rstrip('.'))} × {letters}".strip()


def _shape(tensor: DerivedTensor) -> str:
    return " × ".join(map(factor, tensor.shape)) or "1"


def _cells(tensor: DerivedTensor, derivation: Derivation, whole: int) -> tuple[object, ...]:
    if tensor.role == "frozen":
        return "not trainable", None
    return _numbers(tensor.size, derivation, whole)


def _numbers(size: Expression, derivation: Derivation, whole: int) -> tuple[object, ...]:
    number = size.evaluate(derivation.sizes)
    return number, _share(number, whole)


def _share(number: int, whole: int) -> float | None:
    """Return a percentage; without a trainable parameter, nothing has a share."""
    return 100 * number / whole if whole else None


def _place(stated: StatedCondition) -> str:
    """Return the first place that makes the comparison, as a file and a line."""
    if not stated.places:
        return ""
    file, line = stated.places[0]
    return f"{legible(os.path.basename(file))}:{line}"
