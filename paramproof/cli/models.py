"""``paramproof models``: the models that have names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from paramproof.algebra.symbols import size_letters
from paramproof.cli.options import INSTEAD, family_option, json_option
from paramproof.cli.output import console, write_file
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.active import active_as_json, total_and_active, verdict_on_active
from paramproof.counting.conventions import UNDECIDED
from paramproof.counting.letters import sizes_line
from paramproof.counting.published import verdict_on
from paramproof.formulas import Spec
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.families import family_of, spec_fields
from paramproof.formulas.models import (
    SHORT_NAMES,
    NamedConfiguration,
    Published,
    named_configurations,
    named_models,
)
from paramproof.resolver import AnyModel, DerivedModel, resolve

WIDEST_PUBLISHED = len("1,543,304,960:")
"""No published number is folded."""


@click.command("models", short_help="List the models that have names.")
@family_option("List")
@json_option("them", where=INSTEAD)
def models_command(families: Sequence[str], json_file: Path | None) -> None:
    """List the models that have names: family, sizes, parameters, and what others have published.

    A published number is as its source prints it, right or wrong; the parameters are the
    formula's, and the verdict says which way to count gives the published number. Of models with
    experts that is said of active parameters, too. Any other model is given as a config.json.
    """
    published = {**named_models(), **named_configurations()}
    models = [
        (one, model)
        for one, model in ((one, resolve(name)) for name, one in published.items())
        if not families or family_name(model) in families
    ]
    if json_file:
        data = {"models": [_as_json(one, model) for one, model in models]}
        write_file(json_file, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        return
    console.print(_table(models))
    if rows := [*active_rows(models)]:
        console.print("active parameters: what one token passes of a model with experts")
        console.print(_active_table(rows))
    names = {one.name for one, _ in models}
    for short, name in SHORT_NAMES.items():
        if name in names:
            console.print(f"{short} is short for {name}", markup=False, highlight=False)


def active_rows(models: Iterable[tuple[Published, AnyModel]]) -> Iterator[tuple[str, ...]]:
    """Yield for models with published active parameters: the counts, what is published, verdict."""
    for one, model in models:
        if not isinstance(one, NamedConfiguration) or not one.active:
            continue
        counts = total_and_active(model)
        cells = (f"{found.active:,}" if found else UNDECIDED for found in counts.values())
        yield one.name, *cells, one.active, verdict_on_active(one.active, counts).in_full


def family_name(model: AnyModel) -> str:
    """Return the family of a model, "" where none describes it."""
    return "" if isinstance(model, DerivedModel) else family_of(model.spec).name


def _table(models: Iterable[tuple[Published, AnyModel]]) -> Table:
    table = Table("model", "family or type", "sizes", **PLAIN)
    table.columns[0].overflow = table.columns[1].overflow = "fold"
    table.add_column("parameters", justify=RIGHT, no_wrap=True)
    table.add_column("published", overflow="fold", min_width=WIDEST_PUBLISHED)
    table.add_column("source", overflow="fold")
    for one, model in models:
        what = f" for {one.component}" if one.component else ""
        kind = model.derivation.name if isinstance(model, DerivedModel) else family_name(model)
        cells = one.name, kind, _sizes(model), f"{model.inventory().total():,}"
        said = verdict_on(one, model)
        how = said.how if what else said.text
        table.add_row(*map(escape, (*cells, f"{one.published}{what}: {how}", one.source)))
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


def _sizes(model: AnyModel) -> str:
    """The sizes, and the parts that are there."""
    if isinstance(model, DerivedModel):
        moving = model.derivation.formula.letters
        sizes = model.derivation.sizes.items()
        return ", ".join(f"{name} = {size}" for name, size in sizes if name in moving)
    letters = model.spec.letters()
    sizes_of_it = size_letters(type(letters))
    parts = [name for name, there in letters._asdict().items() if there and name not in sizes_of_it]
    return ", ".join([sizes_line(model.spec), *parts])


def _as_json(one: Published, model: AnyModel) -> dict[str, Any]:
    said = verdict_on(one, model)
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
        "verdict": {"conventions": list(said.conventions), "how": said.how},
    }


def _described(one: Published, model: AnyModel) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(one, NamedConfiguration):
        found["keys"] = dict(one.keys)
    if not isinstance(model, DerivedModel):
        spec: Spec = model.spec
        return {**found, "spec": spec_fields(spec), "letters": spec.letters()._asdict()}
    found |= {"class": model.derivation.name, "letters": dict(model.derivation.sizes)}
    if isinstance(one, NamedConfiguration) and one.active:
        found |= {
            "published_active": one.active,
            "active_source": one.active_source or one.source,
            "active": active_as_json(model),
        }
    return found
