"""``paramproof models``: the named models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from paramproof.cli.options import INSTEAD, family_option, json_option
from paramproof.cli.output import console, write_json
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.active import active_as_json, total_and_active, verdict_on_active
from paramproof.counting.conventions import UNDECIDED
from paramproof.counting.published import verdict_on
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import (
    SHORT_NAMES,
    NamedConfiguration,
    Published,
    named_configurations,
    named_models,
)
from paramproof.json_form import document
from paramproof.resolver import Model, resolve

WIDEST_PUBLISHED = len("1,543,304,960")
"""No published number is folded."""


@click.command("models", short_help="List the named models.")
@family_option("List")
@json_option("the models, with sizes and sources,", where=INSTEAD)
def models_command(families: Sequence[str], json_file: Path | None) -> None:
    """List the named models: their parameters, and the numbers that others have published.

    Published numbers are printed as in their sources, right or wrong. The parameters are those of
    the formula, and the verdict tells which way of counting gives the published number. A second
    table has the active parameters of mixtures of experts. --json also has sizes, families and
    sources.
    """
    published = {**named_models(), **named_configurations()}
    models = [
        (one, model)
        for one, model in ((one, resolve(name)) for name, one in published.items())
        if not families or family_name(model) in families
    ]
    if json_file:
        body = {"models": [_as_json(one, model) for one, model in models]}
        write_json(json_file, document("models", body))
        return
    console.print(_table(models))
    if rows := [*active_rows(models)]:
        console.print("active parameters: those used per token in a mixture of experts")
        console.print(_active_table(rows))
    names = {one.name for one, _ in models}
    for short, name in SHORT_NAMES.items():
        if name in names:
            console.print(f"{short} is short for {name}", markup=False, highlight=False)


def active_rows(models: Iterable[tuple[Published, Model]]) -> Iterator[tuple[str, ...]]:
    """Yield the counts, the published number and the verdict, for published active parameters."""
    for one, model in models:
        if not isinstance(one, NamedConfiguration) or not one.active:
            continue
        counts = total_and_active(model)
        cells = (f"{found.active:,}" if found else UNDECIDED for found in counts.values())
        yield one.name, *cells, one.active, verdict_on_active(one.active, counts).in_full


def family_name(model: Model) -> str:
    """Return the family of a model, or "" if no family describes it."""
    return model.architecture.name if model.spec else ""


def _table(models: Iterable[tuple[Published, Model]]) -> Table:
    table = Table("model", **PLAIN)
    table.columns[0].overflow = "fold"
    table.add_column("parameters", justify=RIGHT, no_wrap=True)
    table.add_column("published", overflow="fold", min_width=WIDEST_PUBLISHED)
    table.add_column("verdict", overflow="fold")
    for one, model in models:
        what = f" for {one.component}" if one.component else ""
        verdict = verdict_on(one, model)
        how = verdict.how if what else verdict.text
        cells = one.name, f"{model.inventory().total():,}", f"{one.published}{what}", how
        table.add_row(*map(escape, cells))
    return table


def _active_table(rows: Iterable[tuple[str, ...]]) -> Table:
    table = Table("model", **PLAIN)
    table.columns[0].overflow = "fold"
    for heading in (*ACTIVE_CONVENTIONS, "published"):
        table.add_column(heading, justify=RIGHT, no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def _as_json(one: Published, model: Model) -> dict[str, Any]:
    verdict = verdict_on(one, model)
    return {
        "name": one.name,
        "family": family_name(model) or None,
        "short_names": [short for short, name in SHORT_NAMES.items() if name == one.name],
        **_described(one, model),
        "parameters": model.inventory().total(),
        "published": one.published,
        "component": one.component,
        "source": one.source,
        "config": one.config,
        "verdict": {"conventions": list(verdict.conventions), "how": verdict.how},
    }


def _described(one: Published, model: Model) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(one, NamedConfiguration):
        found["keys"] = dict(one.keys)
    found["letters"] = dict(model.sizes)
    if model.spec:
        found["spec"] = spec_fields(model.spec)
    else:
        found["class"] = model.architecture.name
    if isinstance(one, NamedConfiguration) and one.active:
        found |= {
            "published_active": one.active,
            "active_source": one.active_source or one.source,
            "active": active_as_json(model),
        }
    return found
