"""A derivation as tables: its tensors, its letters, its conditions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from paramproof.counting.derivation_text import ONE
from paramproof.counting.letters import factor, letters_table
from paramproof.formulas.derivation import Derivation, DerivedTensor, StatedCondition
from paramproof.formulas.expression import Expression
from paramproof.formulas.path import LAYER, beginnings, leaf, shared_beginning
from paramproof.formulas.printing import legible
from paramproof.tables.table import Column, Table, TableRow, numbers, percent


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
