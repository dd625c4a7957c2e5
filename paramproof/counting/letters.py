"""A model in letters: its tensors, what its letters are, where its formula holds."""

from __future__ import annotations

from collections.abc import Iterator

from paramproof.algebra.symbols import size_letters, sizes_as_symbols
from paramproof.algebra.terms import Lettered, Term, latex_sum, terms
from paramproof.formulas import Spec, closed_form, inventory
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible
from paramproof.resolver import AnyModel, DerivedModel


def in_letters(model: AnyModel) -> Lettered:
    """Return a model in letters, the indicators of a family as the numbers that they are."""
    if isinstance(model, DerivedModel):
        derivation = model.derivation
        return Lettered(derivation.inventory(), derivation.sizes, fields=derivation.fields)
    letters, numbers = sizes_as_symbols(model.spec), model.spec.letters()
    closed = expression(closed_form(letters))
    return Lettered(inventory(letters), numbers._asdict(), closed)


def letters_of(model: AnyModel, formula: Expression | None = None) -> Iterator[str]:
    """Yield what a model's letters are; of a derived formula, their fields, and where it holds.

    The letters are those of ``formula``, or of the trainable parameters.
    """
    if not isinstance(model, DerivedModel):
        yield sizes_line(model.spec)
        return
    derivation = model.derivation
    asked = (stated.condition.letters for stated in derivation.conditions)
    moving = (derivation.formula if formula is None else formula).letters.union(*asked)
    known = ((name, size) for name, size in derivation.sizes.items() if name in moving)
    sizes = (f"{name} = {size} ({legible(derivation.fields[name])})" for name, size in known)
    yield ", ".join(sizes)
    if derivation.conditions:
        conditions = (str(stated.condition) for stated in derivation.conditions)
        yield f"holds where {'; '.join(conditions)}"


def sizes_line(spec: Spec) -> str:
    """What the letters are: ``L = 12, H = 768, …``."""
    letters = spec.letters()
    sizes = ((name, getattr(letters, name)) for name in size_letters(type(letters)))
    return ", ".join(f"{name} = {size}" for name, size in sizes)


def latex_of(model: Lettered) -> str:
    """The same sum as LaTeX, up to the closed form."""
    whole = model.named.total() if model.closed is None else model.closed
    return latex_sum(terms(model.named), whole)


def times_text(term: Term) -> str:
    """Return how often a term is there, ``× L``; "" for once."""
    return "" if term.times == 1 else f"× {factor(expression(term.times))}"


def factor(one: Expression) -> str:
    """Return an expression as it stands in a product: a sum in brackets."""
    return f"({text(one)})" if len(one.terms) > 1 else text(one)


def each_text(term: Term) -> str:
    """Return what one of a term has, or why there is nothing to count."""
    if term.each != 0:
        return text(term.each)
    tied = [tensor.tied_to for tensor in term.tensors if tensor.tied_to]
    return f"0: tied to {legible(tied[0])}" if tied else "0: not trainable"
