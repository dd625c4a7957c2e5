"""The difference between the count and a user-supplied formula, as algebra.

The formula is called with symbols for the sizes, once for each combination of the family's parts,
since it may branch on a part, such as a pooler. The resulting expression is then compared with the
formula's counts at random sizes, since a formula may also branch on a size, or round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, TypeAlias

from paramproof.algebra.symbols import folded, heads_only, in_order, sizes_of
from paramproof.formulas import Family, Report, Spec
from paramproof.formulas.comparison import totals
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.formulas.printing import MINUS
from paramproof.proof.cases import Case, case_of, cases
from paramproof.proof.indicator_basis import polynomial_in_indicators
from paramproof.random_specs import random_spec
from paramproof.user_formulas.parameters import ModelValues
from paramproof.user_formulas.signature import TOTAL, UserFormula

Algebra: TypeAlias = Mapping[str, Mapping[Case, Expression]]
"""The expression of each component of a formula, for each combination of parts."""


class NotArithmetic(ValueError):
    """Raised if a formula cannot be written as an expression; the message says why."""


def difference(formula: UserFormula, spec: Spec, report: Report) -> Iterator[str]:
    """Yield the spec as code, both counts of each component that differs, and the algebra."""
    counts = formula.counts(spec)
    yield f"spec = {spec!r}"
    for row in report.rows:
        name = "" if row.path == TOTAL else f"   {row.path}"
        expected = counts[row.path]
        yield totals(expected + row.difference, expected) + name
    yield from residual(formula, spec, report)


def residual(formula: UserFormula, spec: Spec, report: Report) -> list[str]:
    """Return a line of algebra for each component of ``report`` that differs at ``spec``.

    ``report`` compares a model that was built. The expression of its count is this project's own,
    and used only if it gives that model's number. If not, the line says so.
    """
    family = family_of(spec)
    symbolic = _Symbolic(family)
    try:
        theirs = _algebra(formula, symbolic)
    except NotArithmetic as error:
        return [f"no algebra: {error}"]
    lines = []
    for row in report.rows:
        component = "" if row.path == TOTAL else row.path
        ours = {case: symbolic.total(case, component) for case in symbolic.specs}
        missing = polynomial_in_indicators(
            {case: ours[case] - theirs[row.path][case] for case in ours}
        )
        name = "" if row.path == TOTAL else f"   {row.path}"
        if missing.substitute(symbolic.numbers(spec)) == row.difference:
            printed = folded(missing) if heads_only(family.letters) else missing
            shown = text(in_order(printed, family.letters))
            lines.append(f"actual {MINUS} formula = {shown}{name}")
        else:
            lines.append(f"no algebra: this framework does not have paramproof's count{name}")
    return lines


class _Symbolic:
    """Specs of a family with a symbol for each size, one for each combination of its parts.

    A spec would refuse a symbol as a size, so these are made without validation.
    """

    def __init__(self, family: Family) -> None:
        self.family = family
        # In the case with most free sizes, fields that may differ have different letters.
        by_size = sorted(cases(family), key=lambda case: len(case.free))
        self.names = by_size[-1].fields
        of_parts = {tuple(case.parts.values()): case for case in by_size}
        self.specs = {case: self._spec(case) for case in of_parts.values()}

    def total(self, case: Case, component: str) -> Expression:
        """Return this project's count of ``component`` for the parts of ``case``."""
        return expression(self.family.inventory(self.specs[case].letters()).total(component))

    def numbers(self, spec: Spec) -> dict[str, int]:
        """Return the sizes and parts of ``spec`` by symbol."""
        fields = {name: getattr(spec, field) for field, name in self.names.items()}
        return fields | spec.letters()._asdict() | sizes_of(spec)

    def _spec(self, case: Case) -> Any:
        sizes = {field: letter(name) for field, name in self.names.items()}
        if heads_only(self.family.letters):
            sizes["hidden_size"] = letter("A") * letter("K")
        spec: Any = object.__new__(self.family.spec)
        for field, value in {**sizes, **case.flags}.items():
            object.__setattr__(spec, field, value)
        return spec


def _algebra(formula: UserFormula, symbolic: _Symbolic) -> Algebra:
    """Return the formula in letters, or raise ``NotArithmetic``."""
    by_case: dict[Case, dict[str, Expression]] = {}
    for case, spec in symbolic.specs.items():
        try:
            values = formula.by_component(ModelValues.of(spec), symbolic.family, "symbols")
            by_case[case] = {name: expression(value) for name, value in values.items()}
        except (ValueError, TypeError) as error:
            reason = str(error.__cause__ or error)
            raise NotArithmetic(f"{formula.name} does not take symbols ({reason})") from error
    names = {name for values in by_case.values() for name in values}
    if any(set(values) != names for values in by_case.values()):
        raise NotArithmetic(f"{formula.name} counts different components when a part is absent")
    algebra = {name: {case: by_case[case][name] for case in by_case} for name in names}
    _require_the_same_numbers(formula, algebra, symbolic)
    return algebra


def _require_the_same_numbers(formula: UserFormula, algebra: Algebra, symbolic: _Symbolic) -> None:
    random = Random(0)
    for _ in range(25):
        spec = random_spec(random, symbolic.family.name)
        case, numbers = case_of(spec, symbolic.specs), symbolic.numbers(spec)
        for name, count in formula.counts(spec).items():
            if algebra[name][case].substitute(numbers) != count:
                raise NotArithmetic(f"{formula.name} counts symbols and numbers differently")
