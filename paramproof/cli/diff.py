"""``paramproof diff``: the difference of two models, in letters and in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from paramproof.cli.options import INSTEAD, MODELS, class_option, json_option
from paramproof.cli.output import console, write_json
from paramproof.cli.resolving import resolving_all
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.difference import Compared, Difference, difference_of, size_lines
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, signed
from paramproof.resolver import Model


@click.command("diff", short_help="Compare two models, in letters and in numbers.")
@click.argument("first", metavar="A", shell_complete=MODELS)
@click.argument("other", metavar="B", shell_complete=MODELS)
@json_option("the difference", where=INSTEAD)
@class_option
def diff_command(first: str, other: str, json_file: Path | None, class_name: str) -> None:
    """Print how B differs from A, component by component, in letters and in numbers.

    A and B are models as count takes them. Each number is at the sizes of its own model; sizes
    that differ are listed. If their tensors have names of different frameworks, components are
    compared in groups. The exit status is 0, whether they differ or not.

    \b
    Examples:
      paramproof diff bert-base bert-large
      paramproof diff llama-3-8b qwen3
    """
    models = resolving_all([first, other], class_name)
    found = difference_of(*models)
    if json_file:
        write_json(json_file, found.to_dict())
        return
    console.print(_table(found))
    for line in [*size_lines(found), *_origins(models)]:
        console.print(line, markup=False, highlight=False)


def _table(found: Difference) -> Table:
    table = Table(**PLAIN)
    table.add_column("component", overflow="fold", min_width=12)
    table.add_column("B − A", overflow="fold", min_width=12)
    for title in (found.first, found.other):
        table.add_column(escape(title), justify=RIGHT, overflow="fold", min_width=9)
    table.add_column("difference", justify=RIGHT, no_wrap=True)
    for row in found.rows:
        table.add_row(*map(escape, _cells(row)))
    table.add_section()
    table.add_row(*map(escape, _cells(found.total)))
    return table


def _cells(row: Compared) -> tuple[str, ...]:
    shown = ("-" if number is None else f"{number:,}" for number in (row.first, row.other))
    more = signed(row.difference) if row.difference else "0"
    return legible(row.path), text(row.letters), *shown, more


def _origins(models: list[Model]) -> Iterator[str]:
    for model in models:
        if model.reading or model.spec is None:
            yield from (f"{model.title}: {line}" for line in model.origin())
