"""The tables of ``verify``: of results, of proofs, and of the summary of a long run.

Each has a section per framework, with a heading of its own, and fits in 80 columns: names are
folded if needed, numbers never.
"""

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
    """Return a line for each named model, and one for the random models of each family."""
    headings = ("formula", "actual", "difference", "ms", "MB")
    rows: list[TableRow] = []
    for name, group in groupby(results, key=lambda result: result.framework):
        own = [result for result in group if not result.smallest]
        rows.append(_heading(f"{name} {own[0].version}", *[None] * 5))
        named = (_line(one) for one in own if one.model or one.status == "broken")
        drawn = [one for one in own if one.report and not one.model]
        families = ((name, [one for one in drawn if one.family == name]) for name in FAMILIES)
        summaries = (_summary(family, of_family) for family, of_family in families if of_family)
        rows += [TableRow(cells, level=1) for cells in (*named, *summaries)]
    return Table.of((Column("framework, spec"), *map(numbers, headings)), rows)


def _heading(*cells: str | None) -> TableRow:
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
    """Return sums, how many models differ, the mean time and the last peak of memory."""
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
    for framework, group in groupby(groups, key=lambda one: one["framework"]):
        rows.append(_heading(framework, *[None] * 4))
        for one in group:
            different = one["models"] - one["equal"]
            cells = (one["family"], one["models"], one["equal"], different, one["parameters"])
            rows.append(TableRow(cells, level=1))
    return Table.of((Column("framework, family"), *map(numbers, headings)), rows)
