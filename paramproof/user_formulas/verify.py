"""Verify a user-supplied formula in one framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.checking.result import Result, timed_check
from paramproof.formulas import EncoderSpec, Report
from paramproof.random_specs import random_specs
from paramproof.user_formulas.counts import compare_counts
from paramproof.user_formulas.shrink import shrink
from paramproof.user_formulas.signature import Formula, FormulaRefused


def verify_formula(
    chosen: Framework,
    builder: Builder,
    formula: Formula,
    models: Mapping[str, EncoderSpec],
    examples: int,
    seed: int,
) -> Iterator[Result]:
    """Yield a result for each named model, each random spec, and the smallest that differs.

    That last one has ``smallest`` set. Where the formula cannot be called, one result that is
    ``refused`` ends the run.
    """
    worst: list[EncoderSpec] = []
    fixed: Any = chosen.fixed
    specs = [*models.items()]
    specs += [("", spec) for spec in random_specs(builder, examples, seed, **fixed)]

    def compared(spec: Any) -> Report:
        return report_on(builder, formula, spec)

    try:
        for model, spec in specs:
            result = timed_check(chosen, builder, spec, compared, model)
            worst += [spec] if result.status == "different" else []
            yield result
        if worst:
            start = min(worst, key=lambda spec: sum(spec.letters()))
            least = shrink(start, lambda spec: differs(builder, formula, spec))
            yield replace(timed_check(chosen, builder, least, compared), smallest=True)
    except FormulaRefused as refusal:
        yield Result(chosen.name, chosen.version, "", "refused", reason=str(refusal))


def report_on(builder: Builder, formula: Formula, spec: EncoderSpec) -> Report:
    """Compare the formula's counts with those of the model that the framework builds."""
    # The formula first: it is the cheaper one to be wrong.
    expected = formula.counts(spec)
    return compare_counts(expected, builder.build(spec).weights(), spec.num_hidden_layers)


def differs(builder: Builder, formula: Formula, spec: EncoderSpec) -> bool:
    """Return whether ``builder`` can build ``spec`` and its count is not the formula's."""
    return builder.supports(spec) is True and not report_on(builder, formula, spec).equal
