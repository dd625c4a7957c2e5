"""What ``verify`` may compare, a function for each: it returns the document and what to print."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.registry import Framework, framework
from paramproof.cli.output import CommandAnswer, print_unwrapped, width_of
from paramproof.cli.tables import proof_table, shard_table, verify_table
from paramproof.cli.workers import (
    chosen_frameworks,
    how_to_get,
    record_data,
    records_of,
    run_in_frameworks,
    versions,
)
from paramproof.formulas import FAMILIES
from paramproof.formulas.comparison import totals
from paramproof.formulas.families import family_of
from paramproof.formulas.models import named_models
from paramproof.formulas.printing import legible, path_text
from paramproof.formulas.spec import Spec
from paramproof.json_form import document
from paramproof.matching.model_comparison import report_on
from paramproof.resolver import Model
from paramproof.verify.agreement import require_agreement
from paramproof.verify.proof import Proof, proof_job
from paramproof.verify.results import Result, Sample, verify_job
from paramproof.verify.shards import Tally, missing, read_summaries
from paramproof.verify.user_formula import (
    FormulaReference,
    compared_at_sizes,
    family_and_rest,
)
from paramproof.views.formula import certainty
from paramproof.views.terminal import print_table


@dataclass(frozen=True, slots=True)
class Asked:
    """The ``models`` to verify, the frameworks' ``names``, and what to draw."""

    models: Sequence[Model]
    names: Sequence[str]
    families: Sequence[str]
    examples: int
    seed: int
    duration: float | None
    shard: tuple[int, int] | None

    @property
    def is_long(self) -> bool:
        """Whether results are counted, and not listed."""
        return bool(self.shard or self.duration)

    @property
    def wanted(self) -> tuple[str, ...]:
        own = (model.family for model in self.models if model.names)
        return tuple(self.families) or tuple(dict.fromkeys(own))

    def specs(self, families: Sequence[str] = ()) -> dict[str, Spec]:
        """Return the specs of the models; without them, of all named models of ``families``."""
        specs = {one.name: one.names.spec for one in self.models if one.names}
        specs = specs or {name: one.spec for name, one in named_models().items()}
        return {
            n: one for n, one in specs.items() if not families or family_of(one).name in families
        }

    def sample(self, families: Sequence[str]) -> Sample:
        how = self.shard or (1, 1), self.duration
        return Sample(self.specs(families), tuple(families), self.examples, self.seed, *how)

    def require_families(self, families: Sequence[str], but: str) -> None:
        """Raise ``ValueError``, ending with ``but``, if a model is of none of ``families``."""
        for model in self.models:
            if model.names and model.family not in families:
                raise ValueError(f"--model {model.title} is of the family {model.family}, {but}")


def in_frameworks(asked: Asked, formula: FormulaReference | None) -> CommandAnswer:
    """Compare the formulas of families, or a user's, with the models that frameworks build.

    A user's formula is called first, without any framework, to see that it works. Its family is
    one of the chosen ones or of the models', or of all families. It counts the models of that
    family or, without any, the named ones.

    A run in which no framework could build any of the models has verified nothing, and fails.
    Raises ``ValueError`` for a formula that cannot be called, a model of another family, and a
    framework that is not installed.
    """
    families, left = asked.wanted or tuple(FAMILIES), list[str]()
    if formula:
        family, left = formula.ask(family_and_rest, asked.wanted, [*asked.specs().values()])
        asked.require_families((family,), f"but {formula.name} counts {family}")
        families = (family,)
    else:
        require_agreement(families)
    results, absent = run_in_frameworks(asked.names, verify_job(asked.sample(families), formula))
    reports = [one for one in results if one.report and not one.smallest]
    equal = sum(one.status == "equal" for one in reports)

    def show(out: Console) -> None:
        print_table(out, verify_table(results))
        shown = [one for one in results if one.smallest or (one.model and not formula)]
        _print_differences(out, shown)
        _print_broken(out, results)
        if formula:
            lines = [f"{formula.name} does not count: {', '.join(left)}"] if left else []
            lines += [f"{equal} of {len(reports)} models have the count of {formula.name}"]
            gap = [""] if any(one.smallest for one in results) else []
            out.print(*gap, *lines, sep="\n", markup=False)
        # A reason for random specs concerns the whole family; for a model, the table is enough.
        refused = [one for one in results if one.status == "not expressible"]
        reasons = (one.reason for one in refused if not (formula and one.model))
        for reason in dict.fromkeys(filter(None, reasons)):
            out.print(f"not expressible: {reason}", markup=False)
        if formula:
            out.print(f"random specs: seed {asked.seed}")
            return
        _print_absent(out, absent, "verified")
        count = f"{equal} of {len(reports)} models equal the formula, tensor by tensor"
        count += f" (random specs: seed {asked.seed})"
        out.print(count if reports else "no model was verified")

    body = record_data(results, seed=asked.seed, examples=asked.examples)
    success = bool(reports) and not any(one.failed for one in results)
    return CommandAnswer(document("verification", body), success, show)


def _print_differences(out: Console, results: Sequence[Result]) -> None:
    """Print how models differ from the formula; what several frameworks share, once."""
    alike: dict[tuple[str, str], list[str]] = {}
    for one in results:
        if one.report and one.spec and one.failed:
            text = "\n".join(one.difference)
            if not text:
                text = explained(one.report, FamilyArchitecture.of(one.spec), width_of(out))
            title = ": the smallest spec that differs" if one.smallest else ""
            title += f" ({one.reason})" if one.reason else ""
            alike.setdefault((title, text), []).append(one.framework)
    for (title, text), names in alike.items():
        out.print("", f"{', '.join(names)}{title}", text, sep="\n", markup=False)


def in_shard(asked: Asked) -> CommandAnswer:
    families = asked.wanted or tuple(FAMILIES)
    require_agreement(families)
    installed, absent = chosen_frameworks(asked.names)
    tally = Tally()
    for result in records_of(installed, verify_job(asked.sample(families))):
        tally.add(result)
    body = {
        "command": _command(asked),
        "shard": [*(asked.shard or (1, 1))],
        "seed": asked.seed,
        "versions": versions(),
        **tally.as_json(),
    }

    def show(out: Console) -> None:
        _print_tally(out, tally)
        _print_absent(out, absent, "verified")

    return CommandAnswer(document("shard", body), tally.is_success, show)


def _command(asked: Asked) -> str:
    """Return the command of a run, but for the options --shard and --json."""
    words = [word for name in asked.names for word in ("--framework", name)]
    words += [word for name in asked.families for word in ("--family", name)]
    words += [word for model in asked.models for word in ("--model", model.name)]
    words += ["--examples", str(asked.examples), "--seed", str(asked.seed)]
    words += ["--seconds", f"{asked.duration:g}"] if asked.duration else []
    return shlex.join(["paramproof", "verify", *words])


def summed(files: Sequence[Path]) -> CommandAnswer:
    """Sum up the summaries of shards; a shard that is missing, or has died, is a failure."""
    summaries = read_summaries(files)
    tally = Tally()
    for summary in summaries:
        tally.merge(summary)
    lost = [*missing(summaries)]

    def show(out: Console) -> None:
        _print_tally(out, tally)
        print_unwrapped(out, lost)
        of = summaries[0]["shard"][1]
        out.print(f"{of - len(lost)} of {of} shards are done")

    return CommandAnswer({}, tally.is_success and not lost, show)


def _print_tally(out: Console, tally: Tally) -> None:
    found = tally.as_json()
    print_table(out, shard_table(found["groups"]))
    for one in found["failures"]:
        lines = [one["report"]] if one["spec"] else [f"is installed but broken: {one['reason']}"]
        out.print("", one["framework"], *lines, sep="\n", markup=False)
    out.print(f"{tally.equal:,} of {tally.models:,} models equal the formula, tensor by tensor")


def proved(asked: Asked) -> CommandAnswer:
    if asked.models and asked.families:
        raise ValueError("--model and --family cannot be combined: a model has only one family")
    families = asked.wanted or tuple(FAMILIES)
    require_agreement(families)
    specs = asked.specs() if asked.models else {}
    proofs, absent = run_in_frameworks(asked.names, proof_job(families, specs))
    is_proved = any(proof.status == "proved" for proof in proofs)

    def show(out: Console) -> None:
        print_table(out, proof_table(proofs))
        for proof in proofs:
            for finding in proof.findings:
                about = path_text(proof.about)
                out.print(f"\n{proof.framework}, {about}: {finding}", markup=False)
        _print_broken(out, proofs)
        _print_absent(out, absent, "proved")
        tried = [proof for proof in proofs if proof.status != "not expressible"]
        equal = sum(not proof.failed for proof in tried)
        tensors, traced = (sum(getattr(p, name) for p in tried) for name in ("tensors", "traced"))
        what = "model" if specs else "family"
        pairs = f"{equal} of {len(tried)} pairs of framework and {what}"
        out.print(f"{pairs} equal the formula at every size")
        out.print(f"{tensors:,} tensors derived in letters, {traced:,} of them traced")

    success = is_proved and not any(proof.failed for proof in proofs)
    return CommandAnswer(document("proof", record_data(proofs)), success, show)


def formula_at_sizes(formula: FormulaReference, model: Model, asked: Asked) -> CommandAnswer:
    """Compare a user's formula with that of a model without a family, at many sizes."""
    derived = model.architecture
    found, difference = formula.ask(compared_at_sizes, derived, asked.examples, asked.seed)
    differing = [one for one in found if one["derived"] != one["theirs"]]
    body = {
        "model": derived.name, "seed": asked.seed, "results": found, "algebra": difference
    }  # fmt: skip

    def lines() -> Iterator[str]:
        yield f"{legible(derived.name)}: its formula was derived, {certainty(derived)}"
        yield f"at its own sizes: {totals(found[0]['derived'], found[0]['theirs'])}"
        if differing and differing[0] is not found[0]:
            first = differing[0]
            yield ", ".join(f"{letter}={size}" for letter, size in first["sizes"].items())
            yield totals(first["derived"], first["theirs"])
        yield from filter(None, [difference])
        equal = f"equal at {len(found) - len(differing)} of {len(found)} sizes"
        yield f"{formula.name}: {equal} that meet the conditions"

    answer = document("verification", body)
    return CommandAnswer(answer, not differing, lambda out: print_unwrapped(out, lines()))


def built_by_transformers(models: Sequence[Model]) -> CommandAnswer:
    """Compare each formula with the model that transformers builds from the same configuration.

    The models are built on the meta device, in this process.

    Raises ``ValueError``, in one line, if transformers is missing or refuses a configuration.
    """
    needed = framework("transformers")
    if needed.missing:
        raise ValueError(f"{models[0].title}: building it needs transformers: {needed.how_to_get}")
    from paramproof.tracing.constructors.transformers_class import build_model

    lines: list[str] = []
    results: list[dict[str, Any]] = []
    for model in models:
        assert model.keys is not None
        assert model.reading is not None
        report = report_on(build_model(model.keys, model.reading.class_name), model.architecture)
        lines += [f"{model.title}: {report.render()}", *model.origin()]
        numbers = {"formula": report.formula, "actual": report.actual, "equal": report.equal}
        results.append({"model": model.name, "class": model.architecture.name, **numbers})
    equal = sum(result["equal"] for result in results)

    def show(out: Console) -> None:
        print_unwrapped(out, lines)
        out.print(f"{equal} of {len(models)} models equal the formula, tensor by tensor")

    return CommandAnswer(document("verification", {"results": results}), equal == len(models), show)


def _print_broken(out: Console, records: Sequence[Result] | Sequence[Proof]) -> None:
    for one in records:
        if one.status == "broken":
            line = f"{one.framework} is installed but broken: {one.reason}"
            out.print("", line, sep="\n", markup=False)


def _print_absent(out: Console, absent: Sequence[Framework], done: str) -> None:
    for chosen in absent:
        out.print(f"not installed, so not {done}: {how_to_get(chosen)}", markup=False)
