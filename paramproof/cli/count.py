"""``paramproof count``: what a model has, as a tree, by a convention, or in letters."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.markup import escape

from paramproof.cli.conventions import print_conventions, print_count
from paramproof.cli.output import console
from paramproof.cli.tables import count_table, ties
from paramproof.formulas import inventory
from paramproof.sources.resolve import ResolvedModel, resolve_model


@click.command("count")
@click.argument("model")
@click.option("--convention", "conventions", multiple=True, metavar="NAME", help="Count so.")
@click.option("--conventions", "every", is_flag=True, help="Count by every convention there is.")
@click.option("--symbolic", is_flag=True, help="In letters, term by term, and the closed form.")
@click.option("--latex", is_flag=True, help="The same as LaTeX (align* of amsmath).")
def count_command(
    model: str, conventions: Sequence[str], every: bool, symbolic: bool, latex: bool
) -> None:
    """Print the tree of MODEL: shapes, parameters, subtotals and shares.

    MODEL is a model's name, or a config.json: of Hugging Face (BERT, ERNIE, RoBERTa, GPT-2,
    LLaMA), Google's bert_config.json or Baidu's ernie_config.json. With --convention (several
    compose) one number instead, and what it counts.
    """
    if sum(map(bool, (conventions or every, symbolic or latex))) > 1:
        raise ValueError("a count is by conventions or in letters: give one of these options")
    given = resolve_model(model)
    name = escape(given.name)
    if every:
        print_conventions(name, inventory(given.spec.letters()))
    elif conventions:
        print_count(name, inventory(given.spec.letters()), conventions)
    elif symbolic or latex:
        _print_symbolic(given, latex)
    else:
        _print_tree(given)


def _print_tree(given: ResolvedModel) -> None:
    title = f"{given.name}: trainable parameters, tied tensors counted once"
    console.print(title, markup=False)
    console.print(count_table(given.spec))
    for tie in ties(given.spec):
        console.print(f"tied: {tie}", markup=False)
    for line in given.origin():
        console.print(line, markup=False)


def _print_symbolic(given: ResolvedModel, latex: bool) -> None:
    # Only here: SymPy takes its time to import.
    from paramproof.cli.symbolic import latex_of, sizes_line, symbolic_table

    if latex:
        click.echo(latex_of(given.spec))
        return
    title = f"{given.name}: trainable parameters in letters, tied tensors counted once"
    console.print(title, markup=False)
    console.print(symbolic_table(given.spec))
    console.print(sizes_line(given.spec), markup=False, highlight=False)
