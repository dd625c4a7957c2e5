"""``paramproof count``: a model's parameters as a tree, under a convention, or in letters."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.markup import escape

from paramproof.checking.model import require_agreement
from paramproof.cli.conventions import print_conventions, print_count
from paramproof.cli.output import console, say
from paramproof.cli.symbolic import latex_of, sizes_line, symbolic_table
from paramproof.cli.tables import count_table, ties
from paramproof.formulas import inventory
from paramproof.formulas.families import family_of
from paramproof.sources.resolve import ResolvedModel, resolve_model


@click.command("count", short_help="Count the parameters of a model.")
@click.argument("model")
@click.option(
    "--under",
    "conventions",
    multiple=True,
    metavar="NAME",
    help="Count under this convention, such as without-embeddings (repeatable).",
)
@click.option(
    "--all-conventions", "every", is_flag=True, help="Count under every convention, as a table."
)
@click.option(
    "--symbolic", is_flag=True, help="Print the count in letters: its terms and the closed form."
)
@click.option("--latex", is_flag=True, help="Print the same terms as LaTeX (amsmath, align*).")
def count_command(
    model: str, conventions: Sequence[str], every: bool, symbolic: bool, latex: bool
) -> None:
    """Print the tree of MODEL: shapes, parameters, subtotals and shares.

    MODEL is a model's name, or a config.json: of Hugging Face (BERT, ERNIE, RoBERTa, GPT-2,
    LLaMA), Google's bert_config.json or Baidu's ernie_config.json. With --under, print one
    number instead, and say what it counts; several conventions apply together.
    """
    if sum(map(bool, (conventions or every, symbolic or latex))) > 1:
        raise ValueError(
            "--under and --all-conventions count in numbers, --symbolic and --latex in letters: "
            "give options of one kind"
        )
    resolved = resolve_model(model)
    require_agreement([family_of(resolved.spec).name])
    name = escape(resolved.title)
    if every:
        print_conventions(name, inventory(resolved.spec.letters()))
    elif conventions:
        print_count(name, inventory(resolved.spec.letters()), conventions)
    elif symbolic or latex:
        _print_symbolic(resolved, latex)
    else:
        _print_tree(resolved)


def _print_tree(resolved: ResolvedModel) -> None:
    title = f"{resolved.title}: trainable parameters, tied tensors counted once"
    console.print(title, markup=False)
    console.print(count_table(resolved.spec))
    for tie in ties(resolved.spec):
        console.print(f"tied: {tie}", markup=False)
    for line in resolved.origin():
        console.print(line, markup=False)


def _print_symbolic(resolved: ResolvedModel, latex: bool) -> None:
    if latex:
        say(latex_of(resolved.spec))
        return
    title = f"{resolved.title}: trainable parameters in letters, tied tensors counted once"
    console.print(title, markup=False)
    console.print(symbolic_table(resolved.spec))
    console.print(sizes_line(resolved.spec), markup=False, highlight=False)
