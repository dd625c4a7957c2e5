"""``paramproof frameworks``: the frameworks, installed or not."""

from __future__ import annotations

import click

from paramproof.builders.registry import frameworks
from paramproof.cli.output import Unwrapped, console, show
from paramproof.tables import Column, Table, TableRow


@click.command("frameworks", short_help="List the frameworks, installed or not.")
def frameworks_command() -> None:
    """List the frameworks: the versions of installed ones, and how to install the others."""
    columns = map(Column, ("framework", "installed", "missing"))
    known = frameworks().values()
    rows = []
    for one in known:
        versions = (f"{name} {version}" for name, version in one.versions().items() if version)
        rows.append(TableRow((one.name, ", ".join(versions), ", ".join(one.missing))))
    how = (Unwrapped(f"{one.name}: {one.how_to_get}") for one in known if one.missing)
    show(console, [Table.of(columns, rows), *how])
