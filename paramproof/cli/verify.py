"""``paramproof verify``: compare every framework with the formula, over many models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import click
from rich.console import Console

from paramproof.algebra.residual import explained
from paramproof.builders.registry import Framework
from paramproof.checking.model import require_agreement
from paramproof.checking.result import Result
from paramproof.cli.options import MODELS, family_option, framework_option, json_option
from paramproof.cli.output import tables_beside, width_of
from paramproof.cli.progress import shown_progress
from paramproof.cli.tables import verify_table
from paramproof.cli.workers import broken, chosen_frameworks, how_to_get, write_json
from paramproof.formulas.families import family_of
from paramproof.formulas.models import named_models
from paramproof.formulas.printing import path_text
from paramproof.formulas.spec import EncoderSpec, Spec
from paramproof.running.jobs import Verify
from paramproof.running.pool import run_in_workers
from paramproof.sources.resolve import resolve_model
from paramproof.user_formulas.asked import AskedFormula
from paramproof.user_formulas.verdict import require_counts, verdict, without_smallest


@click.command("verify", short_help="Verify the formula in every framework, on many models.")
@framework_option("Verify")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    shell_complete=MODELS,
    help="Verify only this model: its name or a config.json (repeatable).",
)
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
    help="Check this formula instead of paramproof's.",
)
def verify_command(
    names: Sequence[str],
    models: Sequence[str],
    families: Sequence[str],
    examples: int,
    seed: int,
    json_file: Path | None,
    reference: str | None,
) -> None:
    """Compare every installed framework with the formula, over named and random models.

    Every model is built in every framework, and its tensors are compared with the formula's.
    Random models are of the families of the named ones, or of those under --family.

    A formula of your own takes a spec, or letters by name (L H A F V P T pooler mlm untied
    nsp), and returns trainable parameters: an int, or ints by component.
    """
    specs = _specs(models, families)
    encoders = _encoders(specs, models, families) if reference else {}
    specs = {**encoders} if reference else specs
    families = families or list(dict.fromkeys(family_of(spec).name for spec in specs.values()))
    if not reference:
        require_agreement(families)
    there, absent = chosen_frameworks(names)
    job = Verify(specs, examples, seed, tuple(families), reference or "")
    with AskedFormula(reference) if reference else nullcontext() as formula:
        if formula:
            require_counts(formula, encoders)
        results = _results(job, there)
        if json_file:
            write_json(json_file, results, seed=seed, examples=examples)
        out = tables_beside(json_file)
        if formula:
            _print_verdict(out, formula, results, seed)
        else:
            _print_results(out, results, absent, seed)
    # A run that verified nothing is not green: no framework could build any of the models.
    if any(result.failed for result in results) or not any(result.report for result in results):
        raise SystemExit(1)


def _results(job: Verify, there: Sequence[Framework]) -> list[Result]:
    """Do ``job`` in every framework, with a bar for each."""
    with shown_progress(there) as take:
        return run_in_workers(there, job, take)


def _specs(models: Sequence[str], families: Sequence[str]) -> dict[str, Spec]:
    """Return ``models`` by name, or the named ones of ``families``, or all named ones.

    Raises ``ValueError`` for one of ``models`` that is of none of the ``families``.
    """
    chosen = map(resolve_model, models) if models else named_models().values()
    specs = {resolved.name: resolved.spec for resolved in chosen}
    if not families:
        return specs
    own = {name: spec for name, spec in specs.items() if family_of(spec).name in families}
    others = [name for name in specs if name not in own]
    if models and others:
        family = family_of(specs[others[0]]).name
        where = path_text(others[0])
        raise ValueError(f"--model {where} is of the family {family}, which --family leaves out")
    return own


def _encoders(
    specs: Mapping[str, Spec], models: Sequence[str], families: Sequence[str]
) -> dict[str, EncoderSpec]:
    """Return the encoders among ``specs``: what a user-supplied formula can count.

    Raises ``ValueError`` where another one was asked for by ``models`` or ``families``.
    """
    encoders = {name: spec for name, spec in specs.items() if isinstance(spec, EncoderSpec)}
    others = [f"--family {name}" for name in families if name != "encoder"]
    others += [f"--model {path_text(name)}" for name in specs if models and name not in encoders]
    if others:
        raise ValueError(f"{others[0]}: a formula of your own is checked for encoders only")
    return encoders


def _print_results(out: Console, results: list[Result], absent: list[Framework], seed: int) -> None:
    out.print(verify_table(results))
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


def _print_verdict(out: Console, formula: AskedFormula, results: list[Result], seed: int) -> None:
    lines = list(verdict(formula, results))
    out.print(verify_table(without_smallest(results)))
    for result in results:
        if result.status == "broken":
            lines.insert(0, broken(result))
    out.print(*lines, f"random specs: seed {seed}", sep="\n", markup=False)
