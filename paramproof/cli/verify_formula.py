"""``verify --formula``: compare a user's formula with the models that frameworks build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from paramproof.checks.result import Result
from paramproof.cli.output import tables_beside, write_json
from paramproof.cli.progress import shown_progress
from paramproof.cli.tables import verify_table
from paramproof.cli.workers import broken, chosen_frameworks, record_data
from paramproof.formulas import Family, Spec
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import path_text
from paramproof.json_form import document
from paramproof.tables.terminal import print_table
from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.family_choice import chosen_family
from paramproof.user_formulas.verdict import require_counts, verdict, without_smallest
from paramproof.workers.jobs import Verify
from paramproof.workers.pool import run_in_workers


def verify_formula(
    reference: str,
    names: Sequence[str],
    models: Mapping[str, Spec],
    families: Sequence[str],
    *,
    named: bool,
    examples: int,
    seed: int,
    seconds: float,
    json_file: Path | None,
) -> list[Result]:
    """Compare a user's formula with frameworks, print the verdict, and return every result.

    The frameworks are those in ``names``, or all that are installed. The formula is called first,
    without any framework, to see that it works.

    Its family is one of ``families``, or of all families if that is empty. It counts the ``models``
    of that family; if the user ``named`` them, all must be of that family. ``seconds`` limits the
    time of each call.

    Raises ``ValueError`` for a formula that cannot be called, a model of another family, and a
    framework that is not installed.
    """
    with FormulaClient(reference, seconds=seconds) as formula:
        family = chosen_family(formula, families)
        own = {name: spec for name, spec in models.items() if family_of(spec) is family}
        others = [name for name in models if name not in own]
        if named and others:
            of = family_of(models[others[0]]).name
            about = f"{reference} counts {family.name}"
            raise ValueError(f"--model {path_text(others[0])} is of the family {of}, but {about}")
        require_counts(formula, family, own)
        installed, _ = chosen_frameworks(names)
        with shown_progress(installed) as take:
            job = Verify(own, examples, seed, (family.name,), reference, seconds)
            results = run_in_workers(installed, job, take)
        if json_file:
            body = record_data(results, seed=seed, examples=examples)
            write_json(json_file, document("verification", body))
        _print_verdict(tables_beside(json_file), formula, family, results, seed)
    return results


def _print_verdict(
    out: Console, formula: FormulaClient, family: Family, results: list[Result], seed: int
) -> None:
    lines = list(verdict(formula, family, results))
    print_table(out, verify_table(without_smallest(results)))
    for result in results:
        if result.status == "broken":
            lines.insert(0, broken(result))
    # A reason for random specs concerns the whole family; for a named model, the table is enough.
    absent = [result for result in results if result.status == "not expressible"]
    reasons = dict.fromkeys(result.reason for result in absent if not result.model)
    lines += [f"not expressible: {reason}" for reason in reasons]
    out.print(*lines, f"random specs: seed {seed}", sep="\n", markup=False)
