"""The count of an explanation as a formula, in the letters of the model."""

from __future__ import annotations

from paramproof.algebra.symbols import size_letters, sizes_as_symbols
from paramproof.explanation.explanation import (
    Explanation,
    Part,
    spec_of,
    usual_estimate,
)
from paramproof.formulas import Inventory, inventory
from paramproof.formulas.active import ACTIVE_CONVENTIONS, active
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import counted, size
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.notation import text
from paramproof.formulas.path import lies_in
from paramproof.formulas.spec import FamilyLetters, Quantity, Spec


def in_letters(explanation: Explanation, architecture: Architecture) -> Expression:
    """Return the count of ``explanation`` as a polynomial."""
    if explanation.active:
        return expression(size(ACTIVE_CONVENTIONS[explanation.active](active(architecture))))
    spec = architecture.spec
    if spec is None:
        total = _sum(explanation, architecture.inventory())
        changed, fields = dict(explanation.sizes), architecture.fields
        return total.substitute({n: letter(f"{n}'") for n in fields if fields[n] in changed})
    letters = symbols(spec, explanation)
    named, sizes = inventory(letters), letters._asdict()
    if explanation.heads:
        named = explanation.heads.on(named)
    return _sum(explanation, named, sizes.get("A", 1))


def _sum(explanation: Explanation, named: Inventory, heads: Quantity = 1) -> Expression:
    total = Expression()
    for part in explanation.parts:
        times = part.times * ((heads - 1) if part.per_head_full_width else 1)
        for tensor in counted(named, *part.conventions):
            if lies_in(tensor.path, part.component):
                total += times * tensor.present * tensor.size * (1 if part.one else tensor.repeat)
    return total


def beyond(explanation: Explanation, architecture: Architecture) -> Expression:
    """Return the difference between ``explanation`` and the component that it begins with."""
    return in_letters(explanation, architecture) - in_letters(reference(explanation), architecture)


def reference(explanation: Explanation) -> Explanation:
    """Return the component that ``explanation`` begins with, in the unchanged model."""
    first = explanation.parts[0]
    return Explanation((Part(first.component, first.one),), 1)


def symbols(spec: Spec, explanation: Explanation | None = None) -> FamilyLetters:
    """Return the letters of ``spec``: a symbol for each size, a number for each indicator.

    Equal numbers of heads (G = A) and equal vocabularies (U = V) share a symbol; with G = A and
    A·K = H, K is written as H/A. A size that ``explanation`` changes has a prime.
    """
    if explanation and explanation.as_estimate:
        usual = symbols(usual_estimate(spec))
        return usual._replace(F=4 * usual._asdict()["H"])
    changed = spec_of(explanation, spec) if explanation else spec
    own = sizes_as_symbols(changed)._asdict()
    numbers, other = spec.letters()._asdict(), changed.letters()._asdict()
    for name in size_letters(type(spec.letters())):
        if other[name] != numbers[name]:
            own[name] = letter(f"{name}'")
    if "U" in numbers and numbers["U"] == numbers["V"]:
        own["U"] = own["V"]
    if "G" in numbers and numbers["G"] == numbers["A"]:
        own["G"] = own["A"]
        if numbers["A"] * numbers["K"] == numbers["H"]:
            own["K"] = own["H"] / own["A"]
    return spec.letters()._replace(**own)


def in_powers(residual: int, architecture: Architecture) -> str:
    """Return an unexplained difference in powers of the hidden size: ``−3·H² + 12·H − 5``."""
    if (hidden := architecture.sizes.get("H", 0)) == 0:
        return text(residual)
    square, rest = _nearest(residual, hidden * hidden)
    linear, units = _nearest(rest, hidden)
    symbol = letter("H")
    return text(square * symbol**2 + linear * symbol + units)


def _nearest(number: int, step: int) -> tuple[int, int]:
    times = (2 * number + step) // (2 * step)
    return times, number - times * step
