"""The difference between the count and a stranger's formula, as algebra.

The formula is called with symbols for the sizes, once for each combination of parts, since
it may branch on a part: pooler, MLM head, untied, NSP head. What it then is, is checked
against what it says for numbers: a formula may branch on a size, or round.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

from paramproof.formulas import EncoderLetters, EncoderSpec, Report, inventory
from paramproof.formulas.spec import Quantity
from paramproof.random_specs import random_spec
from paramproof.user_formulas.signature import TOTAL, UserFormula, symbolic_value

MINUS = "\N{MINUS SIGN}"
SIZES = ("L", "H", "A", "F", "V", "P", "T")
OUTER = ("L", "pooler", "mlm", "untied", "nsp")
"""Letters that a residual is sorted by: how many layers, and which parts."""


class NotArithmetic(ValueError):
    """There is no algebra of this formula; the message says why."""


def residual(formula: UserFormula, spec: EncoderSpec, report: Report) -> list[str]:
    """A line of algebra for each component of ``report`` that differs at ``spec``.

    ``report`` is of a real model. The count as algebra is this project's own, and believed
    only where it gives that model's number. Lines say so where there is no algebra.
    """
    try:
        import sympy
    except ModuleNotFoundError:
        return ["no algebra: SymPy is not installed"]
    letters = EncoderLetters(
        *sympy.symbols(" ".join(EncoderLetters._fields), integer=True, nonnegative=True)
    )
    try:
        theirs = _algebra(formula, letters)
    except NotArithmetic as error:
        return [f"no algebra: {error}"]
    lines = []
    for row in report.rows:
        component = "" if row.path == TOTAL else row.path
        difference = sympy.expand(inventory(letters).total(component) - theirs[row.path])
        numbers = dict(zip(letters, spec.letters(), strict=True))
        name = "" if row.path == TOTAL else f"   {row.path}"
        if difference.subs(numbers) == row.difference:
            lines.append(f"actual {MINUS} formula = {written(difference, letters)}{name}")
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
        numbers = dict(zip(letters, spec.letters(), strict=True))
        for name, count in formula.counts(spec).items():
            if (algebra[name] + 0 * letters.L).subs(numbers) != count:
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


def written(expression: Quantity, letters: EncoderLetters) -> str:
    """A SymPy polynomial as one writes it: ``L·(9·H + F) + 2·H``; others as SymPy does."""
    import sympy

    if not expression.is_polynomial(*letters):
        return str(expression).replace("**2", "²").replace("*", "·")
    outer = [getattr(letters, name) for name in OUTER]
    terms: list[tuple[bool, str]] = []
    for powers, inner in sympy.Poly(expression, *outer).terms():
        factor = _product(1, zip(outer, powers, strict=True))
        terms += (
            _terms(inner, letters) if factor == "1" else [_times(factor, _terms(inner, letters))]
        )
    return _sum(terms)


def _terms(expression: Quantity, letters: EncoderLetters) -> list[tuple[bool, str]]:
    """Monomials as (negative, text)."""
    import sympy

    sizes = [getattr(letters, name) for name in SIZES if name != "L"]
    return [
        (bool(coefficient < 0), _product(abs(coefficient), zip(sizes, powers, strict=True)))
        for powers, coefficient in sympy.Poly(expression, *sizes).terms()
    ]


def _times(factor: str, terms: list[tuple[bool, str]]) -> tuple[bool, str]:
    """``factor`` times the sum of ``terms``, with a minus that they share before it."""
    negative = all(minus for minus, _ in terms)
    inner = _sum([(minus and not negative, text) for minus, text in terms])
    if inner == "1":
        return negative, factor
    if len(terms) > 1:
        return negative, f"{factor}·({inner})"
    number = inner.partition("·")[0]
    if number.isdigit():
        return negative, f"{number}·{factor}" + inner.removeprefix(number)
    return negative, f"{factor}·{inner}"


def _sum(terms: list[tuple[bool, str]]) -> str:
    (minus, first), *rest = terms
    signed = [f" {MINUS if minus else '+'} {text}" for minus, text in rest]
    return "".join([MINUS if minus else "", first, *signed])


def _product(coefficient: Any, powers: Any) -> str:
    superscript = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    factors = [
        str(symbol) + (str(power).translate(superscript) if power > 1 else "")
        for symbol, power in powers
        if power
    ]
    return "·".join(factors if coefficient == 1 and factors else [str(coefficient), *factors])
