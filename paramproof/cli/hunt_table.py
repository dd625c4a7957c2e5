"""The summary of ``paramproof hunt``: a line for each framework and family, and the failures."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from paramproof.formulas.printing import (
    MAX_MESSAGE_SHOWN,
    MAX_ROWS_SHOWN,
    and_more,
    legible,
    path_text,
    some_of,
)
from paramproof.hunt.summary import Summary, Tally, groups
from paramproof.views.table import Column, Table, TableRow, numbers
from paramproof.views.terminal import print_table

MAX_DIFFERENCES_SHOWN = 10
"""Differences that are printed in full; each has its own command in the task's file."""

MAX_NAMES_SHOWN = 3
"""Lost tasks that are named for each reason."""


def print_summary(out: Console, found: Summary) -> None:
    """Print the numbers of tasks requested, done and lost, and of models that differ."""
    print_table(out, _table(found))
    for line in _lines(found):
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def _table(found: Summary) -> Table:
    headings = ("models", "equal", "different", "lost", "parameters")
    columns = (Column("framework, family"), *map(numbers, headings))
    rows: list[TableRow] = []
    framework = ""
    for group in groups(found):
        if group.framework != framework:
            framework = group.framework
            name = path_text(framework)
            rows.append(TableRow((name, *[None] * 5), is_bold=True, starts_section=True))
        rows.append(TableRow(_cells(group), level=1))
    return Table.of(columns, rows)


def _cells(group: Tally) -> tuple[object, ...]:
    what = path_text(group.of) + (f", {group.check}" * (group.check != "models"))
    parameters = group.parameters or None
    if group.refused:
        return what, group.asked, "not expressible", None, None, parameters
    different = group.checked - group.equal
    return what, group.asked, group.equal, different, group.lost, parameters


def _lines(found: Summary) -> Iterator[str]:
    differences = list(found.differences)
    for task, one in differences[:MAX_DIFFERENCES_SHOWN]:
        yield ""
        expected, actual = (_value(one, name) for name in ("expected", "actual"))
        yield f"{path_text(task.name)}: expected {expected}, actual {actual}"
        for line in str(one.get("report", "")).splitlines()[:MAX_ROWS_SHOWN]:
            yield f"  {legible(line, MAX_MESSAGE_SHOWN)}"
        yield f"  reproduce: {legible(one.get('command', ''), MAX_MESSAGE_SHOWN)}"
    if rest := differences[MAX_DIFFERENCES_SHOWN:]:
        yield f"and {len(rest):,} more differences, in the files of their tasks"
    reasons: dict[str, list[str]] = {}
    for name, reason in found.lost.items():
        reasons.setdefault(reason, []).append(path_text(name))
    lost = [
        f"{some_of(names, MAX_NAMES_SHOWN)}: {legible(reason, MAX_MESSAGE_SHOWN)}"
        for reason, names in reasons.items()
    ]
    yield from (f"lost: {one}" for one in and_more(lost, MAX_ROWS_SHOWN))
    if found.damaged:
        yield f"{found.damaged:,} lines are damaged"
    done = len(found.asked) - len(found.lost)
    yield f"{done:,} of {len(found.asked):,} tasks are done, {len(found.lost):,} lost"
    yield f"{found.checked - len(differences):,} of {found.checked:,} models are equal"


def _value(one: dict[str, object], name: str) -> str:
    value = one.get(name, "")
    return f"{value:,}" if type(value) is int else legible(value)
