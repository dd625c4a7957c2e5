"""A number explained by one model, or by all that have names."""

from __future__ import annotations

from paramproof.explanation.answer import Explanations
from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.published import totals
from paramproof.explanation.search import explain
from paramproof.formulas.derivation import Described
from paramproof.formulas.models import named_configurations, named_models
from paramproof.resolver import AnyModel, resolve


def explained(number: WrittenNumber, model: AnyModel | None = None) -> Explanations:
    """Return what explains ``number`` in ``model``, or in any that has a name."""
    named = {name: known.spec for name, known in named_models().items()}
    if model is not None:
        name = "the spec given" if model.name.startswith("{") else model.title
        return explain(number, {name: model.described}, others=named)
    answer = explain(number, named)
    whole = {} if answer.found else _all_of(number)
    return explain(number, whole) if whole else answer


def _all_of(number: WrittenNumber) -> dict[str, Described]:
    """Return the models with a configuration and a name that have an exact number of parameters.

    Their components are not searched: that takes seconds, and finds much by chance.
    """
    models = map(resolve, named_configurations())
    counts = ((one, totals(one.inventory()).values()) for one in models)
    return {one.name: one.described for one, known in counts if number.exact in known}
