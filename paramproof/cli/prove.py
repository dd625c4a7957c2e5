"""``paramproof prove``: prove that every framework matches the formula, at every size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from paramproof.builders.registry import Framework
from paramproof.checks.model import require_agreement
from paramproof.cli.derive import deriving
from paramproof.cli.options import family_option, framework_option, json_option, models_option
from paramproof.cli.output import CommandAnswer, finish
from paramproof.cli.tables import proof_table
from paramproof.cli.workers import broken, how_to_get, record_data, run_in_frameworks
from paramproof.formulas import FAMILIES
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import legible, path_text
from paramproof.json_form import document
from paramproof.proof.prove import Proof
from paramproof.resolver import Model, Request, read_request, resolve_request
from paramproof.views.formula import evidence_lines, formula_lines
from paramproof.views.terminal import print_lines, print_table
from paramproof.workers.jobs import Prove


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
    resolved = [_of_family(request) for request in requests]
    derived = [one for one, found in zip(requests, resolved, strict=True) if found is None]
    if derived and (names or len(requests) > 1):
        where = path_text(derived[0].name)
        raise ValueError(f"--model {where} has no family: prove it alone, without --framework")
    if derived:
        finish(_of_derivation(deriving(derived[0])), json_file)
        return
    specs = {one.name: one.names.spec for one in resolved if one and one.names}
    own = (family_of(spec).name for spec in specs.values())
    wanted = tuple(dict.fromkeys(own)) or tuple(families) or tuple(FAMILIES)
    require_agreement(wanted)
    proofs, absent = run_in_frameworks(names, Prove(wanted, specs))
    answer = CommandAnswer(
        document("proof", record_data(proofs)),
        _is_proved(proofs),
        partial(_print_proofs, proofs=proofs, absent=absent),
    )
    finish(answer, json_file)


def _of_family(request: Request) -> Model | None:
    """Return the requested model if a family describes it; the formulas of others are derived."""
    if request.reference:
        return None
    try:
        found = resolve_request(request)
    except NotInCatalogue:
        return None
    return found if found.names else None


def _of_derivation(derivation: Derivation) -> CommandAnswer:
    """Return a derived formula with its evidence; a success if it is proved at its own sizes."""

    def show(out: Console) -> None:
        print_lines(out, (legible(derivation.name), *formula_lines(derivation)))
        print_lines(out, (f"where {stated.condition}" for stated in derivation.conditions))
        print_lines(out, evidence_lines(derivation))

    is_proved = derivation.is_proved_at(derivation.sizes)
    return CommandAnswer(document("derivation", derivation_data(derivation)), is_proved, show)


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
