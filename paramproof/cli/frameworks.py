"""``paramproof frameworks``: the frameworks, installed or not."""

from __future__ import annotations

import click

from paramproof.builders.registry import Framework, frameworks
from paramproof.cli.output import console, say
from paramproof.views.table import Column, Table, TableRow
from paramproof.views.terminal import print_table


@click.command("frameworks", short_help="List the frameworks, installed or not.")
def frameworks_command() -> None:
    """List the frameworks: the versions of installed ones, and how to install the others."""
    columns = map(Column, ("framework", "installed", "missing"))
    print_table(console, Table.of((*columns,), map(_row, frameworks().values())))
    for missing in (one for one in frameworks().values() if one.missing):
        # A command that is broken into lines could not be copied.
        say(f"{missing.name}: {missing.how_to_get}")


def _row(framework: Framework) -> TableRow:
    versions = framework.versions().items()
    installed = ", ".join(f"{name} {version}" for name, version in versions if version)
    return TableRow((framework.name, installed, ", ".join(framework.missing)))
