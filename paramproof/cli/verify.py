"""``paramproof verify``: compare every framework with the formula, over many models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from paramproof.algebra.residual import explained
from paramproof.builders.registry import Framework
from paramproof.checks.model import require_agreement
from paramproof.checks.result import Result
from paramproof.cli.options import (
    family_option,
    framework_option,
    json_option,
    models_option,
    time_limit_option,
)
from paramproof.cli.output import tables_beside, width_of, write_json
from paramproof.cli.progress import shown_progress
from paramproof.cli.resolving import require_one_input, resolving
from paramproof.cli.tables import verify_table
from paramproof.cli.verify_built import verify_built
from paramproof.cli.verify_derived import verify_derived
from paramproof.cli.verify_formula import verify_formula
from paramproof.cli.workers import broken, chosen_frameworks, how_to_get, record_data
from paramproof.formulas import FAMILIES
from paramproof.formulas.families import family_of
from paramproof.formulas.models import named_models
from paramproof.formulas.printing import path_text
from paramproof.formulas.spec import Spec
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.tables.terminal import print_table
from paramproof.user_formulas.client import TIME_LIMIT
from paramproof.workers.jobs import Verify
from paramproof.workers.pool import run_in_workers


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

    If --model has no family (another model type, or MODULE:FUNCTION), its formula comes from the
    catalogue or is derived, and your formula takes its letters or fields. Without --formula, the
    model is compared with the one that transformers builds.
    """
    resolved = _resolved(models)
    derived = [one for one in resolved if one.spec is None]
    if derived:
        _require_alone(derived, resolved, bool(names or families), reference)
        equal = (
            verify_derived(reference, derived[0], examples, seed, seconds, json_file)
            if reference
            else verify_built(derived, json_file)
        )
        raise SystemExit(0 if equal else 1)
    specs = _specs(resolved, families)
    own = tuple(dict.fromkeys(family_of(spec).name for spec in specs.values()))
    families = families or (own if models else ())
    if not reference:
        families = families or tuple(FAMILIES)
        require_agreement(families)
    if reference:
        results = verify_formula(
            reference,
            names,
            specs,
            families,
            named=bool(models),
            examples=examples,
            seed=seed,
            seconds=seconds,
            json_file=json_file,
        )
    else:
        installed, absent = chosen_frameworks(names)
        with shown_progress(installed) as take:
            job = Verify(specs, examples, seed, tuple(families))
            results = run_in_workers(installed, job, take)
        if json_file:
            body = record_data(results, seed=seed, examples=examples)
            write_json(json_file, document("verification", body))
        _print_results(tables_beside(json_file), results, absent, seed)
    # A run in which no framework could build any of the models has verified nothing, and fails.
    if any(result.failed for result in results) or not any(result.report for result in results):
        raise SystemExit(1)


def _resolved(models: Sequence[str]) -> list[Model]:
    require_one_input(models)
    return [resolving(model) for model in dict.fromkeys(models)]


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
        raise ValueError(f"--model {where} is a function: give a --formula to compare with")


def _specs(models: Sequence[Model], families: Sequence[str]) -> dict[str, Spec]:
    """Return the specs of ``models``; without them, of all named models of the ``families``.

    Raises ``ValueError`` if one of ``models`` belongs to none of the ``families``.
    """
    chosen = models or named_models().values()
    specs = {one.name: one.spec for one in chosen if one.spec}
    if not families:
        return specs
    own = {name: spec for name, spec in specs.items() if family_of(spec).name in families}
    others = [name for name in specs if name not in own]
    if models and others:
        family = family_of(specs[others[0]]).name
        where = path_text(others[0])
        raise ValueError(f"--model {where} is of the family {family}, which is not in --family")
    return own


def _print_results(out: Console, results: list[Result], absent: list[Framework], seed: int) -> None:
    print_table(out, verify_table(results))
    failures = [result for result in results if result.failed]
    for result in failures:
        if result.report and result.spec:
            text = explained(result.report, result.spec, width_of(out))
            out.print(f"\n{result.framework}", text, sep="\n", markup=False)
        else:
            out.print("", broken(result), sep="\n", markup=False)
    for reason in dict.fromkeys(r.reason for r in results if r.status == "not expressible"):
        if reason:
            out.print(f"not expressible: {reason}", markup=False)
    for chosen in absent:
        out.print(f"not installed, so not verified: {how_to_get(chosen)}", markup=False)
    reports = [result for result in results if result.report]
    if not reports:
        out.print("no model was verified")
        return
    equal = len(reports) - sum(result.failed for result in reports)
    out.print(f"{equal} of {len(reports)} models equal the formula, tensor by tensor", end="")
    out.print(f" (random specs: seed {seed})")
