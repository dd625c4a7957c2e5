"""``paramproof diff``: what one model has more than another, as algebra and in numbers."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.markup import escape
from rich.table import Table

from paramproof.algebra.difference import told_apart
from paramproof.algebra.terms import Lettered
from paramproof.checking.model import require_agreement
from paramproof.cli.options import MODELS, class_option
from paramproof.cli.output import console
from paramproof.cli.resolving import resolving_type
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.difference import Compared, compared, sizes_apart
from paramproof.counting.letters import in_letters
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, signed
from paramproof.resolver import AnyModel, DerivedModel
from paramproof.sources.resolve import STANDARD_INPUT, ResolvedModel


@click.command("diff", short_help="Say what one model has more than another.")
@click.argument("first", metavar="A", shell_complete=MODELS)
@click.argument("other", metavar="B", shell_complete=MODELS)
@class_option
def diff_command(first: str, other: str, architecture: str) -> None:
    """Print what B has more than A, component by component: in letters, and in numbers.

    A and B are what count takes: names of models, config.json files, and model types or classes of
    Hugging Face transformers, such as qwen3 and Qwen3ForCausalLM. Each number is at the sizes of
    its own model; those that differ are printed. Where one has names of its framework, and the
    other of a family here, components are put together in groups. Exit status 0 also where they
    differ.

    \b
    paramproof diff bert-base bert-large
    paramproof diff llama-3-8b qwen3
    """
    if first == other == STANDARD_INPUT:
        raise ValueError(f"{STANDARD_INPUT} is standard input, which can be read once")
    models = [resolving_type(first, architecture), resolving_type(other, architecture)]
    specs = (model.spec for model in models if isinstance(model, ResolvedModel))
    require_agreement(dict.fromkeys(family_of(spec).name for spec in specs))
    one = in_letters(models[0])
    two = told_apart(one, in_letters(models[1]))
    console.print(_table(models, one, two))
    for line in [*sizes_apart(models, one, two), *_origins(models)]:
        console.print(line, markup=False, highlight=False)


def _table(models: list[AnyModel], one: Lettered, two: Lettered) -> Table:
    table = Table(**PLAIN)
    table.add_column("component", overflow="fold", min_width=12)
    table.add_column("B − A", overflow="fold", min_width=12)
    for model in models:
        table.add_column(escape(model.title), justify=RIGHT, overflow="fold", min_width=9)
    table.add_column("difference", justify=RIGHT, no_wrap=True)
    *parts, whole = compared(one, two)
    for row in parts:
        table.add_row(*map(escape, _cells(row)))
    table.add_section()
    table.add_row(*map(escape, _cells(whole)))
    return table


def _cells(row: Compared) -> tuple[str, ...]:
    shown = ("-" if number is None else f"{number:,}" for number in (row.first, row.other))
    more = signed(row.difference) if row.difference else "0"
    return legible(row.path), text(row.letters), *shown, more


def _origins(models: list[AnyModel]) -> Iterator[str]:
    for model in models:
        if isinstance(model, DerivedModel):
            yield from (f"{model.title}: {line}" for line in model.origin())
