"""``paramproof prove``: compare every framework with the formula, at every size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from paramproof.builders.registry import Framework
from paramproof.checks.model import require_agreement
from paramproof.cli.options import family_option, framework_option, json_option, models_option
from paramproof.cli.output import tables_beside, write_json
from paramproof.cli.progress import shown_progress
from paramproof.cli.prove_derived import prove_derived
from paramproof.cli.tables import proof_table
from paramproof.cli.workers import broken, chosen_frameworks, how_to_get, record_data
from paramproof.formulas import FAMILIES
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import path_text
from paramproof.json_form import document
from paramproof.proof.prove import Proof
from paramproof.resolver import Request, ResolvedModel, read_request, resolve_request
from paramproof.workers.jobs import Prove
from paramproof.workers.pool import run_in_workers


@click.command("prove", short_help="Prove the formula in every framework, at every size.")
@framework_option("Prove")
@family_option("Prove")
@models_option("Prove")
@json_option("every proof")
def prove_command(
    names: Sequence[str], families: Sequence[str], models: Sequence[str], json_file: Path | None
) -> None:
    """Prove that every framework has the formulas' counts at every size, as polynomials.

    Twice for each family: from totals alone, by interpolation, and tensor by tensor, derived of
    the framework's own models. First both derivations of each formula must agree.

    Of a model that is named, its combination of parts is proved, and held at its own sizes. Where
    no family describes it, its formula is derived of transformers' own class, or of
    MODULE:FUNCTION, and it is said whether that is a proof.
    """
    if models and families:
        raise ValueError("--model and --family exclude each other: a model has its family")
    requests = [read_request(model) for model in models]
    derived = [one for one in requests if one.reference or not _has_family(one)]
    if derived:
        if names or len(requests) > 1:
            where = path_text(derived[0].name)
            raise ValueError(f"--model {where} has no family: prove it alone, without --framework")
        raise SystemExit(0 if prove_derived(derived[0], json_file) else 1)
    resolved = map(resolve_request, requests)
    specs = {one.name: one.spec for one in resolved if isinstance(one, ResolvedModel)}
    asked = (family_of(spec).name for spec in specs.values())
    wanted = tuple(dict.fromkeys(asked)) or tuple(families) or tuple(FAMILIES)
    require_agreement(wanted)
    there, absent = chosen_frameworks(names)
    with shown_progress(there) as take:
        proofs = run_in_workers(there, Prove(wanted, specs), take)
    if json_file:
        write_json(json_file, document("proof", record_data(proofs)))
    _print_proofs(tables_beside(json_file), proofs, absent)
    if not _is_proved(proofs):
        raise SystemExit(1)


def _has_family(request: Request) -> bool:
    """Return whether a family describes the model that is asked for; others are derived anew."""
    try:
        return isinstance(resolve_request(request), ResolvedModel)
    except NotInCatalogue:
        return False


def _is_proved(proofs: Sequence[Proof]) -> bool:
    """Whether something was proved, and nothing stands against it."""
    proved = any(proof.status == "proved" for proof in proofs)
    return proved and not any(proof.failed for proof in proofs)


def _print_proofs(out: Console, proofs: list[Proof], absent: list[Framework]) -> None:
    out.print(proof_table(proofs))
    for proof in proofs:
        for finding in proof.findings:
            about = path_text(proof.about)
            out.print(f"\n{proof.framework}, {about}: {finding}", markup=False)
        if proof.status == "broken":
            out.print("", broken(proof), sep="\n", markup=False)
    for chosen in absent:
        out.print(f"not installed, so not proved: {how_to_get(chosen)}", markup=False)
    asked = [proof for proof in proofs if proof.status != "not expressible"]
    proved = sum(not proof.failed for proof in asked)
    tensors, traced = (sum(getattr(p, name) for p in asked) for name in ("tensors", "traced"))
    what = "model" if any(proof.model for proof in proofs) else "family"
    pairs = f"{proved} of {len(asked)} pairs of framework and {what}"
    out.print(f"{pairs} equal the formula at every size")
    out.print(f"{tensors:,} tensors derived in letters, {traced:,} of them traced")
