"""The verdict on what is published of a model."""

from __future__ import annotations

from paramproof.explanation.published import Verdict, verdict, verdict_on_total
from paramproof.formulas.models import Published
from paramproof.resolver import Model


def verdict_on(one: Published, model: Model) -> Verdict:
    """Return the verdict on the number that is published of a model, or of its component."""
    named = model.inventory()
    if not one.component:
        return verdict_on_total(one.published, named)
    return verdict(one.published, {one.component: named.total(one.component)})
