"""``paramproof verify``: compare a formula with frameworks, transformers, or a user's function."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import click

from paramproof.cli.options import (
    derive_option,
    family_option,
    framework_option,
    json_option,
    models_option,
    time_limit_option,
)
from paramproof.cli.output import CommandAnswer, finish
from paramproof.cli.resolving import require_one_input, resolving
from paramproof.cli.verify_sources import (
    Sample,
    built_by_transformers,
    formula_at_sizes,
    formula_in_frameworks,
    in_frameworks,
    require_families,
)
from paramproof.formulas.architecture import Architecture
from paramproof.resolver import Model
from paramproof.user_formulas.client import TIME_LIMIT, FormulaClient


@click.command("verify", short_help="Verify the formula in every framework, on many models.")
@framework_option("Verify")
@models_option("Verify")
@family_option("Verify")
@click.option(
    "--examples",
    type=click.IntRange(0),
    default=25,
    show_default=True,
    help="Number of random models of each family.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the random models.",
)
@json_option("every result")
@click.option(
    "--formula",
    "reference",
    metavar="MODULE:FUNCTION",
    help="Check this formula of yours instead of paramproof's.",
)
@derive_option
@time_limit_option(TIME_LIMIT, "Stop a call of --formula after this many seconds.")
def verify_command(
    names: Sequence[str],
    models: Sequence[str],
    families: Sequence[str],
    examples: int,
    seed: int,
    json_file: Path | None,
    reference: str | None,
    seconds: float,
) -> None:
    """Compare every installed framework with the formula, over named and random models.

    Every model is built in every framework, and its tensors are compared with the formula's.
    Random models belong to the families in --family, to those of the models in --model, or to all.

    A formula of your own takes a spec, or letters and fields by name (for an encoder, any of L H A
    F V P T pooler mlm untied nsp), and returns the trainable parameters: an int, or ints by
    component. Its parameters select the family; if several fit, add --family.

    If --model has no family (another model type, or MODULE:FUNCTION), your formula takes the
    letters or fields of its formula. Without --formula, the model is compared with the one that
    transformers builds.
    """
    require_one_input(models)
    resolved = [resolving(model) for model in dict.fromkeys(models)]
    derived = [one for one in resolved if one.names is None]
    if derived:
        _require_alone(derived, resolved, bool(names or families), reference)
    letters = _letters(derived[0].architecture) if derived else ()
    with FormulaClient(reference, letters, seconds) if reference else nullcontext() as formula:
        answer = verify(resolved, formula, Sample(names, families, examples, seed))
        finish(answer, json_file)


def verify(models: Sequence[Model], formula: FormulaClient | None, sample: Sample) -> CommandAnswer:
    """Compare ``models`` with the sample's frameworks, with transformers, or with a ``formula``.

    Either all ``models`` have a family, or none has. Without models, the named ones are compared.
    """
    if models and models[0].names is None:
        if formula:
            return formula_at_sizes(formula, models[0], sample)
        return built_by_transformers(models)
    if sample.families:
        require_families(models, sample.families, "which is not in --family")
    if formula:
        return formula_in_frameworks(formula, models, sample)
    return in_frameworks(models, sample)


def _letters(architecture: Architecture) -> tuple[str, ...]:
    """Return the names that a user's formula of ``architecture`` may take."""
    return (*architecture.sizes, *architecture.fields.values())


def _require_alone(
    derived: Sequence[Model],
    resolved: Sequence[Model],
    chosen: bool,
    reference: str | None,
) -> None:
    """Raise ``ValueError`` if models without a family are combined with what needs a family."""
    where = derived[0].title
    if chosen:
        raise ValueError(f"--model {where} has no family: leave out --framework and --family")
    if reference and len(resolved) > 1:
        raise ValueError(f"--model {where} has no family: with --formula, give no other --model")
    if len(derived) < len(resolved):
        raise ValueError(f"--model {where} has no family, but others do: verify them separately")
    if not reference and any(model.keys is None for model in derived):
        raise ValueError(
            f"--model {where} is a function or a derivation: give a --formula to compare with"
        )
