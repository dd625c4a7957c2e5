"""The command ``paramproof``.

Exit status: 0 equal, 1 different (or a framework that broke), 2 bad usage or input, with
one line on standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from paramproof.algebra.residual import explained
from paramproof.builders.registry import Framework, frameworks
from paramproof.checking.model import FormulaError, require_agreement
from paramproof.checking.result import Result
from paramproof.cli.checkpoint import checkpoint_command
from paramproof.cli.count import count_command
from paramproof.cli.differences import differences_command
from paramproof.cli.explain import explain_command
from paramproof.cli.output import console, require_writable
from paramproof.cli.tables import frameworks_table, proof_table, verify_table
from paramproof.cli.workers import chosen_frameworks, how_to_get, progress_of, write_json
from paramproof.formulas.families import family_of
from paramproof.formulas.models import named_models
from paramproof.formulas.spec import EncoderSpec, Spec
from paramproof.live.report import compare_live, model_named
from paramproof.proof.prove import Proof
from paramproof.running.jobs import Prove, Verify
from paramproof.running.pool import run_in_workers
from paramproof.sources.resolve import resolve_model, resolve_spec
from paramproof.user_formulas.signature import UserFormula
from paramproof.user_formulas.verdict import answering, verdict, without_smallest

# Click 8.1 has none: it prints the help itself.
NO_ARGUMENTS = getattr(click.exceptions, "NoArgsIsHelpError", ())
"""Raised where no command is given; its message is the help, of many lines."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="paramproof")
def cli() -> None:
    """Count the parameters of transformers, by formulas checked against real frameworks."""


cli.add_command(count_command)
cli.add_command(explain_command)
cli.add_command(checkpoint_command)
cli.add_command(differences_command)


@cli.command("frameworks", short_help="List the frameworks, installed or not.")
def frameworks_command() -> None:
    """List the frameworks: which are installed, in which version, and how to install others."""
    console.print(frameworks_table(list(frameworks().values())))


@cli.command("verify", short_help="Verify the formula in every framework, on many models.")
@click.option(
    "--framework",
    "names",
    multiple=True,
    metavar="NAME",
    help="Verify only this framework (repeatable).",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help="Verify only this model: its name or a config.json (repeatable).",
)
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
@click.option(
    "--json", "json_file", type=Path, metavar="FILE", help="Write every result to FILE as JSON."
)
@click.option(
    "--formula",
    "reference",
    metavar="MODULE:FUNCTION",
    help="Check this formula instead of paramproof's.",
)
def verify_command(
    names: Sequence[str],
    models: Sequence[str],
    examples: int,
    seed: int,
    json_file: Path | None,
    reference: str | None,
) -> None:
    """Compare every installed framework with the formula, over named and random models.

    Every model is built in every framework, and its tensors are compared with the formula's.
    Random models are of the families of the named ones.

    A formula of your own takes a spec, or letters by name (L H A F V P T pooler mlm untied
    nsp), and returns trainable parameters: an int, or ints by component.
    """
    if json_file:
        require_writable(json_file)
    chosen_models = map(resolve_model, models) if models else named_models().values()
    specs = {resolved.name: resolved.spec for resolved in chosen_models}
    encoders = _encoders(specs, models) if reference else {}
    specs = {**encoders} if reference else specs
    families = list(dict.fromkeys(family_of(spec).name for spec in specs.values()))
    if not reference:
        require_agreement(families)
    there, absent = chosen_frameworks(names)
    formula = answering(reference, encoders) if reference else None
    with progress_of(there, len(specs) + examples * len(families)) as advance:
        job = Verify(specs, examples, seed, tuple(families), reference or "")
        results = run_in_workers(there, job, advance)
    if json_file:
        write_json(json_file, results, seed=seed, examples=examples)
    if formula:
        _print_verdict(formula, results, seed)
    else:
        _print_results(results, absent, seed)
    # A run that verified nothing is not green: no framework could build any of the models.
    if any(result.failed for result in results) or not any(result.report for result in results):
        raise SystemExit(1)


@cli.command("compare", short_help="Compare a live model with the formula.")
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
    report = compare_live(model_named(reference), spec)
    console.print(report.render(spec), markup=False, highlight=False)
    if not report.equal:
        raise SystemExit(1)


@cli.command("prove", short_help="Prove the formula in every framework, at every size.")
@click.option(
    "--framework",
    "names",
    multiple=True,
    metavar="NAME",
    help="Prove only this framework (repeatable).",
)
@click.option(
    "--json", "json_file", type=Path, metavar="FILE", help="Write every proof to FILE as JSON."
)
def prove_command(names: Sequence[str], json_file: Path | None) -> None:
    """Prove that every framework has the formula's count at every size, as polynomials."""
    if json_file:
        require_writable(json_file)
    there, absent = chosen_frameworks(names)
    with progress_of(there, 1) as advance:
        proofs = run_in_workers(there, Prove(), advance)
    if json_file:
        write_json(json_file, proofs)
    _print_proofs(proofs, absent)
    if any(proof.failed for proof in proofs):
        raise SystemExit(1)


def _encoders(specs: Mapping[str, Spec], asked: Sequence[str]) -> dict[str, EncoderSpec]:
    """Return the encoders among ``specs``: what a user-supplied formula can count.

    Raises ``ValueError`` for another model that was ``asked`` for.
    """
    encoders = {name: spec for name, spec in specs.items() if isinstance(spec, EncoderSpec)}
    others = [name for name in specs if name not in encoders]
    if asked and others:
        raise ValueError(f"--model {others[0]}: a formula of your own is checked for encoders only")
    return encoders


def _print_results(results: list[Result], absent: list[Framework], seed: int) -> None:
    console.print(verify_table(results))
    failures = [result for result in results if result.failed]
    for result in failures:
        if result.report and result.spec:
            text = explained(result.report, result.spec)
            console.print(f"\n{result.framework}", text, sep="\n", markup=False)
        else:
            console.print("", _broken(result), sep="\n", markup=False)
    for reason in dict.fromkeys(r.reason for r in results if r.status == "not expressible"):
        if reason:
            console.print(f"not expressible: {reason}", markup=False)
    for chosen in absent:
        console.print(f"not installed, so not verified: {how_to_get(chosen)}", markup=False)
    reports = [result for result in results if result.report]
    if not reports:
        console.print("no model was verified")
        return
    equal = len(reports) - sum(result.failed for result in reports)
    console.print(f"{equal} of {len(reports)} models equal the formula, tensor by tensor", end="")
    console.print(f" (random specs: seed {seed})")


def _print_verdict(formula: UserFormula, results: list[Result], seed: int) -> None:
    lines = list(verdict(formula, results))
    console.print(verify_table(without_smallest(results)))
    for result in results:
        if result.status == "broken":
            lines.insert(0, _broken(result))
    console.print(*lines, f"random specs: seed {seed}", sep="\n", markup=False)


def _print_proofs(proofs: list[Proof], absent: list[Framework]) -> None:
    console.print(proof_table(proofs))
    for proof in proofs:
        for finding in proof.findings:
            console.print(f"\n{proof.framework}: {finding}", markup=False)
        if proof.reason:
            console.print("", _broken(proof), sep="\n", markup=False)
    for chosen in absent:
        console.print(f"not installed, so not proved: {how_to_get(chosen)}", markup=False)
    proved = sum(not proof.failed for proof in proofs)
    tensors = sum(proof.tensors for proof in proofs)
    console.print(f"{proved} of {len(proofs)} frameworks equal the formula at every size")
    console.print(f"{tensors} tensors read in symbols")


def _broken(record: Result | Proof) -> str:
    return f"{record.framework} is installed and broken: {record.reason}"


def main() -> None:
    """Run the command; print a user's mistake as one line and exit with status 2."""
    try:
        cli.main(standalone_mode=False)
    except NO_ARGUMENTS as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        _fail(error.format_message())
    except ValueError as error:
        _fail(str(error))
    except FormulaError as error:
        _fail(str(error), status=1)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _fail(message: str, status: int = 2) -> None:
    print(f"paramproof: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(status)
