"""The tables of ``verify``: of results, of proofs, and of the summary of a long run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from paramproof.formulas import FAMILIES
from paramproof.formulas.printing import path_text
from paramproof.verify.proof import Proof
from paramproof.verify.results import Result
from paramproof.views.table import Column, Table, TableRow, numbers, signed_or_zero


def verify_table(results: Sequence[Result]) -> Table:
    """Return a section per framework: a line per named model, and one per family of random ones.

    The table fits in 80 columns: names are folded if needed, numbers never.
    """
    headings = ("formula", "actual", "difference", "ms", "MB")
    return Table.of((Column("framework, spec"), *map(numbers, headings)), _verify_rows(results))


def _verify_rows(results: Sequence[Result]) -> Iterator[TableRow]:
    for name, group in groupby(results, key=lambda result: result.framework):
        own = [result for result in group if not result.smallest]
        yield _heading(f"{name} {own[0].version}", *[None] * 5)
        for result in own:
            if result.model or result.status == "broken":
                yield TableRow(_line(result), level=1)
        for family in FAMILIES:
            drawn = [one for one in own if one.report and not one.model and one.family == family]
            if drawn:
                yield TableRow(_summary(family, drawn), level=1)


def _heading(*cells: str | None) -> TableRow:
    """Return the first row of a framework's section."""
    return TableRow(cells, is_bold=True, starts_section=True)


def _line(result: Result) -> tuple[object, ...]:
    report, model = result.report, path_text(result.model)
    if report is None:
        return model, None, result.status, None, None, None
    difference = signed_or_zero(report.difference)
    if result.status == "different" and not report.difference:
        difference = "0, shapes"
    time = f"{result.milliseconds:,.1f}"
    return model, report.formula, report.actual, difference, time, _megabytes(result)


def _summary(family: str, results: Sequence[Result]) -> tuple[object, ...]:
    """Return one line for random specs: sums, how many differ, mean time, last peak memory."""
    reports = [result.report for result in results if result.report]
    different = sum(result.failed for result in results)
    return (
        f"{len(results)} random {family} specs",
        sum(report.formula for report in reports),
        sum(report.actual for report in reports),
        f"{different} differ" if different else "0",
        f"{sum(result.milliseconds for result in results) / len(results):,.1f}",
        _megabytes(results[-1]),
    )


def _megabytes(result: Result) -> str:
    return f"{result.peak_mb:,.0f}" if result.peak_mb else ""


def proof_table(proofs: Sequence[Proof]) -> Table:
    """Return a section per framework, with the proof or the failure of each family or model."""
    what = "model" if any(proof.model for proof in proofs) else "family"
    columns = (
        Column(f"framework, {what}"),
        Column("number of trainable parameters"),
        numbers("seconds"),
    )
    rows: list[TableRow] = []
    for name, group in groupby(proofs, key=lambda proof: proof.framework):
        own = list(group)
        about = own[0].status if own[0].status == "broken" else None
        rows.append(_heading(f"{name} {own[0].version}", about, None))
        for proof in own:
            rows += _proof_rows(proof)
    return Table.of(columns, rows)


def _proof_rows(proof: Proof) -> Iterator[TableRow]:
    about = path_text(proof.about)
    if proof.status == "not expressible":
        yield TableRow((about, f"{proof.status}: {proof.reason}", None), level=1)
    elif proof.status != "broken":
        scope, seconds = f"{proof.status}: {_scope(proof)}", f"{proof.seconds:.1f}"
        yield TableRow((about, scope, seconds), level=1)
        yield TableRow(("formula", proof.formula, None), level=2)


def _scope(proof: Proof) -> str:
    """Return the sizes and combinations of parts for which the count was proved."""
    fixed = [f"{letter} = {size}" for letter, size in proof.known.items()]
    number = len(proof.parts)
    plural = "s" * (number > 1)
    return ", ".join([*fixed, f"{number} combination{plural} of parts", *proof.conditions])


def shard_table(groups: Iterable[Mapping[str, Any]]) -> Table:
    """Return the summary of a long run, a section per framework with a line per family."""
    headings = ("models", "equal", "different", "parameters")
    rows: list[TableRow] = []
    for framework, group in groupby(groups, key=lambda one: one["framework"]):
        rows.append(_heading(framework, *[None] * 4))
        for one in group:
            different = one["models"] - one["equal"]
            cells = (one["family"], one["models"], one["equal"], different, one["parameters"])
            rows.append(TableRow(cells, level=1))
    return Table.of((Column("framework, family"), *map(numbers, headings)), rows)
