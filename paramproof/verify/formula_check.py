"""Compare a user's formula with models: by the counts of components, and in letters.

The model that a framework builds is compared with this project's formula, tensor by tensor. That
gives the actual count of every component: our own, plus what differs in it. A difference from the
user's count is explained in letters: the formula is called with symbols for the sizes, and its
expression is used only if it has the formula's own counts at random sizes, since a formula may
branch or round.

The formula of a model without a family is compared with the derived one, at sizes that meet its
guards, and in letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from paramproof.algebra.symbols import (
    FamilyArchitecture,
    folded_text,
    sizes_as_symbols,
    sizes_of,
    with_head_size,
)
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas import Inventory, Report, Row, Spec, inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.comparison import totals
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.formulas.parsing import expression_in
from paramproof.formulas.path import LAYER, has_layer, lies_in
from paramproof.formulas.printing import MINUS
from paramproof.formulas.spec import INDICATOR, letter_kinds
from paramproof.random_specs import random_spec
from paramproof.verify.user_formula import (
    TOTAL,
    FormulaReference,
    ModelValues,
    UserFormula,
    lies_inside,
)
from paramproof.verify.workers import FormulaRefused

SAMPLES = 25
"""Random specs at which an expression must have the counts of its formula."""


def compare_counts(expected: Mapping[str, int], spec: Spec, report: Report) -> Report:
    """Compare a formula's counts with a model's, and return a row for each that differs.

    ``report`` compares the model with our formula. The component ``layers`` counts all layers,
    ``layers.*`` one of them; if layers differ, the first that does not match the formula is
    compared. In a model without layers, counts of one layer are not compared. The totals add up
    the components that lie in no other component.
    """
    ours = inventory(spec.letters())
    layers = {name: _layers(name, spec) for name in expected}
    actual = {
        name: next((n for n in _counts(name, ours, layers[name], report) if n != number), number)
        for name, number in expected.items()
    }
    rows = tuple(
        Row("wrong count", name, None, None, None, actual[name] - number)
        for name, number in expected.items()
        if actual[name] != number
    )
    outer = [name for name in expected if not any(lies_inside(name, other) for other in expected)]
    return Report(
        formula=sum(expected[name] * layers[name] for name in outer),
        actual=sum(actual[name] * layers[name] for name in outer),
        rows=rows,
    )


def _layers(component: str, spec: Spec) -> int:
    """Return how many layers have ``component``, 1 if it is not in a layer."""
    inside = (t for t in inventory(spec.letters()) if lies_in(t.path, component))
    return next(inside).repeat if has_layer(component) else 1


def _counts(name: str, ours: Inventory, layers: int, report: Report) -> Iterator[int]:
    """Yield the trainable parameters in a component, for each layer that has it."""
    component = "" if name == TOTAL else name
    for number in range(layers):
        here = component.replace(LAYER, str(number), 1) if has_layer(component) else component
        rows = (
            row for row in report.rows if lies_in(row.path, here) or lies_in(row.path, component)
        )
        yield ours.total(component) + sum(row.difference for row in rows)


def difference(formula: UserFormula, spec: Spec, report: Report) -> Iterator[str]:
    """Yield the spec as code, both counts of each component that differs, and the algebra."""
    counts = formula.counts(spec)
    yield f"spec = {spec!r}"
    for row in report.rows:
        yield totals(counts[row.path] + row.difference, counts[row.path]) + _named(row)
    yield from residual(formula, spec, report)


def residual(formula: UserFormula, spec: Spec, report: Report) -> list[str]:
    """Return a line of algebra for each component of ``report`` that differs at ``spec``.

    ``report`` compares a model that was built. The expression of its count is this project's own,
    for the parts of ``spec``, and used only if it gives that model's number. If not, the line says
    so.
    """
    family = family_of(spec)
    theirs = _in_letters(formula, spec)
    if isinstance(theirs, str):
        return [f"no algebra: {formula.name} {theirs}"]
    ours = inventory(with_head_size(sizes_as_symbols(spec)))
    lines = []
    for row in report.rows:
        missing = ours.total("" if row.path == TOTAL else row.path) - theirs[row.path]
        if expression(missing).substitute(_numbers(spec)) == row.difference:
            line = f"actual {MINUS} formula = {folded_text(missing, family.letters)}"
        else:
            line = "no algebra: this framework does not have paramproof's count"
        lines.append(line + _named(row))
    return lines


def _named(row: Row) -> str:
    return "" if row.path == TOTAL else f"   {row.path}"


def _in_letters(formula: UserFormula, spec: Spec) -> Mapping[str, Expression] | str:
    """Return the formula in letters, by component, for the parts of ``spec``, or why not."""
    family = family_of(spec)
    try:
        called = formula.by_component(_in_symbols(spec), family)
        theirs = {name: expression(value) for name, value in called.items()}
    except (ValueError, TypeError) as error:
        return f"does not take symbols ({error.__cause__ or error})"
    random, parts = Random(0), _parts(spec)
    drawn = (random_spec(random, family.name) for _ in range(100 * SAMPLES))
    for other in islice((one for one in drawn if _parts(one) == parts), SAMPLES):
        numbers = _numbers(other)
        if formula.counts(other) != {n: one.substitute(numbers) for n, one in theirs.items()}:
            return "counts symbols and numbers differently"
    return theirs


def _parts(spec: Spec) -> dict[str, int]:
    kinds = letter_kinds(family_of(spec).letters)
    return {n: one for n, one in spec.letters()._asdict().items() if kinds[n] == INDICATOR}


def _in_symbols(spec: Spec) -> ModelValues:
    """Return the values of ``spec``, with symbols for its sizes.

    A spec would refuse a symbol as a size, so this one is made without validation.
    """
    letters = with_head_size(sizes_as_symbols(spec))
    made: Any = object.__new__(type(spec))
    fields = {name: getattr(spec, name) for name in family_of(spec).field_names}
    for name, field in FamilyArchitecture.of(spec).fields.items():
        fields[field] = letters._asdict()[name]
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return ModelValues(made, letters._asdict(), fields)


def _numbers(spec: Spec) -> dict[str, int]:
    """Return the sizes and parts of ``spec`` by symbol."""
    return spec.letters()._asdict() | sizes_of(spec)


class Comparison(NamedTuple):
    sizes: Mapping[str, int]
    derived: int
    theirs: int

    @property
    def equal(self) -> bool:
        return self.derived == self.theirs


def compare_at_sizes(
    formula: FormulaReference, architecture: Architecture, examples: int, seed: int
) -> tuple[list[Comparison], str]:
    """Compare both counts at the model's own sizes, and at random sizes that meet its guards.

    Return the comparisons, and the first difference in letters, "" if all are equal. Raises
    ``FormulaRefused``.
    """
    random = Random(seed)
    drawn = (sample_inside(random, architecture) for _ in range(examples))
    sizes = [architecture.sizes, *(one for one in drawn if one and architecture.has(one))]
    found = [
        Comparison(one, architecture.at(one).formula.evaluate(one), theirs)
        for one, theirs in zip(sizes, formula.at(architecture.fields, sizes), strict=True)
    ]
    worst = next((one for one in found if not one.equal), None)
    return found, _algebra(formula, architecture, worst) if worst else ""


def _algebra(formula: FormulaReference, architecture: Architecture, worst: Comparison) -> str:
    """Return what the user's formula lacks, in letters, or why no algebra is possible.

    The formula is called with letters in place of sizes. Its result is used only if it gives the
    same difference at the sizes of ``worst`` as the formula gives for ints.
    """
    try:
        missing = architecture.formula - expression_in(formula.in_letters(architecture.fields))
    except FormulaRefused as error:
        return f"no algebra: {error}"
    except ValueError as error:  # Its numbers have too many digits, or it is too long.
        return f"no algebra: {formula.name}: {error}"
    if missing.evaluate(worst.sizes) != worst.derived - worst.theirs:
        return f"no algebra: {formula.name} counts letters and numbers differently"
    return f"actual {MINUS} formula = {text(missing)}"
