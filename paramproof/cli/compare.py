"""``paramproof compare``: compare a live model with the formula."""

from __future__ import annotations

import click

from paramproof.checking.model import require_agreement
from paramproof.cli.output import console
from paramproof.formulas.families import family_of
from paramproof.live.report import compare_live, model_named
from paramproof.sources.resolve import resolve_spec


@click.command("compare", short_help="Compare a live model with the formula.")
@click.argument("reference", metavar="MODULE:FUNCTION")
@click.option(
    "--spec", "text", required=True, metavar="SPEC", help="A model's name, a config.json, or JSON."
)
def compare_command(reference: str, text: str) -> None:
    """Compare the live model that MODULE:FUNCTION returns with the formula, by its shapes.

    The model is one of PyTorch, Keras, tf-keras or nnx, whatever the names of its weights; of
    linen it is the pair (module, variables), or the variables. The spec is a named model's, a
    config.json's, or JSON with the fields of a spec, inline or in a file.
    """
    spec = resolve_spec(text)
    require_agreement([family_of(spec).name])
    report = compare_live(model_named(reference), spec)
    console.print(report.render(spec), markup=False, highlight=False)
    if not report.equal:
        raise SystemExit(1)
