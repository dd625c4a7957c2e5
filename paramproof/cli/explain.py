"""``paramproof explain``."""

from __future__ import annotations

from pathlib import Path

import click

from paramproof.checking.model import require_agreement
from paramproof.cli.options import class_option
from paramproof.cli.output import WHERE, require_writable, tables_beside, write_json
from paramproof.cli.resolving import resolving
from paramproof.counting.explained import explained
from paramproof.explanation.number import read
from paramproof.explanation.text import WIDTH, lines
from paramproof.formulas import FAMILIES
from paramproof.resolver import DerivedModel


@click.command("explain", short_help="Explain which parameters a number counts.")
@click.argument("number")
@click.argument("model", required=False)
@click.option(
    "--json",
    "json_file",
    type=Path,
    metavar="FILE",
    help=f"Write every explanation as JSON {WHERE}",
)
@class_option
@click.option(
    "--all", "everything", is_flag=True, help="Print every explanation, and every model's name."
)
def explain_command(
    number: str, model: str | None, json_file: Path | None, class_name: str, everything: bool
) -> None:
    """Explain NUMBER: which parts of MODEL, or of any named model, it counts.

    NUMBER is as people write it: 2,362,368, 110M, or in bytes 438MB. MODEL is a name, a
    config.json, or a spec as JSON; of a config.json without a family the formula is the
    catalogue's, or derived where transformers is installed. The simplest explanations are printed.
    Exit status 1 where there is none.
    """
    if json_file:
        require_writable(json_file)
    wanted = read(number)
    require_agreement(FAMILIES)
    if class_name and model is None:
        raise ValueError("--class is about a config.json: give one behind the number")
    resolved = None if model is None else resolving(model, class_name)
    answer = explained(wanted, resolved)
    out = tables_beside(json_file)
    for line in lines(answer, everything=everything, width=min(out.width, WIDTH)):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    if isinstance(resolved, DerivedModel):
        for line in ("", *resolved.origin()):
            out.print(line, markup=False, highlight=False, soft_wrap=True)
    if json_file:
        write_json(json_file, answer.to_dict())
    if not (answer.found or answer.retracted):
        raise SystemExit(1)
