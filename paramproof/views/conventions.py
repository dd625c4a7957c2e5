"""A model's count under each convention, and the conventions that give a published number.

Active parameters per token have conventions of their own, each with its own total. A named
model is shown with the first one that gives its published number. A verdict says which conventions
give a number as it was published, and whether it was rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from paramproof.explanation.number import RoundingMode, read
from paramproof.formulas import Inventory
from paramproof.formulas.active import ACTIVE_CONVENTIONS, active, has_experts, per_token
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import (
    CONVENTIONS,
    MEBI,
    STORAGE,
    Undecided,
    as_named,
    count,
    counted,
    in_units,
    size,
)
from paramproof.formulas.expression import Expression, expression, text
from paramproof.formulas.models import Published, named_configurations, named_models
from paramproof.formulas.printing import legible, signed
from paramproof.resolver import Model, resolve
from paramproof.tables import Column, Table, TableRow, numbers, percent

UNDECIDED = "undecided"
"""Printed in place of a number that the names of a derived formula's tensors do not decide."""

DEFAULT = "trainable"
"""The rule of what counts as a parameter, unless another is named."""

ACTIVE = "embedding-and-head"
"""The default for active parameters: they include all that the total includes."""


def with_storage(names: Iterable[str]) -> tuple[str, ...]:
    """Return conventions with the default rule of what a parameter is, unless they have one."""
    chosen = tuple(dict.fromkeys(names))
    return chosen if STORAGE.keys() & chosen else (DEFAULT, *chosen)


def as_counted(named: Inventory, names: Iterable[str]) -> Inventory:
    """Return what conventions count, each tensor as trainable and not tied, so that all add up."""
    kept = counted(named, *with_storage(names))
    tensors = (replace(one, trainable=True, tied_to=None) for one in kept)
    return replace(kept, tensors=tuple(tensors))


def _counts(named: Inventory, conventions: Iterable[str]) -> Iterator[tuple[str, int | None, str]]:
    """Yield the count under each convention, or the reason why it cannot be decided."""
    for name in conventions:
        try:
            yield name, int(count(named, *with_storage([name]))), ""
        except Undecided as error:
            yield name, None, str(error)


def under_every(named: Inventory) -> dict[str, int | None]:
    return {name: number for name, number, _ in _counts(named, CONVENTIONS)}


def conventions_table(named: Inventory) -> Table:
    """Return a row for each count, with its conventions, and the meanings of all as notes."""
    columns = (
        Column("convention", "convention"),
        numbers("count", "count"),
        numbers("10⁶", "millions", in_units),
        numbers("2²⁰", "mebi", lambda number: in_units(number, MEBI)),
        numbers(
            "rounded", "rounded", lambda one: f"{as_named(one)}, {as_named(one, 3)}" if one else "0"
        ),
    )
    counts, alike = [*_counts(named, CONVENTIONS)], dict[int | None, list[str]]()
    for name, number, _ in counts:
        alike.setdefault(number, []).append(name)
    rows = (
        TableRow((", ".join(names), UNDECIDED if number is None else number, *[number] * 3))
        for number, names in alike.items()
    )
    meanings = (f"{name}: {function.__doc__}" for name, function in CONVENTIONS.items())
    return Table.of(columns, rows, [*meanings, *(why for *_, why in counts if why)])


class TotalAndActive(NamedTuple):
    total: int
    active: int
    formula: Expression


Counts: TypeAlias = dict[str, TotalAndActive | None]
"""The counts by convention, None if a convention cannot be decided; the one to show is first."""


def active_in_letters(model: Model, convention: str) -> Inventory:
    """Return the active tensors that a convention counts: all if the model has no experts."""
    return ACTIVE_CONVENTIONS[convention](active(model.architecture))


def active_formula(architecture: Architecture) -> Expression | None:
    """Return the formula of ``ACTIVE``, None if names and shapes do not decide what is active."""
    with suppress(ValueError):
        return expression(size(ACTIVE_CONVENTIONS[ACTIVE](active(architecture))))
    return None


def total_and_active(model: Model) -> Counts:
    """Return the counts of a model by convention.

    Raises ``ValueError``, in one line, if names and shapes do not decide what is active.
    """
    one = model.architecture
    both = one.inventory(), active(one)
    found: Counts = dict.fromkeys(ACTIVE_CONVENTIONS)
    for name, convention in ACTIVE_CONVENTIONS.items():
        with suppress(Undecided):
            total, formula = (expression(size(convention(named))) for named in both)
            counts = total.evaluate(one.sizes), formula.evaluate(one.sizes)
            found[name] = TotalAndActive(*counts, formula)
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


def active_as_json(model: Model) -> dict[str, Any]:
    counts = total_and_active(model)
    return {
        "experts": _experts(model),
        "convention": shown_first(counts)[0],
        "conventions": {
            name: one and {**one._asdict(), "formula": text(one.formula)}
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


def routing(model: Model) -> Iterator[str]:
    """Yield a line for each kind of router: how many of its experts are used per token."""
    experts = _experts(model)
    if not experts:
        yield "no experts: all parameters are active"
    for one in experts:
        fields = f"{legible(one['per_token_field'])} of {legible(one['field'])}"
        yield f"a token passes {one['per_token']} of {one['experts']} experts ({fields})"


OTHERS = "total tied-each listed without-pooler without-positions without-heads without-embeddings"
"""Conventions that a published total may follow, besides the default, the likeliest first."""


class Verdict(NamedTuple):
    """The verdict on a published number.

    ``conventions`` are the ways of counting that give it, if any. ``how`` is "exact", or tells how
    their counts are rounded to the number or, if none gives it, how it differs from the first.
    """

    conventions: tuple[str, ...]
    how: str

    @property
    def in_full(self) -> str:
        """The verdict in words, with every convention that gives the number."""
        return f"{self.how}: {', '.join(self.conventions)}" if self.conventions else self.how

    @property
    def text(self) -> str:
        """The verdict in words, which names the first convention unless it is the default."""
        under = self.conventions[0] if self.conventions else DEFAULT
        return self.how if under == DEFAULT else f"{self.how}, under {under}"


def verdict(published: str, counts: Mapping[str, int]) -> Verdict:
    """Return the verdict on a number as printed; ``counts`` are by convention, the best first.

    Counts rounded to the printed digits are preferred to counts cut off after them, and those to
    counts rounded to fewer digits. Raises ``ValueError`` if it is not a number.
    """

    def among(holds: Callable[[int], bool]) -> tuple[str, ...]:
        return tuple(name for name, number in counts.items() if holds(number))

    written = read(published)
    if exact := among(lambda number: number == written.exact):
        return Verdict(exact, "exact")
    for reading in written.readings:
        if reading.rounding is RoundingMode.BINARY:  # Nobody publishes parameters in 2²⁰ or 2³⁰.
            continue
        if found := among(reading.__contains__):
            return Verdict(found, reading.says)
    (first, number), *_ = counts.items()
    if written.exact is None:
        return Verdict((), f"no convention gives it; {first} is {number:,}")
    difference = signed(written.exact - number)
    return Verdict((), f"no convention gives it; it differs from {first} by {difference}")


def verdict_on_total(published: str, named: Inventory) -> Verdict:
    counts = totals(named)
    # Trainable parameters, however rounded, come before the counts under other conventions.
    plainly = verdict(published, {DEFAULT: counts[DEFAULT]})
    return plainly if plainly.conventions else verdict(published, counts)


def totals(named: Inventory) -> dict[str, int]:
    """Return the counts that a published total may mean, by convention, if they are decided."""
    found = _counts(named, (DEFAULT, *OTHERS.split()))
    return {name: number for name, number, _ in found if number is not None}


def verdict_on_active(published: str, counts: Counts) -> Verdict:
    return verdict(published, {name: one.active for name, one in counts.items() if one})


def verdict_line(model: Model, counts: Counts) -> Iterator[str]:
    if model.named and (published := model.named.active):
        said = verdict_on_active(published, counts)
        yield f"published as active, {published}: {said.in_full}"


NONE = "no convention gives it"  # In a table, whose row has the number.


def every_named_model() -> list[tuple[Published, Model]]:
    published = {**named_models(), **named_configurations()}
    return [(one, resolve(name)) for name, one in published.items()]


def verdict_on(one: Published, model: Model) -> Verdict:
    """Return the verdict on the number that is published of a model, or of its component."""
    if not one.component:
        return verdict_on_total(one.published, model.inventory())
    return verdict(one.published, {one.component: model.inventory().total(one.component)})


def published_table(models: Iterable[tuple[Published, Model]]) -> Table:
    """Return what is published of models, the verdicts, and the counts of their own formulas.

    The active parameters are the number to show, and that of each convention.
    """
    columns = (
        Column("model", "model"),
        Column("class or family", "class"),
        numbers("parameters", "parameters"),
        Column("published", "published"),
        Column("verdict", "verdict"),
        numbers("year", "year", str),
        Column("family", "family"),
        numbers("active", "active"),
        *(numbers(name, name) for name in ACTIVE_CONVENTIONS),
        numbers("published", "published as active"),
        Column("verdict", "verdict on active"),
    )
    rows = []
    for one, model in models:
        said, of = verdict_on(one, model), f" for {one.component}" * bool(one.component)
        how = said.how if of else said.text if said.conventions else NONE
        family = str(one.keys["model_type"]) if one.keys else model.family
        cells = [one.name, model.architecture.name, int(model.inventory().total())]
        cells += [f"{one.published}{of}", how, one.year, family]
        if has_experts(model.architecture.fields.values()):
            counts = total_and_active(model)
            shown = (counts[name] for name in (next(iter(counts)), *ACTIVE_CONVENTIONS))
            cells += [number.active if number else UNDECIDED for number in shown]
            if one.active:
                said = verdict_on_active(one.active, counts)
                cells += [one.active, said.in_full if said.conventions else NONE]
        rows.append(TableRow((*cells, *[None] * (len(columns) - len(cells)))))
    return Table.of(columns, rows)
