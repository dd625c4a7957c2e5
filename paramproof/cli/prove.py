"""``paramproof prove``: prove that every framework matches the formula, at every size."""

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
from paramproof.resolver import Request, read_request, resolve_request
from paramproof.tables.terminal import print_table
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

    Each family is proved twice: from totals alone, by interpolation, and tensor by tensor, derived
    from the framework's own models. Before that, the two derivations of each formula must agree.

    With --model, the model's combination of parts is proved, and compared at its own sizes. If no
    family describes the model, its formula is derived from the class of transformers, or from
    MODULE:FUNCTION, and the output tells whether that is a proof.
    """
    if models and families:
        raise ValueError("--model and --family cannot be combined: a model has only one family")
    requests = [read_request(model) for model in models]
    derived = [one for one in requests if one.reference or not _has_family(one)]
    if derived:
        if names or len(requests) > 1:
            where = path_text(derived[0].name)
            raise ValueError(f"--model {where} has no family: prove it alone, without --framework")
        raise SystemExit(0 if prove_derived(derived[0], json_file) else 1)
    resolved = map(resolve_request, requests)
    specs = {one.name: one.spec for one in resolved if one.spec}
    own = (family_of(spec).name for spec in specs.values())
    wanted = tuple(dict.fromkeys(own)) or tuple(families) or tuple(FAMILIES)
    require_agreement(wanted)
    installed, absent = chosen_frameworks(names)
    with shown_progress(installed) as take:
        proofs = run_in_workers(installed, Prove(wanted, specs), take)
    if json_file:
        write_json(json_file, document("proof", record_data(proofs)))
    _print_proofs(tables_beside(json_file), proofs, absent)
    if not _is_proved(proofs):
        raise SystemExit(1)


def _has_family(request: Request) -> bool:
    """Return whether a family describes the requested model; the formulas of others are derived."""
    try:
        return resolve_request(request).spec is not None
    except NotInCatalogue:
        return False


def _is_proved(proofs: Sequence[Proof]) -> bool:
    """Return whether at least one proof succeeded, and none failed."""
    proved = any(proof.status == "proved" for proof in proofs)
    return proved and not any(proof.failed for proof in proofs)


def _print_proofs(out: Console, proofs: list[Proof], absent: list[Framework]) -> None:
    print_table(out, proof_table(proofs))
    for proof in proofs:
        for finding in proof.findings:
            about = path_text(proof.about)
            out.print(f"\n{proof.framework}, {about}: {finding}", markup=False)
        if proof.status == "broken":
            out.print("", broken(proof), sep="\n", markup=False)
    for chosen in absent:
        out.print(f"not installed, so not proved: {how_to_get(chosen)}", markup=False)
    tried = [proof for proof in proofs if proof.status != "not expressible"]
    proved = sum(not proof.failed for proof in tried)
    tensors, traced = (sum(getattr(p, name) for p in tried) for name in ("tensors", "traced"))
    what = "model" if any(proof.model for proof in proofs) else "family"
    pairs = f"{proved} of {len(tried)} pairs of framework and {what}"
    out.print(f"{pairs} equal the formula at every size")
    out.print(f"{tensors:,} tensors derived in letters, {traced:,} of them traced")
