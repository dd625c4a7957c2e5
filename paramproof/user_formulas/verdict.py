"""The verdict on a user-supplied formula: checks before the frameworks run, and a summary after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from paramproof.builders.registry import framework as named_framework
from paramproof.checks.result import Result
from paramproof.formulas import Family, Report, Spec
from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.counts import uncounted
from paramproof.user_formulas.difference import difference
from paramproof.user_formulas.family_choice import chosen_family, fullest_spec
from paramproof.user_formulas.signature import Formula, FormulaRefused, UserFormula
from paramproof.user_formulas.verify import verify_formula


def require_counts(formula: Formula, family: Family, models: Mapping[str, Spec]) -> None:
    """Require that ``formula`` counts each of ``models``, before any framework starts.

    All models are of ``family``, whose fullest spec the formula must count too.
    Raises ``FormulaRefused`` if it cannot count one of them.
    """
    for spec in (fullest_spec(family), *models.values()):
        formula.counts(spec)


def verdict(formula: FormulaClient, family: Family, results: Sequence[Result]) -> Iterator[str]:
    """Yield the smallest difference with its algebra, the components left out, how many agree.

    A difference that several frameworks share is printed once. Raises ``FormulaRefused`` if a
    worker could not call the formula.
    """
    for result in results:
        if result.status == "refused":
            raise FormulaRefused(result.reason)
    differences: dict[tuple[Spec, Report], list[str]] = {}
    for result in results:
        if result.smallest and result.spec and result.report:
            differences.setdefault((result.spec, result.report), []).append(result.framework)
    for (spec, report), names in differences.items():
        yield from ("", f"{', '.join(names)}: the smallest spec that differs")
        yield from formula.difference(spec, report)
        yield ""
    left = uncounted(formula.counts(fullest_spec(family)), family)
    if left:
        yield f"{formula.name} does not count: {', '.join(left)}"
    counted = [result for result in results if result.report and not result.smallest]
    equal = sum(result.status == "equal" for result in counted)
    yield f"{equal} of {len(counted)} models have the count of {formula.name}"


def assert_formula(
    function: Callable[..., Any],
    framework: str = "torch",
    *,
    family: str = "",
    examples: int = 25,
    seed: int = 0,
) -> None:
    """Assert that ``function`` counts what ``framework`` builds, over random specs.

    ``function`` takes a spec or its letters, or some letters and fields by name, and returns an
    int, or ints by component. Its parameters select the family; if they fit several, name one as
    ``family``. The framework is loaded in this process.

    Raises ``AssertionError`` with the smallest spec that differs and the algebra,
    ``FormulaRefused`` if ``function`` is not a formula, and as ``paramproof.builders.load`` does.
    """
    __tracebackhide__ = True
    chosen = named_framework(framework)
    formula = UserFormula.of(function)
    about = chosen_family(formula, (family,) if family else ())
    for result in verify_formula(chosen, chosen.load(), formula, about, {}, examples, seed):
        if result.status == "refused":
            raise FormulaRefused(result.reason)
        if result.smallest and result.spec and result.report:
            raise AssertionError("\n".join(difference(formula, result.spec, result.report)))


def without_smallest(results: Iterable[Result]) -> list[Result]:
    """Return the results for a table of all models, without those marked ``smallest``."""
    return [result for result in results if not result.smallest]
