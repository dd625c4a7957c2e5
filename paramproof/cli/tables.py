"""The tables that the command line prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal

from rich import box
from rich.markup import escape
from rich.table import Table

from paramproof.builders.registry import Framework
from paramproof.checks.result import Result
from paramproof.formulas import FAMILIES
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import path_text
from paramproof.proof.prove import Proof

RIGHT: Literal["right"] = "right"
PLAIN: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0)}


def verify_table(results: Sequence[Result]) -> Table:
    """Return a section per framework: a line per named model, and one per family of random ones.

    The table fits in 80 columns: names are folded if needed, numbers never.
    """
    table = Table(**PLAIN)
    table.add_column("framework, spec", overflow="fold", min_width=12)
    for heading in ("formula", "actual", "difference", "ms", "MB"):
        table.add_column(heading, justify=RIGHT, no_wrap=True)
    for name in dict.fromkeys(result.framework for result in results):
        own = [result for result in results if result.framework == name]
        table.add_row(escape(f"{name} {own[0].version}"), style="bold")
        for result in own:
            if result.model or result.status == "broken":
                table.add_row(*map(escape, _line(result)))
        for family in FAMILIES:
            if random := [result for result in own if _random_of(family, result)]:
                table.add_row(*map(escape, _summary(family, random)))
        table.add_section()
    return table


def _random_of(family: str, result: Result) -> bool:
    """Return whether this is the result of a random spec of ``family`` that was built."""
    counted = not result.model and result.report is not None
    return counted and result.spec is not None and family_of(result.spec).name == family


def _line(result: Result) -> tuple[str, ...]:
    report = result.report
    if report is None:
        return f"  {path_text(result.model)}".rstrip(), "", result.status
    difference = f"{report.difference:+,}" if report.difference else "0"
    if result.status == "different" and not report.difference:
        difference = "0, shapes"
    return (
        f"  {path_text(result.model)}",
        f"{report.formula:,}",
        f"{report.actual:,}",
        difference,
        f"{result.milliseconds:,.1f}",
        _megabytes(result),
    )


def _summary(family: str, results: Sequence[Result]) -> tuple[str, ...]:
    """Return one line for random specs: sums, how many differ, mean time, last peak memory."""
    reports = [result.report for result in results if result.report]
    different = sum(result.failed for result in results)
    return (
        f"  {len(results)} random {family} specs",
        f"{sum(report.formula for report in reports):,}",
        f"{sum(report.actual for report in reports):,}",
        f"{different} differ" if different else "0",
        f"{sum(result.milliseconds for result in results) / len(results):,.1f}",
        _megabytes(results[-1]),
    )


def _megabytes(result: Result) -> str:
    return f"{result.peak_mb:,.0f}" if result.peak_mb else ""


def proof_table(proofs: Sequence[Proof]) -> Table:
    """Return a section per framework, with the proof or the failure of each family or model."""
    table = Table(**PLAIN)
    what = "model" if any(proof.model for proof in proofs) else "family"
    table.add_column(f"framework, {what}", overflow="fold", min_width=12)
    table.add_column("number of trainable parameters", overflow="fold")
    for heading in ("builds", "seconds"):
        table.add_column(heading, justify=RIGHT, no_wrap=True)
    for _, group in groupby(proofs, key=lambda proof: proof.framework):
        own = list(group)
        heading = f"{own[0].framework} {own[0].version}"
        about = own[0].status if own[0].status == "broken" else ""
        table.add_row(escape(heading), about, "", "", style="bold")
        for proof in own:
            for row in _proof_rows(proof):
                table.add_row(*map(escape, row))
        table.add_section()
    return table


def _proof_rows(proof: Proof) -> Iterator[tuple[str, ...]]:
    """Yield the polynomial that was recovered, and the formula if that is a different one."""
    if proof.status == "not expressible":
        yield f"  {path_text(proof.about)}", f"{proof.status}: {proof.reason}", "", ""
    elif proof.status != "broken":
        cost = (f"{proof.builds:,}", f"{proof.seconds:.1f}")
        yield f"  {path_text(proof.about)}", f"{proof.status}: {_scope(proof)}", *cost
        same = proof.residual == "0"
        for name in ("recovered",) if same else ("recovered", "formula", "residual"):
            yield f"    {name}", getattr(proof, name), "", ""


def _scope(proof: Proof) -> str:
    """Return the sizes and combinations of parts for which the count was proved."""
    fixed = [f"{letter} = {size}" for letter, size in proof.known.items()]
    number = len(proof.parts)
    plural = "s" * (number > 1)
    return ", ".join([*fixed, f"{number} combination{plural} of parts", *proof.conditions])


def frameworks_table(frameworks: Sequence[Framework]) -> Table:
    """Return the frameworks with their versions, or with the command that installs them."""
    table = Table("framework", "installed", "missing", **PLAIN)
    # A truncated command could not be copied.
    table.add_column("how to install it", overflow="fold")
    for framework in frameworks:
        versions = framework.versions().items()
        table.add_row(
            framework.name,
            ", ".join(f"{name} {version}" for name, version in versions if version),
            ", ".join(framework.missing),
            escape(framework.how_to_get) if framework.missing else "",
        )
    return table
