"""The command ``paramproof``.

Exit status: 0 equal, 1 different (or a framework that broke), 2 bad usage or input, with
one line on standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from builders.anyone.formula import Formula
from builders.anyone.live import compare_live, model_named, spec_given
from builders.anyone.verdict import answering, verdict, without_smallest
from builders.differences.cells import Cell
from builders.differences.tables import difference_tables, require_component
from builders.prove import Proof
from builders.registry import Framework, framework, frameworks
from builders.results import Result
from builders.tables import count_table, frameworks_table, proof_table, ties, verify_table
from builders.verify import all_differences, prove_all, verify
from formulas.models import named_model, named_models

# In a pipe there is no width to fit.
console = Console(width=None if sys.stdout.isatty() else 1000)
errors = Console(stderr=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="paramproof")
def cli() -> None:
    """How many parameters a transformer has, and why: formulas held to real frameworks."""


@cli.command("count")
@click.argument("model")
def count_command(model: str) -> None:
    """Print the tree of MODEL: shapes, parameters, subtotals and shares."""
    named = named_model(model)
    console.print(f"{named.name}: trainable parameters, tied tensors counted once")
    console.print(count_table(named.spec))
    for tie in ties(named.spec):
        console.print(f"tied: {tie}", markup=False)
    what = f" for {named.component}" if named.component else ""
    console.print(f"published{what}: {named.published} ({named.source})", markup=False)
    console.print(f"sizes from: {named.config}", markup=False)


@cli.command("frameworks")
def frameworks_command() -> None:
    """List the frameworks: what is there, in which version, and how to get what is not."""
    console.print(frameworks_table(list(frameworks().values())))


@cli.command("verify")
@click.option("--framework", "names", multiple=True, metavar="NAME", help="Only this framework.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="Only this named model.")
@click.option(
    "--examples", type=click.IntRange(0), default=25, show_default=True, help="Random specs each."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random specs."
)
@click.option("--json", "json_file", type=Path, metavar="FILE", help="Write every result there.")
@click.option(
    "--formula", "reference", metavar="MODULE:FUNCTION", help="Hold this formula, not ours."
)
def verify_command(
    names: Sequence[str],
    models: Sequence[str],
    examples: int,
    seed: int,
    json_file: Path | None,
    reference: str | None,
) -> None:
    """Hold every framework to the formula, over the named models and random specs.

    A formula of your own takes a spec, or letters by name (L H A F V P T pooler mlm untied
    nsp), and returns trainable parameters: an int, or ints by component.
    """
    if json_file:
        _require_writable(json_file)
    chosen_models = [named_model(name) for name in models] or list(named_models().values())
    specs = {named.name: named.spec for named in chosen_models}
    there, absent = _chosen(names)
    formula = answering(reference, specs) if reference else None
    with _progress(there, len(specs) + examples) as advance:
        results = verify(
            there,
            specs,
            examples=examples,
            seed=seed,
            formula=reference or "",
            on_result=advance,
        )
    if json_file:
        _write_json(json_file, results, seed=seed, examples=examples)
    if formula:
        _print_verdict(formula, results, seed)
    else:
        _print_results(results, absent, seed)
    if any(result.failed for result in results):
        raise SystemExit(1)


@cli.command("compare")
@click.argument("reference", metavar="MODULE:FUNCTION")
@click.option("--spec", "text", required=True, metavar="SPEC", help="A model's name, or JSON.")
def compare_command(reference: str, text: str) -> None:
    """Hold the live model that MODULE:FUNCTION returns to the formula, by its shapes.

    A model of PyTorch, Keras, tf-keras or nnx, under any names; of linen the pair (module,
    variables), or the variables. The spec is a named model's, or JSON with the fields of
    EncoderSpec, inline or in a file.
    """
    spec = spec_given(text)
    report = compare_live(model_named(reference), spec)
    console.print(report.render(spec), markup=False, highlight=False)
    if not report.equal:
        raise SystemExit(1)


@cli.command("prove")
@click.option("--framework", "names", multiple=True, metavar="NAME", help="Only this framework.")
@click.option("--json", "json_file", type=Path, metavar="FILE", help="Write every proof there.")
def prove_command(names: Sequence[str], json_file: Path | None) -> None:
    """Hold every framework to the formula at every size, as polynomials."""
    if json_file:
        _require_writable(json_file)
    there, absent = _chosen(names)
    with _progress(there, 1) as advance:
        proofs = prove_all(there, on_proof=advance)
    if json_file:
        _write_json(json_file, proofs)
    _print_proofs(proofs, absent)
    if any(proof.failed for proof in proofs):
        raise SystemExit(1)


@cli.command("differences")
@click.option("--component", metavar="NAME", help="Only what concerns this component.")
@click.option("--framework", "names", multiple=True, metavar="NAME", help="Only this framework.")
@click.option("--json", "json_file", type=Path, metavar="FILE", help="Write every cell there.")
def differences_command(
    component: str | None, names: Sequence[str], json_file: Path | None
) -> None:
    """Ask the frameworks for their names, shapes, layouts, defaults and ways of counting."""
    if component is not None:
        require_component(component)
    if json_file:
        _require_writable(json_file)
    there, absent = _chosen(names)
    with _progress(there, None) as advance:
        cells = all_differences(there, on_cell=advance)
    if component:
        cells = [cell for cell in cells if cell.failed or cell.concerns(component)]
    if json_file:
        _write_json(json_file, cells)
    for table in difference_tables(cells):
        console.print(table)
    for chosen in absent:
        console.print(f"not installed, not asked: {_how_to_get(chosen)}", markup=False)
    if any(cell.failed for cell in cells):
        raise SystemExit(1)


def _chosen(names: Sequence[str]) -> tuple[list[Framework], list[Framework]]:
    """The frameworks asked for that are installed, and those that are not.

    Raises ``ValueError`` for one that was named and is not there.
    """
    asked = [framework(name) for name in dict.fromkeys(names)] or list(frameworks().values())
    there = [chosen for chosen in asked if not chosen.missing]
    absent = [chosen for chosen in asked if chosen.missing]
    if absent and (names or not there):
        raise ValueError(f"not installed: {'; '.join(map(_how_to_get, absent))}")
    return there, absent


@contextmanager
def _progress(
    there: list[Framework], total: int | None
) -> Iterator[Callable[[Result | Proof | Cell], None]]:
    """A bar for each framework on a terminal; what is yielded takes a worker's record."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(
        *columns, TimeElapsedColumn(), console=errors, disable=not errors.is_terminal
    )
    with progress:
        tasks = {chosen.name: progress.add_task(chosen.name, total=total) for chosen in there}
        yield lambda record: progress.advance(tasks[record.framework])


def _print_results(results: list[Result], absent: list[Framework], seed: int) -> None:
    console.print(verify_table(results))
    failures = [result for result in results if result.failed]
    for result in failures:
        if result.report:
            # Only where something differs: SymPy takes its time to import.
            from builders.residual import explained

            text = explained(result.report, result.spec)
            console.print(f"\n{result.framework}", text, sep="\n", markup=False)
        else:
            console.print(f"\n{result.framework} is installed and broken: {result.reason}")
    for reason in dict.fromkeys(result.reason for result in results if result.model):
        if reason:
            console.print(f"not expressible: {reason}", markup=False)
    for chosen in absent:
        console.print(f"not installed, not verified: {_how_to_get(chosen)}", markup=False)
    reports = [result for result in results if result.report]
    equal = len(reports) - sum(result.failed for result in reports)
    console.print(f"{equal} of {len(reports)} models equal the formula, tensor by tensor", end="")
    console.print(f" (random specs: seed {seed})")


def _print_verdict(formula: Formula, results: list[Result], seed: int) -> None:
    lines = list(verdict(formula, results))
    console.print(verify_table(without_smallest(results)))
    for result in results:
        if result.status == "broken":
            lines.insert(0, f"{result.framework} is installed and broken: {result.reason}")
    console.print(*lines, f"random specs: seed {seed}", sep="\n", markup=False)


def _print_proofs(proofs: list[Proof], absent: list[Framework]) -> None:
    console.print(proof_table(proofs))
    for proof in proofs:
        for finding in proof.findings:
            console.print(f"\n{proof.framework}: {finding}", markup=False)
        if proof.reason:
            console.print(f"\n{proof.framework} is installed and broken: {proof.reason}")
    for chosen in absent:
        console.print(f"not installed, not proved: {_how_to_get(chosen)}", markup=False)
    proved = sum(not proof.failed for proof in proofs)
    tensors = sum(proof.tensors for proof in proofs)
    console.print(f"{proved} of {len(proofs)} frameworks equal the formula at every size")
    console.print(f"{tensors} tensors read in symbols")


def _write_json(path: Path, records: Sequence[Result | Proof | Cell], **about: int) -> None:
    data = {
        **about,
        "versions": {name: chosen.versions() for name, chosen in frameworks().items()},
        "results": [record.as_json() for record in records],
    }
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _require_writable(path: Path) -> None:
    """Find out before a long run, not after it, and without touching what is there."""
    target = path if path.exists() else path.parent
    if path.is_dir() or not target.exists() or not os.access(target, os.W_OK):
        raise ValueError(f"--json {path}: cannot be written")


def _how_to_get(chosen: Framework) -> str:
    return f"{chosen.name} ({chosen.how_to_get})"


def main() -> None:
    """Run the command, with every mistake of the user's as one line and exit status 2."""
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as error:
        _fail(error.format_message())
    except ValueError as error:
        _fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _fail(message: str) -> None:
    print(f"paramproof: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
