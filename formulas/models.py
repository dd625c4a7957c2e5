"""The data of this package: named models, with published numbers, and customary names of sizes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from paramproof.formulas.errors import no_such
from paramproof.formulas.families import spec_from
from paramproof.formulas.spec import Spec

_DATA = Path(__file__).parent

_HEADER = re.compile(r'^\["?([\w-]+|(?<=")[\w.-]+)"?\]$', re.MULTILINE)
"""The line of a model's own table; those of its parts, such as its keys, have a longer name."""

Named = TypeVar("Named", bound="Published")

LISTED_BY = "paramproof models"  # The command that lists the named models.
SHORT_NAMES = {"bert-base": "bert-base-uncased", "bert-large": "bert-large-uncased"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlsoPublished:
    """A further published number, of all parameters or only of active ones (``of_active``).

    ``includes`` is what it counts according to its ``source``, "" if the source does not say.
    """

    published: str
    source: str
    includes: str = ""
    of_active: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A named model and its published number of parameters.

    ``published`` is the number for the model, or for its ``component``, as printed in ``source``:
    it may be rounded ("110M") or wrong. ``config`` is the source of its sizes. ``year`` is that of
    the release, None if there was none. ``dtype`` is the precision of the released weights as
    ``config`` states it, "" if it does not. ``active`` is the published number of active parameters
    per token, "" if there is none, and printed in ``active_source`` or, if that is empty, in
    ``source``. ``retracted`` is a number that was published earlier, and withdrawn in
    ``retracted_source``. A ``synthetic`` model exists only as sizes that somebody published; it was
    never released. ``keys`` are those of a ``config.json``, unless the model is of a family.
    """

    name: str
    published: str
    source: str
    config: str
    component: str = ""
    year: int | None = None
    dtype: str = ""
    also: tuple[AlsoPublished, ...] = ()
    active: str = ""
    active_source: str = ""
    retracted: str = ""
    retracted_source: str = ""
    synthetic: bool = False
    keys: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel(Published):
    """A named model of a family."""

    spec: Spec


class NamedTables(Mapping[str, Named]):
    """Named models by name, in the order of the data.

    A model's table is parsed when it is looked up: parsing all of them takes longer than counting
    one model.
    """

    def __init__(self, files: Iterable[Path], make: Callable[..., Named]) -> None:
        self._make = make
        self._texts: dict[str, str] = {}
        self._made: dict[str, Named] = {}
        for file in files:
            _, *parts = _HEADER.split(file.read_text("utf-8"))
            self._texts |= zip(parts[::2], parts[1::2], strict=True)

    def __getitem__(self, name: str) -> Named:
        if name not in self._made:
            import tomllib

            table = tomllib.loads(self._texts[name])
            table |= table.pop(name, {})
            table["also"] = tuple(AlsoPublished(**one) for one in table.get("also", ()))
            self._made[name] = self._make(name=name, **table)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


@cache
def named_models() -> Mapping[str, NamedModel]:
    return NamedTables([_DATA / "models.toml"], _model)


@cache
def named_configurations() -> Mapping[str, Published]:
    return NamedTables(sorted((_DATA / "configurations").iterdir()), Published)


def model_names() -> Iterator[str]:
    yield from (*named_models(), *SHORT_NAMES, *named_configurations())


def _model(*, spec: dict[str, Any], family: str = "encoder", **published: Any) -> NamedModel:
    return NamedModel(spec=spec_from({"family": family, **spec}), **published)


def named_model(name: str) -> NamedModel:
    """Return the model of a family with this full or short name (``bert-base``)."""
    try:
        return named_models()[SHORT_NAMES.get(name, name)]
    except KeyError:
        raise no_such("model", name, model_names(), LISTED_BY) from None


class SizeName(NamedTuple):
    """A size: its customary letter, its names in transformers, and those of other programs."""

    letter: str
    names: tuple[str, ...]
    foreign: tuple[str, ...]


@cache
def size_names() -> tuple[SizeName, ...]:
    lines = json.loads((_DATA / "size_names.json").read_text("utf-8"))
    return tuple(SizeName(one, tuple(own.split()), tuple(no.split())) for one, own, no in lines)


@cache
def sizes_by_name() -> dict[str, tuple[SizeName, ...]]:
    found: dict[str, tuple[SizeName, ...]] = {}
    for size in size_names():
        found |= {name: (*found.get(name, ()), size) for name in size.names + size.foreign}
    return found
