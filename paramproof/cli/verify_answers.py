"""What ``verify`` may compare, a function for each: it returns the document and what to print.

A table has a section for each framework and fits in 80 columns: names are folded, numbers never.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.builders.registry import Framework, framework
from paramproof.cli.output import CommandAnswer, remark
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
from paramproof.formulas.models import named_models
from paramproof.formulas.printing import legible, path_text
from paramproof.json_form import document
from paramproof.matching.model_comparison import report_on
from paramproof.resolver import Model
from paramproof.verify.agreement import require_agreement
from paramproof.verify.proof import Proof, proof_job
from paramproof.verify.results import Result, Sample, verify_job
from paramproof.verify.shards import missing, read_summaries, summary_of, summed
from paramproof.verify.user_formula import FormulaReference, compared_at_sizes, family_and_rest
from paramproof.views.formula import certainty
from paramproof.views.table import Column, Table, TableRow, numbers, signed_or_zero

MINUTE = 60.0


def sample_of(
    models: Sequence[Model],
    families: Sequence[str],
    examples: int,
    seed: int,
    shard: tuple[int, int] | None,
    duration: float | None,
) -> Sample:
    """Return what to verify: the models, or else all named ones of the families.

    The families are those that were named, or else those of the models, or else all.
    """
    specs = {one.name: one.names.spec for one in models if one.names}
    chosen = tuple(families or dict.fromkeys(spec.family for spec in specs.values()) or FAMILIES)
    _require_families(models, chosen, "which is not in --family")
    named = {name: one.spec for name, one in named_models().items() if one.spec.family in chosen}
    number, of = shard or (1, 1)
    own = (specs or named) if number == 1 else {}  # The first shard has the named models.
    return Sample(own, chosen, examples, seed, (number, of), duration)


def _require_families(models: Sequence[Model], families: Sequence[str], but: str) -> None:
    """Raise ``ValueError``, ending with ``but``, if a model is of none of ``families``."""
    for model in models:
        if model.family not in families:
            raise ValueError(f"--model {model.title} is of the family {model.family}, {but}")


def in_frameworks(
    names: Sequence[str],
    sample: Sample,
    models: Sequence[Model],
    formula: FormulaReference | None,
) -> CommandAnswer:
    """Compare the formulas of families, or a user's, with the models that frameworks build.

    A user's formula is called first, without any framework. A run without any model is a failure.
    """
    left: Sequence[str] = ()
    if formula:
        family, left = formula.ask(family_and_rest, sample.families)
        _require_families(models, (family,), f"but {formula.name} counts {family}")
        own = {name: spec for name, spec in sample.models.items() if spec.family == family}
        sample = replace(sample, models=own, families=(family,))
    else:
        require_agreement(sample.families)
    results, absent = run_in_frameworks(names, verify_job(sample, formula))
    reports = [one for one in results if one.report and not one.smallest]
    equal = f"{sum(one.status == 'equal' for one in reports)} of {len(reports)} models"

    def parts(width: int | None) -> Iterator[Table | str]:
        yield verify_table(results)
        smallest = any(one.smallest for one in results)
        shown = [one for one in results if one.smallest or (one.model and not formula)]
        yield from _differences(shown, width)
        yield from _broken(results)
        if formula:
            yield from [""] * smallest
            yield from [f"{formula.name} does not count: {', '.join(left)}"] if left else []
            yield f"{equal} have the count of {formula.name}"
        # A reason for random specs concerns the whole family; for a model, the table is enough.
        refused = [one for one in results if one.status == "not expressible"]
        reasons = (one.reason for one in refused if not (formula and one.model))
        yield from (f"not expressible: {one}" for one in dict.fromkeys(reasons) if one)
        if formula:
            yield f"random specs: seed {sample.seed}"
            return
        yield from _absent(absent, "verified")
        count = f"{equal} equal the formula, tensor by tensor (random specs: seed {sample.seed})"
        yield count if reports else "no model was verified"

    body = record_data(results, seed=sample.seed, examples=sample.examples)
    success = bool(reports) and not any(one.failed for one in results)
    return CommandAnswer(parts, lambda: document("verification", body), not success)


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


def _absent(absent: Sequence[Framework], done: str) -> Iterator[str]:
    for chosen in absent:
        yield f"not installed, so not {done}: {how_to_get(chosen)}"


def in_shard(names: Sequence[str], sample: Sample, command: str) -> CommandAnswer:
    """Compare the formulas with what frameworks build, and sum up the results of ``command``."""
    require_agreement(sample.families)
    installed, absent = chosen_frameworks(names)
    found = summed(map(summary_of, _with_remarks(records_of(installed, verify_job(sample)))))
    about = {"command": command, "shard": [*sample.shard], "seed": sample.seed}
    about["versions"] = versions()
    return _summary(found, document("shard", about | found), [*_absent(absent, "verified")])


def _with_remarks(results: Iterable[Result]) -> Iterator[Result]:
    """Yield the results, and say every minute how many there are."""
    said = time.monotonic()
    for number, result in enumerate(results, 1):
        yield result
        if time.monotonic() - said >= MINUTE:
            said = time.monotonic()
            remark(f"{number:,} models so far")


def sum_of_shards(files: Sequence[Path]) -> CommandAnswer:
    """Sum up the summaries of shards; a shard that is missing, or has died, is a failure."""
    summaries = read_summaries(files)
    lost = [*missing(summaries)]
    of = summaries[0]["shard"][1]
    lines = [*lost, f"{of - len(lost)} of {of} shards are done"]
    answer = _summary(summed(summaries), {}, lines)
    return answer._replace(status=answer.status or bool(lost))


def _summary(
    found: Mapping[str, Any], document: Mapping[str, Any], last: Sequence[str]
) -> CommandAnswer:
    models, equal = (sum(one[name] for one in found["groups"]) for name in ("models", "equal"))

    def parts(width: int | None) -> Iterator[Table | str]:
        yield shard_table(found["groups"])
        for one in found["failures"]:
            why = one["report"] if one["spec"] else f"is installed but broken: {one['reason']}"
            yield f"\n{one['framework']}\n{why}"
        yield f"{equal:,} of {models:,} models equal the formula, tensor by tensor"
        yield from last

    success = 0 < models == equal and not found["failures"]
    return CommandAnswer(parts, lambda: document, not success)


def proved(names: Sequence[str], sample: Sample, models: Sequence[Model]) -> CommandAnswer:
    require_agreement(sample.families)
    job = proof_job(sample.families, sample.models if models else {})
    proofs, absent = run_in_frameworks(names, job)
    tried = [proof for proof in proofs if proof.status != "not expressible"]
    failed = [proof for proof in tried if proof.failed]

    def parts(width: int | None) -> Iterator[Table | str]:
        yield proof_table(proofs)
        for proof in proofs:
            for finding in proof.findings:
                yield f"\n{proof.framework}, {path_text(proof.about)}: {finding}"
        yield from _broken(proofs)
        yield from _absent(absent, "proved")
        what = "model" if models else "family"
        pairs = f"{len(tried) - len(failed)} of {len(tried)} pairs of framework and {what}"
        yield f"{pairs} equal the formula at every size"
        tensors, traced = (sum(getattr(p, name) for p in tried) for name in ("tensors", "traced"))
        yield f"{tensors:,} tensors derived in letters, {traced:,} of them traced"

    success = bool(tried) and not failed
    return CommandAnswer(parts, lambda: document("proof", record_data(proofs)), not success)


def formula_at_sizes(
    formula: FormulaReference, model: Model, examples: int, seed: int
) -> CommandAnswer:
    """Compare a user's formula with that of a model without a family, at many sizes."""
    derived = model.architecture
    found, difference = formula.ask(compared_at_sizes, derived, examples, seed)
    differing = [one for one in found if one["derived"] != one["theirs"]]
    about = {"model": derived.name, "seed": seed, "results": found, "algebra": difference}

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

    return CommandAnswer(
        lambda width: lines(), lambda: document("verification", about), bool(differing)
    )


def built_by_transformers(models: Sequence[Model]) -> CommandAnswer:
    """Compare each formula with the model that transformers builds from the same configuration.

    The models are built on the meta device, in this process.
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
    lines.append(f"{equal} of {len(models)} models equal the formula, tensor by tensor")
    body = {"results": results}
    return CommandAnswer(
        lambda width: lines, lambda: document("verification", body), equal < len(models)
    )


def verify_table(results: Sequence[Result]) -> Table:
    """Return a line for each named model, and one for the random models of each family."""
    headings = ("formula", "actual", "difference", "ms", "MB")
    rows: list[TableRow] = []
    for name, group in groupby(results, key=lambda result: result.framework):
        own = [one for one in group if not one.smallest]
        rows.append(_heading(f"{name} {own[0].version}", *[None] * 5))
        named = [_line([one]) for one in own if one.model or one.status == "broken"]
        drawn = [one for one in own if one.report and not one.model]
        families = ([one for one in drawn if one.family == family] for family in FAMILIES)
        rows += (*named, *map(_line, filter(None, families)))
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


def proof_table(proofs: Sequence[Proof]) -> Table:
    """Return the proof or the failure of each family or model."""
    what = "model" if any(proof.model for proof in proofs) else "family"
    columns = Column(f"framework, {what}"), Column("number of trainable parameters")
    rows: list[TableRow] = []
    for name, group in groupby(proofs, key=lambda proof: proof.framework):
        first, *others = group
        about = first.status if first.status == "broken" else None
        rows.append(_heading(f"{name} {first.version}", about, None))
        rows += [row for proof in (first, *others) for row in _proof_rows(proof)]
    return Table.of((*columns, numbers("seconds")), rows)


def _proof_rows(proof: Proof) -> Iterator[TableRow]:
    about = path_text(proof.about)
    if proof.status == "not expressible":
        yield TableRow((about, f"{proof.status}: {proof.reason}", None), level=1)
    elif proof.status != "broken":
        fixed = [f"{letter} = {size}" for letter, size in proof.known.items()]
        parts = f"{len(proof.parts)} combination{'s' * (len(proof.parts) > 1)} of parts"
        scope = f"{proof.status}: {', '.join([*fixed, parts, *proof.conditions])}"
        yield TableRow((about, scope, f"{proof.seconds:.1f}"), level=1)
        yield TableRow(("formula", proof.formula, None), level=2)


def shard_table(groups: Iterable[Mapping[str, Any]]) -> Table:
    """Return a line for each family."""
    headings = ("models", "equal", "different", "parameters")
    rows: list[TableRow] = []
    for name, group in groupby(groups, key=lambda one: one["framework"]):
        rows.append(_heading(name, *[None] * 4))
        for one in group:
            different = one["models"] - one["equal"]
            cells = (one["family"], one["models"], one["equal"], different, one["parameters"])
            rows.append(TableRow(cells, level=1))
    return Table.of((Column("framework, family"), *map(numbers, headings)), rows)
