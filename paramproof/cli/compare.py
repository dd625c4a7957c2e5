"""``paramproof compare``: compare a live model with the formula."""

from __future__ import annotations

import click

from paramproof.checking.model import require_agreement
from paramproof.cli.options import class_option
from paramproof.cli.output import console
from paramproof.cli.resolving import resolving
from paramproof.formulas.families import family_of
from paramproof.live.report import compare_live, model_named
from paramproof.resolver import DerivedModel, ResolvedModel


@click.command("compare", short_help="Compare a live model with the formula.")
@click.argument("reference", metavar="MODULE:FUNCTION")
@click.option(
    "--spec",
    "--model",
    "text",
    required=True,
    metavar="SPEC",
    help="A model's name, a config.json, or JSON.",
)
@class_option
def compare_command(reference: str, text: str, class_name: str) -> None:
    """Compare the live model that MODULE:FUNCTION returns with the formula, by its shapes.

    The model is one of PyTorch, Keras, tf-keras or nnx, whatever the names of its weights; of
    linen it is the pair (module, variables), or the variables. The spec is a named model's, a
    config.json's, or JSON with the fields of a spec, inline or in a file. For a config.json of a
    model without a family the formula is the catalogue's, or derived where transformers is
    installed; tensors are then told apart by their names, too.
    """
    resolved = resolving(text, class_name)
    if isinstance(resolved, ResolvedModel):
        require_agreement([family_of(resolved.spec).name])
    report = compare_live(model_named(reference), resolved.described)
    console.print(report.render(resolved.described), markup=False, highlight=False)
    if isinstance(resolved, DerivedModel):
        for line in resolved.origin():
            console.print(line, markup=False, highlight=False)
    if not report.equal:
        raise SystemExit(1)
