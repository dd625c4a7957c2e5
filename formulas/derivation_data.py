"""Convert expressions and derivations to JSON data and back, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from paramproof.formulas.computed import Computed
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import (
    Consequence,
    Derivation,
    DerivedTensor,
    Evidence,
    Outcome,
    StatedCondition,
)
from paramproof.formulas.division import Quotient
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.notation import text
from paramproof.formulas.parsing import expression_in


def expression_data(one: Expression) -> list[Any]:
    """Return an expression as its terms: ``[[4, [["H", 2], ["L", 1]]], …]``.

    A quotient is ``{"floor": [numerator, denominator]}``, a fraction ``"1/2"``, and a ``Computed``
    number ``{"computed": "int(H × 0.7)"}``.
    """
    return [
        [
            number if isinstance(number, int) else str(number),
            [[_atom_data(atom), power] for atom, power in powers],
        ]
        for powers, number in one.terms.items()
    ]


def expression_from(data: list[Any]) -> Expression:
    """Return the expression in the data of ``expression_data``."""
    total = Expression()
    for number, powers in data:
        product = expression(Fraction(number))
        for atom, power in powers:
            product = product * _atom_from(atom) ** power
        total = total + product
    return total


def _atom_data(atom: Any) -> Any:
    if isinstance(atom, Quotient):
        return {"floor": [expression_data(atom.numerator), expression_data(atom.denominator)]}
    if isinstance(atom, Computed):
        return {"computed": str(atom)}
    return atom


def _atom_from(data: Any) -> Expression:
    if isinstance(data, str):
        return letter(data)
    if "computed" in data:
        return expression_in(data["computed"])
    top, bottom = map(expression_from, data["floor"])
    return Expression({((Quotient(top, bottom), 1),): 1})


def derivation_data(derivation: Derivation) -> dict[str, Any]:
    """Return a derivation as data for ``json.dumps``, with expressions as text and as terms."""
    return {
        "name": derivation.name,
        "status": derivation.status_at(derivation.sizes),
        "reasons": list(derivation.reasons_at(derivation.sizes)),
        "proved_where": None if derivation.proved_where is None else list(derivation.proved_where),
        "formula": text(derivation.formula),
        "parameters": derivation.count(derivation.sizes),
        "sizes": dict(derivation.sizes),
        "fields": dict(derivation.fields),
        "terms": expression_data(derivation.formula),
        "tensors": [
            {
                "path": tensor.path,
                "shape": [text(length) for length in tensor.shape],
                "times": text(tensor.times),
                "role": tensor.role,
                "aliases": list(tensor.aliases),
                "traced": tensor.traced,
                "looped": tensor.looped,
                "data": [expression_data(one) for one in (*tensor.shape, tensor.times)],
            }
            for tensor in derivation.tensors
        ],
        "conditions": [
            {
                **_condition_data(stated.condition),
                "outside": str(stated.consequence),
                "outcome": stated.consequence.outcome.name,
                "why": stated.consequence.why,
                "places": [list(place) for place in stated.places],
            }
            for stated in derivation.conditions
        ],
        "fixed": list(derivation.fixed),
        "inert": list(derivation.inert),
        "unread": list(derivation.unread),
        "unexplained": list(derivation.unexplained),
        "harmless": [_condition_data(condition) for condition in derivation.irrelevant_guards],
        "doubts": list(derivation.caveats),
        "evidence": asdict(derivation.evidence),
        "validated": {name: list(sizes) for name, sizes in derivation.validated.items()},
    }


def derivation_from(data: Mapping[str, Any]) -> Derivation:
    """Return the derivation in the data of ``derivation_data``."""
    return Derivation(
        data["name"],
        data["sizes"],
        data["fields"],
        tuple(_tensor_from(tensor) for tensor in data["tensors"]),
        tuple(_stated_from(stated) for stated in data["conditions"]),
        tuple(data["fixed"]),
        tuple(data["inert"]),
        tuple(data["unread"]),
        tuple(data["unexplained"]),
        tuple(map(_condition_from, data["harmless"])),
        tuple(data["doubts"]),
        Evidence(**data["evidence"]),
        {name: (low, high) for name, (low, high) in data.get("validated", {}).items()},
    )


def _tensor_from(data: Mapping[str, Any]) -> DerivedTensor:
    *shape, times = map(expression_from, data["data"])
    aliases = tuple(data["aliases"])
    how = data["traced"], data["looped"]
    return DerivedTensor(data["path"], tuple(shape), times, data["role"], aliases, *how)


def _condition_data(condition: Condition) -> dict[str, Any]:
    return {
        "holds_where": str(condition),
        "relation": condition.relation.name,
        "holds": condition.holds,
        "left": expression_data(condition.left),
        "right": expression_data(condition.right),
    }


def _condition_from(data: Mapping[str, Any]) -> Condition:
    left, right = expression_from(data["left"]), expression_from(data["right"])
    return Condition(Relation[data["relation"]], left, right, data["holds"])


def _stated_from(data: Mapping[str, Any]) -> StatedCondition:
    places = tuple((file, line) for file, line in data["places"])
    consequence = Consequence(Outcome[data["outcome"]], data["why"])
    return StatedCondition(_condition_from(data), consequence, places)
