"""The difference between the count and a user-supplied formula, as algebra.

The formula is called with symbols for the sizes, once for each combination of parts, since
it may branch on a part: pooler, MLM head, untied, NSP head. What it then is, is checked
against what it says for numbers: a formula may branch on a size, or round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

from paramproof.algebra.symbols import symbols
from paramproof.formulas import EncoderLetters, EncoderSpec, Report, inventory
from paramproof.formulas.expression import expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import MINUS
from paramproof.formulas.report import totals
from paramproof.formulas.spec import Quantity
from paramproof.random_specs import random_spec
from paramproof.user_formulas.signature import TOTAL, UserFormula, symbolic_value


class NotArithmetic(ValueError):
    """There is no algebra of this formula; the message says why."""


def difference(formula: UserFormula, spec: EncoderSpec, report: Report) -> Iterator[str]:
    """Yield a spec to paste, both counts of each component that differs, the algebra."""
    counts = formula.counts(spec)
    yield f"spec = {spec!r}"
    for row in report.rows:
        name = "" if row.path == TOTAL else f"   {row.path}"
        expected = counts[row.path]
        yield totals(expected + row.difference, expected) + name
    yield from residual(formula, spec, report)


def residual(formula: UserFormula, spec: EncoderSpec, report: Report) -> list[str]:
    """A line of algebra for each component of ``report`` that differs at ``spec``.

    ``report`` is of a real model. The count as algebra is this project's own, and believed
    only where it gives that model's number. Lines say so where there is no algebra.
    """
    letters = symbols(EncoderLetters)
    try:
        theirs = _algebra(formula, letters)
    except NotArithmetic as error:
        return [f"no algebra: {error}"]
    lines = []
    for row in report.rows:
        component = "" if row.path == TOTAL else row.path
        missing = inventory(letters).total(component) - theirs[row.path]
        name = "" if row.path == TOTAL else f"   {row.path}"
        if missing.substitute(spec.letters()._asdict()) == row.difference:
            lines.append(f"actual {MINUS} formula = {text(missing)}{name}")
        else:
            lines.append(f"no algebra: this framework does not have paramproof's count{name}")
    return lines


def _algebra(formula: UserFormula, letters: EncoderLetters) -> dict[str, Quantity]:
    """The formula as polynomials in every letter, by component."""
    values: dict[tuple[int, int, int, int], dict[str, Quantity]] = {}
    for (pooler, nsp), (mlm, untied) in product(((0, 0), (1, 0), (1, 1)), repeat=2):
        chosen = letters._replace(pooler=pooler, mlm=mlm, untied=untied, nsp=nsp)
        try:
            values[pooler, mlm, untied, nsp] = symbolic_value(formula, _symbolic(chosen), chosen)
        except ValueError as error:
            reason = str(error.__cause__ or error)
            raise NotArithmetic(f"{formula.name} does not take symbols ({reason})") from error
    names = {name for found in values.values() for name in found}
    if any(set(found) != names for found in values.values()):
        raise NotArithmetic(f"{formula.name} counts other components where a part is absent")
    algebra = {name: _joined(lambda *parts: values[parts][name], letters) for name in names}  # noqa: B023
    _require_the_same_numbers(formula, algebra, letters)
    return algebra


def _joined(at: Callable[..., Quantity], letters: EncoderLetters) -> Quantity:
    """One polynomial that gives ``at(pooler, mlm, untied, nsp)`` for every combination.

    There is an NSP head only with a pooler and something to untie only with an MLM head,
    so what each adds is a difference between two neighbours.
    """

    def heads(pooler: int, nsp: int) -> Quantity:
        bare, head, own = (at(pooler, *mlm, nsp) for mlm in ((0, 0), (1, 0), (1, 1)))
        return bare + letters.mlm * (head - bare) + letters.untied * (own - head)

    bare, pooled, both = heads(0, 0), heads(1, 0), heads(1, 1)
    return bare + letters.pooler * (pooled - bare) + letters.nsp * (both - pooled)


def _require_the_same_numbers(
    formula: UserFormula, algebra: dict[str, Quantity], letters: EncoderLetters
) -> None:
    random = Random(0)
    for _ in range(25):
        spec = random_spec(random)
        numbers = spec.letters()._asdict()
        for name, count in formula.counts(spec).items():
            if expression(algebra[name]).substitute(numbers) != count:
                raise NotArithmetic(f"{formula.name} is one thing in symbols, another in numbers")


def _symbolic(letters: EncoderLetters) -> Any:
    """What looks like a spec, with symbols for its sizes."""
    return SimpleNamespace(
        vocab_size=letters.V,
        hidden_size=letters.H,
        num_hidden_layers=letters.L,
        num_attention_heads=letters.A,
        intermediate_size=letters.F,
        max_position_embeddings=letters.P,
        type_vocab_size=letters.T,
        pooler=bool(letters.pooler),
        mlm_head=bool(letters.mlm),
        tie_word_embeddings=not letters.untied,
        nsp_head=bool(letters.nsp),
        head_size=letters.H / letters.A,
        letters=lambda: letters,
    )
