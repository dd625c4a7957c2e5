"""Named models: their sizes, and what others have published about their number of parameters."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from paramproof.formulas.families import spec_from
from paramproof.formulas.lookup import no_such
from paramproof.formulas.spec import Spec

_DATA = files("paramproof.formulas")

LISTED_BY = "paramproof models"
"""The command that lists the named models."""

SHORT_NAMES = {"bert-base": "bert-base-uncased", "bert-large": "bert-large-uncased"}


CONFIGURATIONS = "configurations"
"""The folder of models that are given by the keys of their configurations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlsoPublished:
    """A further number that is printed for a model.

    It is one of all parameters, or ``of_active`` ones. ``includes`` is what the ``source`` says
    that it counts, "" where it says nothing.
    """

    published: str
    source: str
    includes: str = ""
    of_active: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What others say of a model.

    ``published`` is its number of parameters, or that of its ``component``, as printed in
    ``source``: it may be rounded ("110M") or wrong. ``also`` are other numbers that are printed
    for it. ``config`` says where its sizes are from.
    """

    name: str
    published: str
    source: str
    config: str
    component: str = ""
    also: tuple[AlsoPublished, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel(Published):
    """A model of a family, as others know it.

    ``retracted`` is a number that was published before, and withdrawn in ``retracted_source``.
    The sizes of a ``synthetic`` model were written down by somebody; no such model was released.
    """

    spec: Spec
    retracted: str = ""
    retracted_source: str = ""
    synthetic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedConfiguration(Published):
    """A model by the keys of its ``config.json`` that say what it has: type, class and sizes.

    ``active`` is the number of parameters that one token passes, "" where none is published, as
    printed in ``active_source``, or else in ``source``.
    """

    keys: Mapping[str, Any]
    active: str = ""
    active_source: str = ""

    @property
    def model_type(self) -> str:
        """Its type in Hugging Face transformers."""
        return str(self.keys["model_type"])


@cache
def named_models() -> dict[str, NamedModel]:
    """Return every named model of a family, by its full name, in the order of the data."""
    tables = tomllib.loads(_DATA.joinpath("models.toml").read_text("utf-8"))
    return {name: _model(name, table) for name, table in tables.items()}


@cache
def named_configurations() -> dict[str, NamedConfiguration]:
    """Return every model that has a name and a configuration, in the order of the data."""
    return {
        name: NamedConfiguration(name=name, **_with_also(table))
        for file in sorted(_DATA.joinpath(CONFIGURATIONS).iterdir(), key=lambda one: one.name)
        for name, table in tomllib.loads(file.read_text("utf-8")).items()
    }


def model_names() -> Iterator[str]:
    """Yield every name of a model, the short ones too."""
    yield from (*named_models(), *SHORT_NAMES, *named_configurations())


def _with_also(table: dict[str, Any]) -> dict[str, Any]:
    return {**table, "also": tuple(AlsoPublished(**one) for one in table.get("also", ()))}


def _model(name: str, table: dict[str, Any]) -> NamedModel:
    fields = _with_also(table)
    family = fields.pop("family", "encoder")
    spec = spec_from({"family": family, **fields.pop("spec")})
    return NamedModel(name=name, spec=spec, **fields)


def named_model(name: str) -> NamedModel:
    """Return the model of a family called ``name``, or short ``bert-base`` and ``bert-large``.

    Raises ``UnknownName``, with the names most similar to ``name``.
    """
    try:
        return named_models()[SHORT_NAMES.get(name, name)]
    except KeyError:
        raise no_such("model", name, model_names(), LISTED_BY) from None
