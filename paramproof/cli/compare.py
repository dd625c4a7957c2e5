"""``paramproof compare``: compare a live model with the formula."""

from __future__ import annotations

import click

from paramproof.algebra.residual import explained
from paramproof.cli.options import class_option, derive_option, model_option
from paramproof.cli.output import console
from paramproof.cli.resolving import require_families, resolving
from paramproof.matching.live import compare_live, model_named


@click.command("compare", short_help="Compare a live model with the formula.")
@click.argument("reference", metavar="MODULE:FUNCTION")
@model_option("Model to compare with: a name, a config.json, or a spec as JSON.", required=True)
@class_option
@derive_option
def compare_command(reference: str, model: str, class_name: str) -> None:
    """Compare the live model that MODULE:FUNCTION returns with the formula, tensor by tensor.

    The function returns a model of PyTorch, Keras, tf-keras, Flax nnx, Equinox, MLX or Paddle. For
    Flax linen it returns the pair (module, variables), or the variables. The names of the weights
    do not matter, unless they are those of transformers: then names are compared too.

    --model is the name of a model, a config.json, or JSON with the fields of a spec, inline or in a
    file. With --derive, the formula for a config.json is derived if paramproof has none.
    """
    resolved = resolving(model, class_name)
    require_families([resolved.canonical])
    report = compare_live(model_named(reference), resolved.canonical)
    console.print(explained(report, resolved.canonical), markup=False, highlight=False)
    if resolved.spec is None:
        for line in resolved.origin():
            console.print(line, markup=False, highlight=False)
    if not report.equal:
        raise SystemExit(1)
