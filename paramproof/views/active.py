"""The total parameters of a model, and those that are active for one token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from paramproof.formulas.active import ACTIVE_CONVENTIONS, active, per_token
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import Undecided, size
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible
from paramproof.resolver import Model
from paramproof.views.conventions import UNDECIDED, Verdict, verdict
from paramproof.views.formula import Lettered, in_letters
from paramproof.views.table import Column, Table, TableRow, numbers, percent


class TotalAndActive(NamedTuple):
    """The total and the active parameters of a model under a convention."""

    total: int
    active: int
    formula: Expression


ACTIVE = "embedding-and-head"
"""The default: the convention under which active parameters include all that the total includes."""

Counts: TypeAlias = dict[str, TotalAndActive | None]
"""The counts by convention, None if a convention cannot be decided.

The first is the convention under which the published number of a named model is right. If several
are, or none is, or no number is published, it is ``ACTIVE``.
"""


def active_in_letters(model: Model, convention: str = "") -> Lettered:
    """Return the active part of a model in symbols: all of it if it has no experts.

    Only what ``convention`` counts is left. Raises ``ValueError``, in one line, if names and shapes
    do not decide what is active.
    """
    named = active(model.architecture)
    named = ACTIVE_CONVENTIONS[convention](named) if convention else named
    return replace(in_letters(model), named=named, closed=None)


def active_formula(architecture: Architecture) -> Expression | None:
    """Return the formula of the active parameters, including embeddings and head.

    The result is None if names and shapes of tensors do not decide what is active.
    """
    try:
        return expression(size(ACTIVE_CONVENTIONS[ACTIVE](active(architecture))))
    except ValueError:
        return None


def total_and_active(model: Model) -> Counts:
    """Return the counts of a model by convention.

    Raises ``ValueError``, in one line, if names and shapes do not decide what is active.
    """
    whole, of_token = in_letters(model), active_in_letters(model)
    found: Counts = {}
    for name, convention in ACTIVE_CONVENTIONS.items():
        found[name] = None
        with suppress(Undecided):
            total, formula = (expression(size(convention(m.named))) for m in (whole, of_token))
            number, active_number = (one.evaluate(whole.sizes) for one in (total, formula))
            found[name] = TotalAndActive(number, active_number, formula)
    published = model.named.active if model.named else ""
    said = verdict_on_active(published, found).conventions if published else ()
    first, *_ = (*said, ACTIVE)
    return {first: found[first], **found}


def shown_first(counts: Counts) -> tuple[str, TotalAndActive | None]:
    """Return the convention whose number is shown where only one is, and its counts."""
    return next(iter(counts.items()))


def active_table(counts: Counts) -> Table:
    columns = (
        Column("convention", "convention"),
        numbers("total", "total"),
        numbers("active", "active"),
        numbers("share", "share", percent),
    )
    rows = []
    for name, one in counts.items():
        share = 100 * one.active / one.total if one and one.total else None
        cells = (one.total, one.active, share) if one else (UNDECIDED, None, None)
        rows.append(TableRow((name, *cells)))
    meanings = (f"{name}: {ACTIVE_CONVENTIONS[name].__doc__}" for name in counts)
    return Table.of(columns, rows, meanings)


def routing(model: Model) -> Iterator[str]:
    """Yield a line for each kind of router: how many of its experts are used per token."""
    experts = _experts(model)
    if not experts:
        yield "no experts: all parameters are active"
    for one in experts:
        fields = f"{legible(one['per_token_field'])} of {legible(one['field'])}"
        yield f"a token passes {one['per_token']} of {one['experts']} experts ({fields})"


def verdict_on_active(published: str, counts: Counts) -> Verdict:
    return verdict(published, {name: one.active for name, one in counts.items() if one})


def verdict_line(model: Model, counts: Counts) -> Iterator[str]:
    """Yield the verdict on the published active parameters, if any, in words."""
    if model.named and (published := model.named.active):
        said = verdict_on_active(published, counts)
        yield f"published as active, {published}: {said.in_full}"


def active_as_json(model: Model) -> dict[str, Any]:
    """Return total and active of a model as what ``json.dumps`` takes."""
    counts = total_and_active(model)
    return {
        "experts": _experts(model),
        "convention": shown_first(counts)[0],
        "conventions": {
            name: one and {"total": one.total, "active": one.active, "formula": text(one.formula)}
            for name, one in counts.items()
        },
    }


def _experts(model: Model) -> list[dict[str, Any]]:
    fields, sizes = model.architecture.fields, model.sizes
    return [
        {
            "letter": experts,
            "field": fields[experts],
            "experts": sizes[experts],
            "per_token_letter": chosen,
            "per_token_field": fields[chosen],
            "per_token": sizes[chosen],
        }
        for experts, chosen in per_token(model.architecture).items()
    ]
