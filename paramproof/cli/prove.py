"""``paramproof prove``: compare every framework with the formula, at every size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from paramproof.builders.registry import Framework
from paramproof.checking.model import require_agreement
from paramproof.cli.options import framework_option, json_option
from paramproof.cli.output import tables_beside
from paramproof.cli.progress import shown_progress
from paramproof.cli.tables import proof_table
from paramproof.cli.workers import broken, chosen_frameworks, how_to_get, write_json
from paramproof.proof.prove import Proof
from paramproof.running.jobs import Prove
from paramproof.running.pool import run_in_workers


@click.command("prove", short_help="Prove the formula in every framework, at every size.")
@framework_option("Prove")
@json_option("every proof")
def prove_command(names: Sequence[str], json_file: Path | None) -> None:
    """Prove that every framework has the formula's count at every size, as polynomials."""
    require_agreement(["encoder"])
    there, absent = chosen_frameworks(names)
    with shown_progress(there) as take:
        proofs = run_in_workers(there, Prove(), take)
    if json_file:
        write_json(json_file, proofs)
    _print_proofs(tables_beside(json_file), proofs, absent)
    if any(proof.failed for proof in proofs):
        raise SystemExit(1)


def _print_proofs(out: Console, proofs: list[Proof], absent: list[Framework]) -> None:
    out.print(proof_table(proofs))
    for proof in proofs:
        for finding in proof.findings:
            out.print(f"\n{proof.framework}: {finding}", markup=False)
        if proof.reason:
            out.print("", broken(proof), sep="\n", markup=False)
    for chosen in absent:
        out.print(f"not installed, so not proved: {how_to_get(chosen)}", markup=False)
    proved = sum(not proof.failed for proof in proofs)
    tensors = sum(proof.tensors for proof in proofs)
    out.print(f"{proved} of {len(proofs)} frameworks equal the formula at every size")
    out.print(f"{tensors} tensors read in symbols")
