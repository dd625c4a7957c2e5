"""A formula: as a sum of terms, as tables, as LaTeX, and as the lines of a derivation.

The terms come from the inventory. Each is a table, a norm or a dense layer or, inside a layer, a
whole attention or feed-forward network. A derivation groups its tensors by how often they occur
instead, and says whether it is proved.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.derivation import FITTED, PROVED, Derivation
from paramproof.formulas.expression import Expression, expression, latex, sum_of, text
from paramproof.formulas.path import LAYER, beginnings, leaf, shared_beginning
from paramproof.formulas.printing import legible, some_of
from paramproof.formulas.spec import Quantity
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers, percent

FOLLOWED = "all code that makes the model was followed"

BRACKETED = re.compile(r"[(⌊⌈][^()⌊⌋⌈⌉]*[)⌋⌉]")
"""The innermost brackets with their content."""


class Term(NamedTuple):
    """A component that occurs ``times`` times; ``each`` is 0 if it is tied or not trainable."""

    path: str
    tensors: tuple[Tensor, ...]
    each: Quantity
    times: Quantity


def terms(named: Inventory, *paths: str) -> list[Term]:
    """Return the terms of the count of a model, in the order of the forward pass.

    Multiplied by their numbers of layers, they add up to ``named.total()``. There is one for each
    component, or for each kind of layer in ``paths``.
    """
    present = replace(named, tensors=tuple(t for t in named if t.present != 0))
    found = []
    for path in paths or _term_paths(present, ""):
        for times, kind in present.kinds(path).items():
            counted = (t for t in kind if t.trainable and t.tied_to is None)
            each = sum((tensor.present * tensor.size for tensor in counted), 0)
            found.append(Term(path, kind.tensors, each, times))
    return found


def _term_paths(named: Inventory, component: str) -> Iterator[str]:
    """Yield the components that hold tensors themselves, or are the parts of a layer."""
    paths = {tensor.path for tensor in named}
    for path, inside in named.below(component).items():
        below = inside.below(path)
        direct = path in paths or any(component in paths for component in below)
        if direct or (leaf(component) == LAYER and list(map(leaf, below)) != [LAYER]):
            yield path
        else:
            yield from _term_paths(inside, path)


def latex_sum(named: Inventory, result: Quantity) -> str:
    """Return the terms and their sum, as ``result``, as an ``align*`` of amsmath, or 0."""
    lines = [
        rf"{latex(term.times * term.each)} && \text{{{name}}} \\"
        for term in terms(named)
        for name in [re.sub(r"([_&%$#{}])", r"\\\1", legible(term.path))]
        if term.each != 0
    ]
    if not lines:
        return "0"
    summed, start, end = "\n& + ".join(lines), r"\begin{align*}", r"\end{align*}"
    return f"{start}\n\\text{{parameters}} ={{}}& {summed}\n={{}}& {latex(result)}\n{end}"


def terms_table(
    named: Inventory, sizes: Mapping[str, int], closed: Expression | None = None
) -> Table:
    """Return the terms, each as a product, with the sum and the closed form, if any, below."""
    columns = (
        Column("component", "component", legible),
        Column("each", "each"),
        Column("", "times", is_whole=True),
        Column("formula", "formula"),
        numbers("total", "total", lambda one: f"{expression(one).evaluate(sizes):,}"),
    )
    rows = []
    for one in terms(named):
        each = product = text(one.each)
        times = "" if one.times == 1 else f"× {factor(one.times)}"
        if one.each == 0:
            tied = [tensor.tied_to for tensor in one.tensors if tensor.tied_to]
            each = product = f"0: tied to {legible(tied[0])}" if tied else "0: not trainable"
        elif times:
            product = f"{factor(one.each)} {times}"
        rows.append(TableRow((one.path, each, times, product, one.times * one.each)))
    sums = {"total": named.total()} | ({} if closed is None else {"closed form": closed})
    rows += [
        TableRow((name, text(one), "", text(one), one), starts_section=name == "total")
        for name, one in sums.items()
    ]
    return Table.of(columns, rows)


def factor(one: Quantity) -> str:
    """Return a quantity as a factor of a product: a sum is in brackets."""
    written = flat = text(one)
    before = ""
    while flat != before:
        flat, before = BRACKETED.sub("", flat), flat
    return f"({written})" if " " in flat else written


def letters_in(model: Model, formula: Expression) -> dict[str, str]:
    """Return the fields, by letter, of a formula and of the conditions under which it holds."""
    one = model.architecture
    used = formula.letters | one.bound_letters
    return {name: field for name, field in one.fields.items() if name in used}


def letters_table(
    one: Architecture, letters: Iterable[str], note: Callable[[str], str] | None = None
) -> Table:
    """Return letters with their sizes and fields, and what there is to ``note`` about each."""
    columns = [Column("letter"), numbers("size"), Column("field", form=legible)]
    rows: list[tuple[Any, ...]] = [(name, one.sizes[name], one.fields[name]) for name in letters]
    if note:
        columns.append(Column(""))
        rows = [(*row, note(row[0])) for row in rows]
    return Table.of(columns, map(TableRow, rows))


def holds_where(model: Model) -> Iterator[str]:
    if conditions := model.conditions:
        yield f"holds where {'; '.join(conditions)}"


def formula_lines(derivation: Derivation) -> Iterator[str]:
    yield "trainable parameters"
    yield from summand_lines(derivation)
    yield f"  = {derivation.count(derivation.sizes):,}"


def summand_lines(derivation: Derivation) -> Iterator[str]:
    sign = " "
    for one in terms(derivation.inventory(), ""):
        if one.each:
            often = "" if one.times == 1 else f"{factor(one.times)} × "
            yield f"  {sign} {often}({text(one.each)})" if often else f"  {sign} {text(one.each)}"
            sign = "+"


def evidence_lines(derivation: Derivation) -> Iterator[str]:
    """Yield whether and where the formula is proved, and the models it was compared with."""
    evidence = derivation.evidence
    reasons = derivation.reasons_at(derivation.sizes)
    if guards := derivation.proved_where:
        named = some_of([*guards], 4)
        yield f"{PROVED} where {named}: {FOLLOWED}"
        yield f"{FITTED} elsewhere: validated on held-out models, not proved"
    elif derivation.is_proved:
        yield f"{PROVED}: {FOLLOWED}, at all sizes that meet the conditions"
    if reasons:
        what = "not proved at these sizes" if derivation.is_proved else f"{FITTED}, not proved"
        yield f"{what}: {'; '.join(reasons)}"
    if derivation.validated and (reasons or derivation.irrelevant_guards):
        ranges = derivation.validated.items()
        tried = [f"{name} = {a} to {b}" for name, (a, b) in ranges if name not in derivation.inert]
        yield f"validated at {', '.join(tried)}"
    yield (
        f"every tensor compared with {evidence.held} models at other sizes; "
        f"{evidence.builds} models built in {evidence.seconds:g} s"
    )
    if derivation.buffers:
        yield f"buffers, not counted: {', '.join(map(legible, derivation.buffers))}"


def certainty(architecture: Architecture) -> str:
    """Return the status of a formula, such as proved, or proved where V ≤ 25000."""
    if guards := architecture.proved_where:
        return f"{PROVED} where {' and '.join(guards)}; {FITTED} elsewhere"
    return architecture.status


def tensors_table(derivation: Derivation) -> Table:
    sizes = derivation.sizes
    whole = derivation.count(sizes)
    columns = (
        Column("tensor"),
        Column("shape"),
        numbers("parameters"),
        numbers("share", form=percent),
    )

    def counted(number: int) -> tuple[int, float | None]:
        return number, 100 * number / whole if whole else None

    rows = []
    for times, every in derivation.summands().items():
        if not (tensors := [tensor for tensor in every if tensor.role != "buffer"]):
            continue
        shared = beginnings(shared_beginning([tensor.path for tensor in tensors]))
        stack = next((f"{one}." for one in reversed(shared) if leaf(one) == LAYER), "")
        heading = "once"
        if times != 1:
            often = f"{times.evaluate(sizes):,}"
            often = often if times.constant else f"{factor(times)} = {often}"
            heading = f"{legible(stack.rstrip('.'))} × {often}".strip()
        inside = sum_of(tensor.size for tensor in tensors if tensor.role == "trainable")
        rows.append(TableRow((heading, None, *counted(inside.evaluate(sizes))), is_bold=True))
        for tensor in tensors:
            is_frozen = tensor.role == "frozen"
            size = tensor.size.evaluate(sizes)
            shape = " × ".join(map(factor, tensor.shape)) or "1"
            cells = ("not trainable", None) if is_frozen else counted(size)
            name = legible(tensor.path.removeprefix(stack))
            rows.append(TableRow((name, shape, *cells), level=1))
            for alias in tensor.aliases:
                tied = legible(alias), "the same tensor, tied", 0, None
                rows.append(TableRow(tied, level=1))
    rows.append(TableRow(("total", None, *counted(whole)), starts_section=True))
    return Table.of(columns, rows)


def sizes_table(derivation: Derivation) -> Table:
    def note(letter: str) -> str:
        if letter in derivation.fixed:
            return "not varied: the formula holds for this value only"
        return "changes no tensor" if letter in derivation.inert else ""

    return letters_table(derivation, derivation.sizes, note)


def conditions_table(derivation: Derivation) -> Table:
    rows = []
    for one in derivation.conditions:
        file, line = one.places[0] if one.places else ("", 0)
        place = f"{legible(os.path.basename(file))}:{line}" if one.places else ""
        rows.append(TableRow((str(one.condition), legible(str(one.consequence), 160), place)))
    return Table.of((Column("holds where"), Column("elsewhere"), Column("compared in")), rows)
