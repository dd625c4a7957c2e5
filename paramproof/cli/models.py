"""``paramproof models``: the named models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from paramproof.cli import options
from paramproof.cli.output import CommandAnswer
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import SHORT_NAMES, Published
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.tables import Table
from paramproof.views.conventions import (
    active_as_json,
    every_named_model,
    published_table,
    verdict_on,
)


@click.command("models", short_help="List the named models.")
@options.family("List")
@options.as_json("the models, with sizes and sources,", is_alone=True)
def models_command(families: Sequence[str]) -> CommandAnswer:
    """List the named models: their parameters, and the numbers that others have published.

    Published numbers are printed as in their sources, right or wrong. The parameters are those of
    the formula, and the verdict tells which way of counting gives the published number. A second
    table has the active parameters of mixtures of experts. --json also has sizes, families and
    sources.
    """
    every = every_named_model()
    models = [pair for pair in every if not families or pair[1].family in families]

    def parts(width: int | None) -> Iterator[Table | str]:
        table = published_table(models)
        yield table.only("model", "parameters", "published", "verdict")
        if active := [row for row in table.rows if row.cells[-1]]:
            yield "active parameters: those used per token in a mixture of experts"
            shown = "model", "active", "published as active", "verdict on active"
            yield Table.of(table.columns, active).only(*shown)
        names = {one.name for one, _ in models}
        known = ((short, name) for short, name in SHORT_NAMES.items() if name in names)
        yield from (f"{short} is short for {name}" for short, name in known)

    return CommandAnswer(
        parts, lambda: document("models", {"models": [_as_json(*pair) for pair in models]})
    )


def _as_json(one: Published, model: Model) -> dict[str, Any]:
    verdict, active = verdict_on(one, model), {}
    if one.active:
        active = {
            "published_active": one.active,
            "active_source": one.active_source or one.source,
            "active": active_as_json(model),
        }
    return {
        "name": one.name,
        "family": model.family or None,
        "short_names": [short for short, name in SHORT_NAMES.items() if name == one.name],
        **({"keys": dict(one.keys)} if one.keys else {}),
        "letters": dict(model.sizes),
        **({"spec": spec_fields(model.names.spec)} if model.names else {}),
        **({"class": model.class_name} if model.class_name else {}),
        **active,
        "parameters": model.inventory().total(),
        **{name: getattr(one, name) for name in ("published", "component", "source", "config")},
        "verdict": {"conventions": list(verdict.conventions), "how": verdict.how},
    }
