"""``paramproof differences``: how the installed frameworks differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from paramproof.cli.differences_tables import components, difference_tables, require_component
from paramproof.cli.options import completing, framework_option, json_option
from paramproof.cli.output import tables_beside, write_json
from paramproof.cli.workers import how_to_get, record_data, run_in_frameworks
from paramproof.json_form import document
from paramproof.tables.terminal import print_table
from paramproof.workers.jobs import Differences


@click.command("differences", short_help="Compare the frameworks with each other.")
@click.option(
    "--component",
    metavar="NAME",
    shell_complete=completing(components),
    help="Print only the differences in this component.",
)
@framework_option("Compare")
@json_option("all differences")
def differences_command(
    component: str | None, names: Sequence[str], json_file: Path | None
) -> None:
    """Compare the installed frameworks: names, shapes, layouts, defaults, ways of counting.

    A component is attention, layer_norm, mlm_head ..., or a path such as attention.query.
    docs/framework-differences.md compares all frameworks, and lists ten common pitfalls.
    """
    if component is not None:
        require_component(component)
    answers, absent = run_in_frameworks(names, Differences())
    if component:
        answers = [answer for answer in answers if answer.failed or answer.concerns(component)]
    if json_file:
        write_json(json_file, document("differences", record_data(answers)))
    out = tables_beside(json_file)
    for table in difference_tables(answers):
        print_table(out, table)
    for answer in answers:
        if answer.failed:
            reason = f"{answer.framework} is installed but broken: {answer.facts['reason']}"
            out.print(reason, markup=False, highlight=False)
    for chosen in absent:
        out.print(f"not installed, so not compared: {how_to_get(chosen)}", markup=False)
    if any(answer.failed for answer in answers):
        raise SystemExit(1)
