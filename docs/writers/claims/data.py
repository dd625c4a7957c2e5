"""The numbers that sources print, from ``claims.toml`` and ``tables.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from paramproof.formulas.models import named_model
from paramproof.formulas.spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """An entry of the ledger: the source, the place in it, and the model."""

    source: str
    where: str
    model: str

    @property
    def spec(self) -> Spec:
        """The spec of the model."""
        return named_model(self.model).spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Printed):
    """A count of the components ``of``, or the arithmetic for it."""

    claimed: str = ""
    printed: str = ""
    expression: str = ""
    of: tuple[str, ...] = ("",)
    all: bool = False
    counts: tuple[str, ...] = ()
    complete: bool = False

    @property
    def stated(self) -> str:
        """The entry as the text prints it."""
        return " = ".join(filter(None, (self.printed, self.claimed)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedFormula(Printed):
    """A count in letters or, if ``claimed`` is given, another quantity.

    ``whole`` means that the text calls it the count of the model, although ``of`` is a part.
    """

    letters: str
    claimed: str = ""
    of: tuple[str, ...] = ()
    whole: bool = False
    at: Mapping[str, str] = field(default_factory=dict)

    @property
    def stated(self) -> str:
        """The entry as the text prints it."""
        return " = ".join(filter(None, (self.letters, self.claimed)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Size(Printed):
    """A size of the model, under the name of the spec's field."""

    field: str
    claimed: str
    printed: str = ""

    @property
    def stated(self) -> str:
        """The entry as the text prints it."""
        return " = ".join(filter(None, (self.printed, self.claimed)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Printed):
    """A claimed share of some components in the whole model, in percent."""

    parts: tuple[str, ...]
    claimed: str

    @property
    def stated(self) -> str:
        """The entry as the text prints it."""
        return f"about {self.claimed} %"


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorRow(Printed):
    """A row of a table: a tensor's name in the source, its shape and count, and our name."""

    name: str
    shape: tuple[int, ...]
    claimed: str
    path: str

    @property
    def stated(self) -> str:
        """The entry as the text prints it."""
        return f"{list(self.shape)}: {self.claimed}"


Entry = Claim | ClaimedFormula | Size | Share | TensorRow
KINDS: dict[str, type[Claim | ClaimedFormula | Size | Share]] = {
    "claim": Claim,
    "formula": ClaimedFormula,
    "size": Size,
    "share": Share,
}


@cache
def sources() -> dict[str, str]:
    """Return the title of each source, by number."""
    return {number: table["title"] for number, table in _read("claims.toml")["sources"].items()}


@cache
def entries() -> tuple[Entry, ...]:
    """Return every entry by source; the rows of tables follow a source's other entries."""
    data = _read("claims.toml")
    found: list[Entry] = [
        kind(**{key: _frozen(value) for key, value in table.items()})
        for name, kind in KINDS.items()
        for table in data[name]
    ]
    for table in _read("tables.toml")["table"]:
        about = {key: table[key] for key in ("source", "where", "model")}
        for name, shape, count, path in table["rows"]:
            found.append(
                TensorRow(**about, name=name, shape=tuple(shape), claimed=count, path=path)
            )
    return tuple(sorted(found, key=lambda entry: entry.source))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("docs.writers.claims").joinpath(name).read_text("utf-8"))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
