"""``paramproof diff``: the difference of two models, in letters and in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import click

from paramproof.cli import options
from paramproof.cli.output import CommandAnswer
from paramproof.tables import Table
from paramproof.views.difference import difference_of


@click.command("diff", short_help="Compare two models, in letters and in numbers.")
@click.argument("first", metavar="A", shell_complete=options.MODELS)
@click.argument("other", metavar="B", shell_complete=options.MODELS)
@options.as_json("the difference", is_alone=True)
@options.class_name
@options.derive
def diff_command(first: str, other: str, class_name: str) -> CommandAnswer:
    """Print how B differs from A, component by component, in letters and in numbers.

    A and B are models as count takes them. Each number is at the sizes of its own model. The
    difference has two parts, which add up to it: the structure makes what the formulas differ by
    at the sizes of A, and the sizes make the rest. If the layers have no names in common,
    components are compared in groups. The exit status is 0, whether they differ or not.

    \b
    Examples:
      paramproof diff bert-base bert-large
      paramproof diff llama-3-8b qwen3
    """
    models = options.resolving_all([first, other], class_name)
    found = difference_of(*models)

    def parts(width: int | None) -> Iterator[Table | str]:
        table = found.table()
        if table.columns[-1].key == "formula" and found.resized:
            numbers = table.only("component", "first", "other", "difference")
            yield replace(numbers, notes=())
            table = table.only("component", "structure", "sizes", "formula")
        yield table
        # A formula that is written by hand has no other source.
        for one in (model for model in models if model.class_name):
            yield from (f"{one.title}: {line}" for line in one.origin())

    return CommandAnswer(parts, found.to_dict)
