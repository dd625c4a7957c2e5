"""A derivation as tables and lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from math import prod

from rich.markup import escape
from rich.table import Table

from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.letters import factor
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.derivation import (
    FITTED,
    PROVED,
    Derivation,
    DerivedTensor,
    StatedCondition,
)
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import text
from paramproof.formulas.path import LAYER
from paramproof.formulas.printing import legible, some_of

ONE = expression(1)

MOST_GUARDS = 4
"""How many of the guards that the proof rests on are printed; --json has all."""


def tensors_table(derivation: Derivation) -> Table:
    """Return the trainable tensors, grouped by how often they occur, with shapes and numbers."""
    table = Table(**PLAIN)
    table.add_column("tensor", overflow="fold", min_width=24)
    table.add_column("shape", overflow="fold")
    table.add_column("parameters", justify=RIGHT, no_wrap=True)
    table.add_column("share", justify=RIGHT, no_wrap=True)
    whole = derivation.count(derivation.sizes)
    for times, tensors in derivation.summands().items():
        counted = [tensor for tensor in tensors if tensor.role != "buffer"]
        if not counted:
            continue
        inside = sum((tensor.size for tensor in counted if tensor.role == "trainable"), 0 * ONE)
        cells = _numbers(inside, derivation, whole)
        stack = _stack(counted)
        heading = _heading(stack, times, derivation)
        table.add_row(escape(heading), "", *cells, style="bold")
        for tensor in counted:
            path = legible(tensor.path.removeprefix(stack))
            shape = escape(_shape(tensor))
            table.add_row(f"  {escape(path)}", shape, *_cells(tensor, derivation, whole))
            for alias in tensor.aliases:
                table.add_row(f"  {escape(legible(alias))}", "the same tensor, tied", "0", "")
    table.add_section()
    table.add_row("total", "", f"{whole:,}", "100.00 %")
    return table


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


def letters_table(derivation: Derivation) -> Table:
    """Return each letter with its value, its field, and a note if it was not varied or unused."""
    table = Table("letter", **PLAIN)
    table.add_column("size", justify=RIGHT, no_wrap=True)
    table.add_column("field", overflow="fold")
    table.add_column("")
    for letter, value in derivation.sizes.items():
        note = ""
        if letter in derivation.fixed:
            note = "not varied: the formula holds for this value only"
        elif letter in derivation.unread:
            note = "never read"
        elif letter in derivation.inert:
            note = "changes no tensor"
        table.add_row(letter, f"{value:,}", escape(legible(derivation.fields[letter])), note)
    return table


def conditions_table(derivation: Derivation) -> Table:
    """Return the guards of the formula, what happens elsewhere, and the line that compares."""
    table = Table("holds where", **PLAIN)
    table.add_column("elsewhere", overflow="fold")
    table.add_column("compared in", overflow="fold")
    for stated in derivation.conditions:
        table.add_row(
            str(stated.condition),
            escape(legible(str(stated.consequence), 160)),
            escape(_place(stated)),
        )
    return table


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
        yield f"{FITTED}, not proved: {'; '.join(reasons)}"
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


def _stack(tensors: Sequence[DerivedTensor]) -> str:
    """Return the shared beginning of all paths, up to the last layer index: ``layers.*.``."""
    names = [tensor.path.split(".") for tensor in tensors]
    shared = 0
    for level in zip(*names, strict=False):
        if len(set(level)) > 1:
            break
        shared += 1
    beginning = names[0][:shared]
    while beginning and beginning[-1] != LAYER:
        beginning.pop()
    return "".join(f"{name}." for name in beginning)


def _heading(stack: str, times: Expression, derivation: Derivation) -> str:
    if times == ONE:
        return "once"
    number = f"{times.evaluate(derivation.sizes):,}"
    letters = number if times.constant else f"{factor(times)} = {number}"
    return f"{legible(stack.rstrip('.'))} × {letters}".strip()


def _shape(tensor: DerivedTensor) -> str:
    return " × ".join(map(factor, tensor.shape)) or "1"


def _cells(tensor: DerivedTensor, derivation: Derivation, whole: int) -> tuple[str, str]:
    if tensor.role == "frozen":
        return "not trainable", ""
    return _numbers(tensor.size, derivation, whole)


def _numbers(size: Expression, derivation: Derivation, whole: int) -> tuple[str, str]:
    number = size.evaluate(derivation.sizes)
    # Without a trainable parameter there is no share of anything.
    return f"{number:,}", f"{100 * number / whole:.2f} %" if whole else ""


def _place(stated: StatedCondition) -> str:
    """Return the first place that makes the comparison, as a file and a line."""
    if not stated.places:
        return ""
    file, line = stated.places[0]
    return f"{legible(os.path.basename(file))}:{line}"
