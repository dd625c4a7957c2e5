"""``paramproof verify``: compare a formula with what frameworks, or transformers, build.

Each kind of comparison is a function that returns the answer. A table has a section for each
framework and fits in 80 columns: names are folded, numbers never.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.registry import framework, frameworks
from paramproof.cli import options
from paramproof.cli.output import CommandAnswer, remark
from paramproof.cli.workers import records_of, run_in_frameworks
from paramproof.formulas import FAMILIES, Spec
from paramproof.formulas.comparison import totals
from paramproof.formulas.models import named_models
from paramproof.formulas.printing import legible, path_text
from paramproof.json_form import document
from paramproof.matching.model_comparison import report_on
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers, signed_or_zero
from paramproof.verify.agreement import require_agreement
from paramproof.verify.proof import Proof, proof_table, proofs
from paramproof.verify.results import Result, Sample, read_shards, results, shard_of, summary_of
from paramproof.verify.user_formula import (
    TIME_LIMIT,
    UserFormula,
    compared_at_sizes,
    family_and_rest,
)
from paramproof.verify.workers import Record
from paramproof.views.formula import certainty

COMMON = {"--framework", "--family", "--model", "--json"}
DRAWN = {*COMMON, "--examples", "--seed", "--shard", "--seconds"}

TOGETHER = {"--summary": {"FILE"}, "--prove": COMMON, "--shard": DRAWN, "--seconds": DRAWN}
"""The options that may be given beside these; beside others, all may."""


@click.command("verify", short_help="Verify the formula in every framework, on many models.")
@options.framework("Verify")
@options.repeatable(
    "--model",
    "models",
    "MODEL",
    "Verify only this model: its name or a config.json",
    shell_complete=options.MODELS,
)
@options.family("Verify")
@options.whole("--examples", 25, "Number of random models of each family.")
@options.whole("--seed", 0, "Seed of the random models.")
@options.as_json("every result")
@click.option(
    "--formula",
    "reference",
    metavar="MODULE:FUNCTION",
    help="Check this formula of yours instead of paramproof's.",
)
@options.derive
@options.seconds(
    "--time-limit", "seconds", TIME_LIMIT, "Stop a call of --formula after this many seconds."
)
@click.option(
    "--prove", is_flag=True, expose_value=False, help="Compare fitted tensors, in letters."
)
@options.seconds(
    "--seconds", "duration", None, "Go on drawing models for so long, in each framework."
)
@click.option(
    "--shard",
    metavar="I/N",
    callback=lambda ctx, param, given: given and shard_of(given),
    help="Verify only share I of N, on one of N machines.",
)
@click.option("--summary", is_flag=True, help="Verify nothing; sum up FILEs that --shard wrote.")
@click.argument("files", nargs=-1, type=Path, metavar="[FILE]...")
def verify_command(
    models: Sequence[str],
    reference: str | None,
    seconds: float,
    summary: bool,
    files: Sequence[Path],
    names: Sequence[str],
    families: Sequence[str],
    examples: int,
    seed: int,
    shard: tuple[int, int] | None,
    duration: float | None,
) -> CommandAnswer:
    """Compare every installed framework with the formula, over named and random models.

    Every model is built in every framework, and its tensors are compared with the formula's.
    Random models belong to the families in --family, to those of the models in --model, or to all.

    A formula of your own takes a spec, or letters and fields by name (for an encoder, any of L H A
    F V P T pooler mlm untied nsp), and returns the trainable parameters: an int, or ints by
    component. If it fits several families, add --family.

    If --model has no family (another model type, or MODULE:FUNCTION), your formula takes the
    letters or fields of its formula. Without --formula, the model is compared with the one that
    transformers builds.

    With --prove, formulas of the tensors are fitted to models of each framework, for every
    combination of a family's parts, and compared with ours in letters.

    With --seconds, drawing goes on with the next seed, and --shard takes every Nth seed from the
    Ith on. The results are then counted, and --json writes them for --summary.
    """
    given = options.require_together(TOGETHER)
    if summary and files:
        return sum_of_shards(files)
    if summary or files:
        raise ValueError("--summary needs the FILEs of shards, and nothing else takes a FILE")
    resolved = options.resolving_all([*dict.fromkeys(models)])
    formula = UserFormula(reference, seconds) if reference else None
    if without := [model for model in resolved if model.names is None]:
        _require_alone(without[0], resolved, given, formula)
        if formula:
            return formula_at_sizes(formula, without[0], examples, seed)
        return built_by_transformers(without)
    # The families are those that were named, or else those of the models, or else all.
    specs = {one.name: one.names.spec for one in resolved if one.names}
    chosen = tuple(families or dict.fromkeys(spec.family for spec in specs.values()) or FAMILIES)
    _require_families(resolved, chosen, "which is not in --family")
    if "--prove" in given:
        return proved(names, chosen, specs)
    named = {name: one.spec for name, one in named_models().items() if one.spec.family in chosen}
    # The first shard has the named models.
    own = (specs or named) if not shard or shard[0] == 1 else {}
    sample = Sample(own, chosen, examples, seed, shard or (1, 1), duration)
    if given & {"--seconds", "--shard"}:
        return in_shard(names, sample, _command(names, families, resolved, sample))
    return in_frameworks(names, sample, resolved, formula)


def _command(
    names: Sequence[str], families: Sequence[str], models: Sequence[Model], sample: Sample
) -> str:
    """Return the command of a run, but for the options --shard and --json."""
    words = [word for name in names for word in ("--framework", name)]
    words += [word for name in families for word in ("--family", name)]
    words += [word for model in models for word in ("--model", model.name)]
    words += ["--examples", str(sample.examples), "--seed", str(sample.seed)]
    words += ["--seconds", f"{sample.seconds:g}"] if sample.seconds else []
    return shlex.join(["paramproof", "verify", *words])


def _require_alone(
    model: Model, models: Sequence[Model], given: set[str], formula: UserFormula | None
) -> None:
    where = f"--model {model.title} has no family"
    if "--prove" in given:
        raise ValueError(f"{where}: 'paramproof derive' tells what is proved of it")
    others = sorted(given & {"--framework", "--family", "--seconds", "--shard"})
    if len(models) > 1 and (formula or any(one.names for one in models)):
        others.append("every other --model")
    if others:
        raise ValueError(f"{where}: leave out {' and '.join(others)}")
    if not formula and any(one.keys is None for one in models):
        raise ValueError(f"{where}, nor a configuration: give a --formula to compare it with")


def _require_families(models: Sequence[Model], families: Sequence[str], but: str) -> None:
    """Raise ``ValueError``, ending with ``but``, if a model is of none of ``families``."""
    for model in models:
        if model.family not in families:
            raise ValueError(f"--model {model.title} is of the family {model.family}, {but}")


def in_frameworks(
    names: Sequence[str], sample: Sample, models: Sequence[Model], formula: UserFormula | None
) -> CommandAnswer:
    """Compare formulas, or a user's, with what frameworks build; a run without models fails."""
    left: Sequence[str] = ()
    if formula:
        family, left = formula.ask(family_and_rest, sample.families)
        _require_families(models, (family,), f"but {formula.name} counts {family}")
        own = {name: spec for name, spec in sample.models.items() if spec.family == family}
        sample = replace(sample, models=own, families=(family,))
    else:
        require_agreement(sample.families)
    found = run_in_frameworks(names, results, Result, sample=sample, formula=formula)
    reports = [one for one in found if one.report and not one.smallest]
    equal = f"{sum(one.status == 'equal' for one in reports)} of {len(reports)} models"
    shown = [one for one in found if one.smallest or (one.model and not formula)]
    # A reason for random specs concerns the whole family; for a model, the table is enough.
    refused = [one for one in found if one.status == "not expressible"]
    reasons = dict.fromkeys(one.reason for one in refused if not (formula and one.model))
    why = [f"not expressible: {one}" for one in reasons if one]
    seed = f"random specs: seed {sample.seed}"
    if formula:
        rest = [f"{formula.name} does not count: {', '.join(left)}"] if left else []
        count = f"{equal} have the count of {formula.name}"
        last = [*[""] * bool(shown), *rest, count, *why, seed]
    else:
        count = f"{equal} equal the formula, tensor by tensor ({seed})"
        last = [*why, *_absent(names, "verified"), count if reports else "no model was verified"]
    return CommandAnswer(
        lambda width: [verify_table(found), *_differences(shown, width), *_broken(found), *last],
        lambda: document("verification", _body(found, seed=sample.seed, examples=sample.examples)),
        not reports or any(one.failed for one in found),
    )


def _body(records: Sequence[Record] | None = None, **about: Any) -> dict[str, Any]:
    versions = {name: one.versions() for name, one in frameworks().items()}
    found = {} if records is None else {"results": [one.as_json() for one in records]}
    return {**about, "versions": versions, **found}


def _differences(results: Sequence[Result], width: int | None) -> Iterator[str]:
    """Yield how models differ from the formula; what several frameworks share, once."""
    alike: dict[tuple[str, str], list[str]] = {}
    for one in results:
        if one.report and one.spec and one.failed:
            text = "\n".join(one.difference)
            text = text or explained(one.report, FamilyArchitecture.of(one.spec), width)
            title = ": the smallest spec that differs" if one.smallest else ""
            title += f" ({one.reason})" if one.reason else ""
            alike.setdefault((title, text), []).append(one.framework)
    for (title, text), names in alike.items():
        yield f"\n{', '.join(names)}{title}\n{text}"


def _broken(records: Sequence[Result] | Sequence[Proof]) -> Iterator[str]:
    for one in records:
        if one.status == "broken":
            yield f"\n{one.framework} is installed but broken: {one.reason}"


def _absent(names: Sequence[str], done: str) -> Iterator[str]:
    for one in frameworks().values():
        if one.missing and not names:
            yield f"not installed, so not {done}: {one.name} ({one.how_to_get})"


def proved(
    names: Sequence[str], families: Sequence[str], models: Mapping[str, Spec]
) -> CommandAnswer:
    require_agreement(families)
    found = run_in_frameworks(names, proofs, Proof, families=families, models=models)
    tried = [proof for proof in found if proof.status != "not expressible"]
    equal = sum(not proof.failed for proof in tried)
    pairs = f"pairs of framework and {'model' if models else 'family'}"
    tensors = sum(proof.tensors for proof in tried)
    return CommandAnswer(
        lambda width: [
            proof_table(found),
            *(
                f"\n{p.framework}, {path_text(p.model or p.family)}: {said}"
                for p in found
                for said in p.findings
            ),
            *_broken(found),
            *_absent(names, "compared"),
            f"{equal} of {len(tried)} {pairs} equal the formula in letters",
            f"{tensors:,} tensors in letters, fitted to models",
        ],
        lambda: document("proof", _body(found)),
        not 0 < equal == len(tried),
    )


def in_shard(names: Sequence[str], sample: Sample, command: str) -> CommandAnswer:
    require_agreement(sample.families)
    drawn = records_of(names, results, Result, sample=sample)
    found = summary_of(_with_remarks(drawn))
    body = _body(command=command, shard=[*sample.shard], seed=sample.seed) | found
    return _summary(found, [*_absent(names, "verified")], document("shard", body))


def _with_remarks(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results, and say every minute how many there are."""
    said = time.monotonic()
    for number, result in enumerate(results, 1):
        yield result
        if time.monotonic() - said >= 60:
            said = time.monotonic()
            remark(f"{number:,} models so far")


def sum_of_shards(files: Sequence[Path]) -> CommandAnswer:
    found, lost, of = read_shards(files)
    answer = _summary(found, [*lost, f"{of - len(lost)} of {of} shards are done"], {})
    return answer._replace(status=answer.status or bool(lost))


def _summary(
    found: Mapping[str, Any], last: Sequence[str], document: Mapping[str, Any]
) -> CommandAnswer:
    groups, failures = found["groups"], found["failures"]
    models, equal = (sum(one[name] for one in groups) for name in ("models", "equal"))
    said = (one["report"] or f"is installed but broken: {one['reason']}" for one in failures)
    lines = [f"\n{one['framework']}\n{why}" for one, why in zip(failures, said, strict=True)]
    lines.append(f"{equal:,} of {models:,} models equal the formula, tensor by tensor")
    return CommandAnswer(
        lambda width: [shard_table(groups), *lines, *last],
        lambda: document,
        not 0 < equal == models or bool(failures),
    )


def formula_at_sizes(formula: UserFormula, model: Model, examples: int, seed: int) -> CommandAnswer:
    derived = model.architecture
    found, difference = formula.ask(compared_at_sizes, derived, examples, seed)
    differing = [one for one in found if one["derived"] != one["theirs"]]
    body = {"model": derived.name, "seed": seed, "results": found, "algebra": difference}

    def parts(width: int | None) -> Iterator[str]:
        yield f"{legible(derived.name)}: its formula was derived, {certainty(derived)}"
        yield f"at its own sizes: {totals(found[0]['derived'], found[0]['theirs'])}"
        for first in (one for one in differing[:1] if one is not found[0]):
            yield ", ".join(f"{letter}={size}" for letter, size in first["sizes"].items())
            yield totals(first["derived"], first["theirs"])
        yield from filter(None, [difference])
        equal = f"equal at {len(found) - len(differing)} of {len(found)} sizes"
        yield f"{formula.name}: {equal} that meet the conditions"

    return CommandAnswer(parts, lambda: document("verification", body), bool(differing))


def built_by_transformers(models: Sequence[Model]) -> CommandAnswer:
    """Compare formulas with what transformers builds, on the meta device, in this process."""
    needed = framework("transformers")
    if needed.missing:
        raise ValueError(f"{models[0].title}: building it needs transformers: {needed.how_to_get}")
    from paramproof.tracing.constructors.model_class import build_model

    lines: list[str] = []
    found: list[dict[str, Any]] = []
    for model in models:
        assert model.keys is not None
        assert model.reading is not None
        report = report_on(build_model(model.keys, model.reading.class_name), model.architecture)
        lines += [f"{model.title}: {report.render()}", *model.origin()]
        numbers = {"formula": report.formula, "actual": report.actual, "equal": report.equal}
        found.append({"model": model.name, "class": model.architecture.name, **numbers})
    equal = sum(one["equal"] for one in found)
    lines.append(f"{equal} of {len(models)} models equal the formula, tensor by tensor")
    body = {"results": found}
    return CommandAnswer(
        lambda width: lines, lambda: document("verification", body), equal < len(models)
    )


def verify_table(results: Sequence[Result]) -> Table:
    headings = ("formula", "actual", "difference", "ms", "MB")
    rows: list[TableRow] = []
    for name, group in groupby(results, key=lambda result: result.framework):
        own = [one for one in group if not one.smallest]
        rows.append(_heading(f"{name} {own[0].version}", *[None] * 5))
        rows += [_line([one]) for one in own if one.model or one.status == "broken"]
        drawn = [one for one in own if one.report and not one.model]
        families = ([one for one in drawn if one.family == family] for family in FAMILIES)
        rows += map(_line, filter(None, families))
    return Table.of((Column("framework, spec"), *map(numbers, headings)), rows)


def _heading(*cells: str | None) -> TableRow:
    return TableRow(cells, is_bold=True, starts_section=True)


def _line(results: Sequence[Result]) -> TableRow:
    """Return sums, the difference, the mean time and the last peak of memory."""
    last, reports = results[-1], [one.report for one in results if one.report]
    if not reports:
        return TableRow((path_text(last.model), None, last.status, None, None, None), level=1)
    different = sum(one.failed for one in results)
    if last.model:
        name, difference = path_text(last.model), signed_or_zero(reports[0].difference)
        difference += ", shapes" if different and difference == "0" else ""
    else:
        name = f"{len(results)} random {last.family} specs"
        difference = f"{different} differ" if different else "0"
    formula, actual = (sum(getattr(one, of) for one in reports) for of in ("formula", "actual"))
    mean = f"{sum(one.milliseconds for one in results) / len(results):,.1f}"
    memory = f"{last.peak_mb:,.0f}" if last.peak_mb else ""
    return TableRow((name, formula, actual, difference, mean, memory), level=1)


def shard_table(groups: Iterable[Mapping[str, Any]]) -> Table:
    rows: list[TableRow] = []
    for name, group in groupby(groups, key=lambda one: one["framework"]):
        rows.append(_heading(name, *[None] * 4))
        for one in group:
            different = one["models"] - one["equal"]
            cells = (one["family"], one["models"], one["equal"], different, one["parameters"])
            rows.append(TableRow(cells, level=1))
    headings = map(numbers, ("models", "equal", "different", "parameters"))
    return Table.of((Column("framework, family"), *headings), rows)
