"""Named models: their specs, and what others have published about their size."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from paramproof.formulas.families import spec_from
from paramproof.formulas.lookup import no_such
from paramproof.formulas.spec import Spec

SHORT_NAMES = {"bert-base": "bert-base-uncased", "bert-large": "bert-large-uncased"}


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model as others know it.

    ``published`` is its number of parameters, or that of its ``component``, as printed in
    ``source``: it may be rounded ("110M") or wrong. ``config`` says where its sizes are from.
    """

    name: str
    spec: Spec
    published: str
    source: str
    config: str
    component: str = ""


@cache
def named_models() -> dict[str, NamedModel]:
    """Return every named model, by its full name, in the order of the data."""
    tables = tomllib.loads(files("paramproof.formulas").joinpath("models.toml").read_text("utf-8"))
    return {name: _model(name, table) for name, table in tables.items()}


def _model(name: str, table: dict[str, Any]) -> NamedModel:
    fields = dict(table)
    family = fields.pop("family", "encoder")
    spec = spec_from({"family": family, **fields.pop("spec")})
    return NamedModel(name=name, spec=spec, **fields)


def named_model(name: str) -> NamedModel:
    """Return the model called ``name``, or short ``bert-base`` and ``bert-large``.

    Raises ``ValueError`` that lists the names there are, those like ``name`` first.
    """
    models = named_models()
    try:
        return models[SHORT_NAMES.get(name, name)]
    except KeyError:
        raise no_such("model", name, [*models, *SHORT_NAMES]) from None
