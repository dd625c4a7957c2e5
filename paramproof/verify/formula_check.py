"""Compare a user's formula with models: by the counts of components, and in letters.

A framework's model is counted component by component, from its weights alone. A difference is then
explained in letters: the formula is called with symbols for the sizes, and its expression is used
only if it gives the formula's own counts at random sizes, since a formula may branch or round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from random import Random
from typing import Any

from paramproof.algebra.symbols import folded, heads_only, in_order, sizes_of, with_head_size
from paramproof.builders.protocol import Builder
from paramproof.formulas import Family, Report, Row, Spec, Weight, inventory
from paramproof.formulas.comparison import totals
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.families import family_of
from paramproof.formulas.notation import text
from paramproof.formulas.path import LAYER, has_layer, layer_of, lies_in, stack_of, starred
from paramproof.formulas.printing import MINUS
from paramproof.formulas.spec import INDICATOR, letter_kinds
from paramproof.random_specs import random_spec
from paramproof.verify.cases import cases
from paramproof.verify.user_formula import TOTAL, ModelValues, UserFormula, components

SAMPLES = 25
"""Random specs at which an expression must have the counts of its formula."""


def report_on(builder: Builder, formula: UserFormula, spec: Spec) -> Report:
    """Compare the formula's counts with those of the model that the framework builds."""
    # The formula comes first: it fails faster than a build.
    expected = formula.counts(spec)
    layers = {stack: t.repeat for t in inventory(spec.letters()) if (stack := stack_of(t.path))}
    return compare_counts(expected, builder.build(spec).weights(), layers)


def compare_counts(
    expected: Mapping[str, int], weights: Iterable[Weight], layers: Mapping[str, int]
) -> Report:
    """Compare a formula's counts with a model's, and return a row for each that differs.

    ``layers`` maps the path of each stack to its number of layers. The component ``layers`` counts
    all layers, ``layers.*`` one of them; if layers differ, the first that does not match the
    formula is compared. In a model without layers, counts of one layer are not compared. The
    totals of the report add up the components that lie in no other component.
    """
    stored = [weight for weight in weights if weight.trainable and weight.size]
    actual = {
        name: next((n for n in _counts(stored, name, layers) if n != number), number)
        for name, number in expected.items()
    }
    rows = tuple(
        Row("wrong count", name, None, None, None, actual[name] - expected[name])
        for name in expected
        if actual[name] != expected[name]
    )
    outer = [name for name in expected if not any(_inside(name, other) for other in expected)]
    times = {name: layers[_stack(name)] if has_layer(name) else 1 for name in outer}
    return Report(
        formula=sum(expected[name] * times[name] for name in outer),
        actual=sum(actual[name] * times[name] for name in outer),
        rows=rows,
    )


def uncounted(named: Iterable[str], family: Family) -> tuple[str, ...]:
    """Return the top-level components that the components ``named`` do not cover completely."""
    named = tuple(named)
    paths = [path for path in components(family) if path != TOTAL]
    tensors = [path for path in paths if not any(_inside(other, path) for other in paths)]
    left = [path for path in tensors if not any(_lies_in(path, name) for name in named)]
    return tuple(dict.fromkeys(path.split(".")[0] for path in left))


def _counts(weights: list[Weight], component: str, layers: Mapping[str, int]) -> list[int]:
    """Return the trainable parameters in ``component``: one number, or one for each layer."""
    if not has_layer(component):
        return [sum(_share(weight, component) for weight in weights)]
    number = layers[_stack(component)]
    counts = [0] * number
    for weight in weights:
        share = _share(weight, component)
        if share and weight.stacked:
            counts = [count + share // number for count in counts]
        elif share:
            counts[layer_of(weight.parts[0]) or 0] += share
    return counts


def _share(weight: Weight, component: str) -> int:
    """Return the number of a weight's entries that belong to ``component``.

    Parts fused in one weight are assumed to be equal. Queries, keys and values are: where a
    framework fuses them, they have the same width.
    """
    if component == TOTAL:
        return weight.size
    inside = sum(_lies_in(part, component) for part in weight.parts)
    return weight.size * inside // max(1, len(weight.parts))


def _stack(component: str) -> str:
    """Return the path of the stack to which a layer, or a component in it, belongs."""
    return component.partition(f".{LAYER}")[0]


def _lies_in(part: str, component: str) -> bool:
    return component == TOTAL or lies_in(starred(part), component)


def _inside(name: str, other: str) -> bool:
    return name != other and (other == TOTAL or lies_in(name, other))


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
    and used only if it gives that model's number. If not, the line says so. Parts are letters, too,
    if the formula can be called so; if not, both are compared with the parts of ``spec``.
    """
    family = family_of(spec)
    kinds = letter_kinds(family.letters)
    parts = {n: one for n, one in spec.letters()._asdict().items() if kinds[n] == INDICATOR}
    for fixed in ({}, parts):
        values = _in_symbols(spec, fixed)
        theirs = _algebra(formula, values, family, fixed)
        if not isinstance(theirs, str):
            break
    else:
        return [f"no algebra: {formula.name} {theirs}"]
    lines = []
    for row in report.rows:
        ours = family.inventory(values.letters).total("" if row.path == TOTAL else row.path)
        missing = expression(ours) - theirs[row.path]
        if missing.substitute(_numbers(spec)) == row.difference:
            printed = folded(missing) if heads_only(family.letters) else missing
            line = f"actual {MINUS} formula = {text(in_order(printed, family.letters))}"
        else:
            line = "no algebra: this framework does not have paramproof's count"
        lines.append(line + _named(row))
    return lines


def _named(row: Row) -> str:
    return "" if row.path == TOTAL else f"   {row.path}"


def _algebra(
    formula: UserFormula, values: ModelValues, family: Family, parts: Mapping[str, int]
) -> Mapping[str, Expression] | str:
    """Return the formula in letters, by component, or why there is none."""
    try:
        called = formula.by_component(values, family)
        theirs = {name: expression(value) for name, value in called.items()}
    except (ValueError, TypeError) as error:
        return f"does not take symbols ({error.__cause__ or error})"
    random = Random(0)
    drawn = (random_spec(random, family.name) for _ in range(100 * SAMPLES))
    alike = (one for one in drawn if parts.items() <= one.letters()._asdict().items())
    for spec in islice(alike, SAMPLES):
        numbers = _numbers(spec)
        if formula.counts(spec) != {n: one.substitute(numbers) for n, one in theirs.items()}:
            return "counts symbols and numbers differently"
    return theirs


def _in_symbols(spec: Spec, parts: Mapping[str, int]) -> ModelValues:
    """Return symbols for the sizes of ``spec`` and for its parts, except the given ``parts``.

    A spec would refuse a symbol as a size, so this one is made without validation.
    """
    family = family_of(spec)
    letters = with_head_size(family.letters._make(map(letter, family.letters._fields)))
    letters = letters._replace(**parts)
    fields = {name: getattr(spec, name) for name in family.field_names}
    fields |= {field: letter(name) for field, name in _letter_of_field(family).items()}
    if heads_only(family.letters):
        fields["hidden_size"] = letters._asdict()["H"]
    made: Any = object.__new__(family.spec)
    for field, value in fields.items():
        object.__setattr__(made, field, value)
    return ModelValues(made, letters._asdict(), fields, letters)


@cache
def _letter_of_field(family: Family) -> Mapping[str, str]:
    # In the case with most free sizes, fields that may differ have different letters.
    return max(cases(family), key=lambda case: len(case.free)).fields


def _numbers(spec: Spec) -> dict[str, int]:
    """Return the sizes and parts of ``spec`` by symbol."""
    named = _letter_of_field(family_of(spec)).items()
    fields = {name: getattr(spec, field) for field, name in named}
    return fields | spec.letters()._asdict() | sizes_of(spec)
