"""``paramproof differences``: how the frameworks that are installed differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from paramproof.cli.differences_tables import difference_tables, require_component
from paramproof.cli.output import console, require_writable
from paramproof.cli.workers import chosen_frameworks, how_to_get, progress_of, write_json
from paramproof.running.jobs import Differences
from paramproof.running.pool import run_in_workers


@click.command("differences")
@click.option("--component", metavar="NAME", help="Only what concerns this component.")
@click.option("--framework", "names", multiple=True, metavar="NAME", help="Only this framework.")
@click.option("--json", "json_file", type=Path, metavar="FILE", help="Write every cell there.")
def differences_command(
    component: str | None, names: Sequence[str], json_file: Path | None
) -> None:
    """Ask every framework for names, shapes, layouts, defaults and ways of counting.

    A component is attention, layer_norm, mlm_head …, or a path such as attention.query. The
    same of all frameworks, with the ten differences that bite most, is in
    docs/framework-differences.md.
    """
    if component is not None:
        require_component(component)
    if json_file:
        require_writable(json_file)
    there, absent = chosen_frameworks(names)
    with progress_of(there, None) as advance:
        cells = run_in_workers(there, Differences(), advance)
    if component:
        cells = [cell for cell in cells if cell.failed or cell.concerns(component)]
    if json_file:
        write_json(json_file, cells)
    for table in difference_tables(cells):
        console.print(table)
    for chosen in absent:
        console.print(f"not installed, not asked: {how_to_get(chosen)}", markup=False)
    if any(cell.failed for cell in cells):
        raise SystemExit(1)
