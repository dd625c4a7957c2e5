"""A model in letters: as a sum of terms, as tables, as LaTeX, and as the lines of a derivation.

The terms come from the inventory. Each is a table, a norm or a dense layer or, inside a layer, a
whole attention or feed-forward network. A derivation groups its tensors by how often they occur
instead, and says whether it is proved.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.derivation import FITTED, PROVED, Derivation
from paramproof.formulas.expression import Expression, expression, sum_of
from paramproof.formulas.notation import latex, text
from paramproof.formulas.path import LAYER, beginnings, leaf, shared_beginning
from paramproof.formulas.printing import legible, some_of
from paramproof.formulas.spec import Quantity
from paramproof.resolver import Model
from paramproof.views.table import Column, Table, TableRow, numbers, percent

ONE = expression(1)

BRACKETED = re.compile(r"[(⌊⌈][^()⌊⌋⌈⌉]*[)⌋⌉]")
"""The innermost brackets with their content."""

MOST_GUARDS = 4
"""How many of the guards that the proof rests on are printed; --json has all."""


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


def in_letters(model: Model) -> Lettered:
    """Return a model in letters, the indicators of a family as the numbers that they are."""
    one = model.architecture
    closed = one.formula if one.family else None
    return Lettered(one.inventory(), one.sizes, one.fields, closed, one.family)


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

    @property
    def each_text(self) -> str:
        """What one has, or why there is nothing to count."""
        if self.each != 0:
            return text(self.each)
        tied = [tensor.tied_to for tensor in self.tensors if tensor.tied_to]
        return f"0: tied to {legible(tied[0])}" if tied else "0: not trainable"

    @property
    def times_text(self) -> str:
        """How often it is there, ``× L``; "" for once."""
        return "" if self.times == 1 else f"× {factor(expression(self.times))}"

    @property
    def product_text(self) -> str:
        """Both as a product, with brackets around a sum."""
        flat, before = self.each_text, ""
        if self.each == 0 or self.times == 1:
            return flat
        while flat != before:
            flat, before = BRACKETED.sub("", flat), flat
        each = f"({self.each_text})" if " " in flat else self.each_text
        return f"{each} {self.times_text}"


def terms(named: Inventory) -> list[Term]:
    """Return the terms of the count of a model, in the order of the forward pass.

    Multiplied by their numbers of layers, they add up to ``named.total()``.
    """
    present = replace(named, tensors=tuple(t for t in named if t.present != 0))
    found = []
    for path in _term_paths(present, ""):
        for times, kind in present.kinds(path).items():
            counted = (t for t in kind if t.trainable and t.tied_to is None)
            each = sum((tensor.present * tensor.size for tensor in counted), 0)
            found.append(Term(path, kind.tensors, each, times))
    return found


def _term_paths(named: Inventory, component: str) -> Iterator[str]:
    """Yield the components that hold tensors themselves, or are the parts of a layer."""
    paths = {tensor.path for tensor in named}
    for path, inside in named.below(component).items():
        below = inside.components(path)
        direct = path in paths or any(component in paths for component in below)
        if direct or (leaf(component) == LAYER and list(map(leaf, below)) != [LAYER]):
            yield path
        else:
            yield from _term_paths(inside, path)


def latex_sum(model: Lettered) -> str:
    """Return the terms and their sum as an ``align*`` environment of amsmath, or 0.

    The sum is the closed form if there is one.
    """
    lines = [
        rf"{latex(term.times * term.each)} && \text{{{name}}} \\"
        for term in terms(model.named)
        for name in [re.sub(r"([_&%$#{}])", r"\\\1", legible(term.path))]
        if term.each != 0
    ]
    if not lines:
        return "0"
    result = model.named.total() if model.closed is None else model.closed
    return "\n".join(
        [
            r"\begin{align*}",
            rf"\text{{parameters}} ={{}}& {lines[0]}",
            *(f"& + {line}" for line in lines[1:]),
            rf"={{}}& {latex(result)}",
            r"\end{align*}",
        ]
    )


def terms_table(model: Lettered) -> Table:
    """Return the terms of a count: the size of one, how often it occurs, the product, its value.

    Below them are the sum and, for a family, the closed form.
    """
    columns = (
        Column("component", "component", legible),
        Column("each", "each"),
        Column("", "times", is_whole=True),
        Column("formula", "formula"),
        numbers("total", "total", lambda one: f"{expression(one).evaluate(model.sizes):,}"),
    )
    rows = [
        TableRow((one.path, one.each_text, one.times_text, one.product_text, one.times * one.each))
        for one in terms(model.named)
    ]
    whole = model.named.total()
    rows.append(TableRow(("total", text(whole), "", text(whole), whole), starts_section=True))
    if (closed := model.closed) is not None:
        rows.append(TableRow(("closed form", text(closed), "", text(closed), closed)))
    return Table.of(columns, rows)


def factor(one: Expression) -> str:
    """Return an expression as a factor of a product: a sum is in brackets."""
    return f"({text(one)})" if len(one.terms) > 1 else text(one)


def letters_in(model: Model, formula: Expression) -> dict[str, str]:
    """Return the fields, by letter, of a formula and of the conditions under which it holds."""
    one = model.architecture
    used = formula.letters | one.bound_letters
    return {name: field for name, field in one.fields.items() if name in used}


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


def formula_lines(derivation: Derivation) -> Iterator[str]:
    """Yield the formula, a line for each kind of layer, and its value."""
    yield "trainable parameters"
    yield from summand_lines(derivation)
    yield f"  = {derivation.count(derivation.sizes):,}"


def summand_lines(derivation: Derivation) -> Iterator[str]:
    """Yield the formula, a line for each kind of layer."""
    sign = " "
    for times, tensors in derivation.summands().items():
        trainable = [tensor for tensor in tensors if tensor.role == "trainable"]
        if each := sum_of(prod(tensor.shape, start=ONE) for tensor in trainable):
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
        ranges = derivation.validated.items()
        tried = [f"{name} = {a} to {b}" for name, (a, b) in ranges if name not in derivation.inert]
        yield f"validated at {', '.join(tried)}"
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


def tensors_table(derivation: Derivation) -> Table:
    """Return the trainable tensors, grouped by how often they occur, with shapes and numbers."""
    whole = derivation.count(derivation.sizes)
    columns = (
        Column("tensor"),
        Column("shape"),
        numbers("parameters"),
        numbers("share", form=percent),
    )

    def counted(number: int) -> tuple[int, float | None]:
        return number, 100 * number / whole if whole else None

    def rows() -> Iterator[TableRow]:
        for times, every in derivation.summands().items():
            if not (tensors := [tensor for tensor in every if tensor.role != "buffer"]):
                continue
            shared = beginnings(shared_beginning([tensor.path for tensor in tensors]))
            stack = next((f"{one}." for one in reversed(shared) if leaf(one) == LAYER), "")
            inside = sum_of(tensor.size for tensor in tensors if tensor.role == "trainable")
            heading = _heading(stack, times, derivation)
            numbers_inside = counted(inside.evaluate(derivation.sizes))
            yield TableRow((heading, None, *numbers_inside), is_bold=True)
            for tensor in tensors:
                is_frozen = tensor.role == "frozen"
                size = tensor.size.evaluate(derivation.sizes)
                shape = " × ".join(map(factor, tensor.shape)) or "1"
                cells = ("not trainable", None) if is_frozen else counted(size)
                yield TableRow((legible(tensor.path.removeprefix(stack)), shape, *cells), level=1)
                for alias in tensor.aliases:
                    yield TableRow((legible(alias), "the same tensor, tied", 0, None), level=1)
        yield TableRow(("total", None, *counted(whole)), starts_section=True)

    return Table.of(columns, rows())


def _heading(stack: str, times: Expression, derivation: Derivation) -> str:
    if times == ONE:
        return "once"
    number = f"{times.evaluate(derivation.sizes):,}"
    letters = number if times.constant else f"{factor(times)} = {number}"
    return f"{legible(stack.rstrip('.'))} × {letters}".strip()


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
    rows = []
    for one in derivation.conditions:
        file, line = one.places[0] if one.places else ("", 0)
        place = f"{legible(os.path.basename(file))}:{line}" if one.places else ""
        rows.append(TableRow((str(one.condition), legible(str(one.consequence), 160), place)))
    return Table.of((Column("holds where"), Column("elsewhere"), Column("compared in")), rows)
