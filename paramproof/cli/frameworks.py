"""``paramproof frameworks``: the frameworks, installed or not."""

from __future__ import annotations

import click

from paramproof.builders.registry import Framework, frameworks
from paramproof.cli.output import console
from paramproof.tables.table import Column, Table, TableRow
from paramproof.tables.terminal import print_table


@click.command("frameworks", short_help="List the frameworks, installed or not.")
def frameworks_command() -> None:
    """List the frameworks: the versions of installed ones, and how to install the others."""
    columns = (
        *map(Column, ("framework", "installed", "missing")),
        # A truncated command could not be copied.
        Column("how to install it"),
    )
    print_table(console, Table.of(columns, map(_row, frameworks().values())))


def _row(framework: Framework) -> TableRow:
    versions = framework.versions().items()
    installed = ", ".join(f"{name} {version}" for name, version in versions if version)
    how = framework.how_to_get if framework.missing else None
    return TableRow((framework.name, installed, ", ".join(framework.missing), how))
