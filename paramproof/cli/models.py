"""``paramproof models``: the models that have names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from paramproof.cli.options import INSTEAD, family_option, json_option
from paramproof.cli.output import console, write_file
from paramproof.cli.symbolic import sizes_line
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.formulas import FAMILIES, Spec, inventory
from paramproof.formulas.families import alphabet, family_of, spec_fields
from paramproof.formulas.models import SHORT_NAMES, NamedModel, named_models


@click.command("models", short_help="List the models that have names.")
@family_option("List")
@json_option("them", where=INSTEAD)
def models_command(families: Sequence[str], json_file: Path | None) -> None:
    """List the models that have names: family, sizes, parameters, and what others have published.

    A published number is as its source prints it, right or wrong; the parameters are the
    formula's. Any other model is given as a config.json.
    """
    wanted = families or tuple(FAMILIES)
    models = [model for model in named_models().values() if _family(model) in wanted]
    if json_file:
        data = {"models": [_as_json(model) for model in models]}
        write_file(json_file, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        return
    console.print(_table(models))
    names = {model.name for model in models}
    for short, name in SHORT_NAMES.items():
        if name in names:
            console.print(f"{short} is short for {name}", markup=False, highlight=False)


def _table(models: Iterable[NamedModel]) -> Table:
    table = Table("model", "family", "sizes", **PLAIN)
    table.columns[0].overflow = table.columns[1].overflow = "fold"
    table.add_column("parameters", justify=RIGHT, no_wrap=True)
    table.add_column("published", overflow="fold")
    table.add_column("source", overflow="fold")
    for model in models:
        what = f" for {model.component}" if model.component else ""
        count = f"{inventory(model.spec.letters()).total():,}"
        cells = model.name, _family(model), _sizes(model.spec), count
        table.add_row(*map(escape, (*cells, f"{model.published}{what}", model.source)))
    return table


def _family(model: NamedModel) -> str:
    return family_of(model.spec).name


def _sizes(spec: Spec) -> str:
    """The sizes, and the parts that are there."""
    letters = spec.letters()._asdict()
    parts = [name for name in alphabet().indicators if letters.get(name)]
    return ", ".join([sizes_line(spec), *parts])


def _as_json(model: NamedModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "family": _family(model),
        "short_names": [short for short, name in SHORT_NAMES.items() if name == model.name],
        "spec": spec_fields(model.spec),
        "letters": model.spec.letters()._asdict(),
        "parameters": inventory(model.spec.letters()).total(),
        "published": model.published,
        "component": model.component,
        "source": model.source,
        "config": model.config,
    }
