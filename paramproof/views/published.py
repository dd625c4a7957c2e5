"""The numbers that were published about models, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from paramproof.explanation.index import PublishedNumber
from paramproof.explanation.search import ACTIVE as OF_ACTIVE
from paramproof.formulas.active import ACTIVE_CONVENTIONS, has_experts
from paramproof.formulas.models import (
    AlsoPublished,
    NamedConfiguration,
    NamedModel,
    Published,
    named_configurations,
    named_models,
)
from paramproof.resolver import Model, resolve
from paramproof.views.conventions import (
    UNDECIDED,
    Verdict,
    shown_first,
    total_and_active,
    verdict,
    verdict_on_active,
    verdict_on_total,
)
from paramproof.views.table import Column, Table, TableRow, numbers

NamedModels: TypeAlias = list[tuple[Published, Model]]

NONE = "no convention gives it"  # In a table, which has the number beside it.


def every_named_model() -> NamedModels:
    published = {**named_models(), **named_configurations()}
    return [(one, resolve(name)) for name, one in published.items()]


def verdict_on(one: Published, model: Model) -> Verdict:
    """Return the verdict on the number that is published of a model, or of its component."""
    if not one.component:
        return verdict_on_total(one.published, model.inventory())
    return verdict(one.published, {one.component: model.inventory().total(one.component)})


def published_numbers(one: Published, model: Model) -> Iterator[PublishedNumber]:
    """Yield the numbers that are published of a model, each with the verdict on it."""
    own = verdict_on(one, model)
    yield PublishedNumber(
        one.name, one.published, one.source, own.how, own.conventions, one.component
    )
    also = [*one.also]
    if one.active:
        source = one.active_source or one.source
        also.append(AlsoPublished(published=one.active, source=source, of_active=True))
    for more in also:
        if more.of_active:
            found, of = verdict_on_active(more.published, total_and_active(model)), OF_ACTIVE
        else:
            found, of = verdict_on_total(more.published, model.inventory()), ""
        said = found.how, found.conventions, of, more.includes
        yield PublishedNumber(one.name, more.published, more.source, *said)
    if isinstance(one, NamedModel) and one.retracted:
        since = f"wrong: it has {model.inventory().total():,}, since published as {one.published}"
        yield PublishedNumber(one.name, one.retracted, one.retracted_source, since, withdrawn=True)


def published_table(models: Iterable[tuple[Published, Model]], *keys: str) -> Table:
    columns, cells = zip(*(COLUMNS[key] for key in keys), strict=True)
    return Table.of(columns, (TableRow(tuple(cell(*pair) for cell in cells)) for pair in models))


def _verdict(one: Published, model: Model) -> str:
    found = verdict_on(one, model)
    return found.how if one.component else found.text if found.conventions else NONE


def _family(one: Published, model: Model) -> str:
    return one.model_type if isinstance(one, NamedConfiguration) else model.family


def _active(_: Published, model: Model) -> int | None:
    if not has_experts(model.architecture):
        return None
    found = shown_first(total_and_active(model))[1]
    return found.active if found else None


COLUMNS: dict[str, tuple[Column, Callable[[Published, Model], object]]] = {
    "model": (Column("model"), lambda one, _: one.name),
    "class": (Column("class or family"), lambda _, model: model.architecture.name),
    "parameters": (numbers("parameters"), lambda _, model: int(model.inventory().total())),
    "active": (numbers("active"), _active),
    "published": (
        Column("published"),
        lambda one, _: one.published + (f" for {one.component}" if one.component else ""),
    ),
    "verdict": (Column("verdict"), _verdict),
    "year": (numbers("year", form=str), lambda one, _: one.year),
    "family": (Column("family"), _family),
}
"""The columns of ``published_table`` by their keys, with the functions that make their cells."""


def published_active_table(models: Iterable[tuple[Published, Model]]) -> Table:
    """Return the published active parameters: the number to show, and that of each convention."""
    columns = (
        Column("model", "model"),
        numbers("active", "active"),
        *(numbers(name, name) for name in ACTIVE_CONVENTIONS),
        numbers("published", "published"),
        Column("verdict", "verdict"),
    )
    rows = []
    for one, model in models:
        if one.active:
            counts = total_and_active(model)
            found = (counts[name] for name in (next(iter(counts)), *ACTIVE_CONVENTIONS))
            cells = (number.active if number else UNDECIDED for number in found)
            said = verdict_on_active(one.active, counts)
            in_full = said.in_full if said.conventions else NONE
            rows.append(TableRow((one.name, *cells, one.active, in_full)))
    return Table.of(columns, rows)
