"""Verify a user-supplied formula in one framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.checks.result import Result, timed_check
from paramproof.formulas import Family, Report, Spec
from paramproof.random_specs import fixed_in, random_specs, refusal
from paramproof.user_formulas.counts import compare_counts, layers_of
from paramproof.user_formulas.shrink import shrink
from paramproof.user_formulas.signature import Formula, FormulaRefused


def verify_formula(
    chosen: Framework,
    builder: Builder,
    formula: Formula,
    family: Family,
    models: Mapping[str, Spec],
    examples: int,
    seed: int,
) -> Iterator[Result]:
    """Yield a result for each named model, each random spec, and the smallest spec that differs.

    All are of ``family``. If the framework cannot express the family, one result says so in place
    of the random specs. The last result, for the smallest spec that differs, has ``smallest`` set.
    If the formula cannot be called, one ``refused`` result ends the run.
    """
    worst: list[Spec] = []
    fixed = fixed_in(family.name, chosen.fixed)
    absent = refusal(builder, family.name) if examples else ""
    number = 0 if absent else examples
    specs = [*models.items()]
    specs += [("", spec) for spec in random_specs(builder, number, seed, family.name, **fixed)]

    def compared(spec: Spec) -> Report:
        return report_on(builder, formula, spec)

    try:
        for model, spec in specs:
            result = timed_check(chosen, builder, spec, compared, model)
            worst += [spec] if result.status == "different" else []
            yield result
        if absent:
            yield Result(chosen.name, chosen.version, "", "not expressible", reason=absent)
        if worst:
            start = min(worst, key=lambda spec: sum(spec.letters()))
            least = shrink(start, lambda spec: differs(builder, formula, spec))
            yield replace(timed_check(chosen, builder, least, compared), smallest=True)
    except FormulaRefused as refused:
        yield Result(chosen.name, chosen.version, "", "refused", reason=str(refused))


def report_on(builder: Builder, formula: Formula, spec: Spec) -> Report:
    """Compare the formula's counts with those of the model that the framework builds."""
    # The formula comes first: it fails faster than a build.
    expected = formula.counts(spec)
    return compare_counts(expected, builder.build(spec).weights(), layers_of(spec))


def differs(builder: Builder, formula: Formula, spec: Spec) -> bool:
    """Return whether ``builder`` supports ``spec`` and counts differently from the formula."""
    return builder.supports(spec) is True and not report_on(builder, formula, spec).equal
