"""A type in another release of transformers: whether its file still holds, and its file anew.

Most types build the same tensors in the next release, whatever was edited in their source. So a
file is first checked against models that the release builds: of the type's own configuration, and
of random ones. A type is derived again only if one of them differs, or if it has a new class.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from random import Random
from typing import Any

import transformers

from paramproof.catalogue.derivations import not_withdrawn
from paramproof.catalogue.entries import entry_in
from paramproof.catalogue.files import TypeFile, type_in
from sweep.comparing import differences, name_of, new_keys
from sweep.finding import Finding, Kind
from sweep.held import hold
from sweep.kinds import Kinds
from sweep.mending import SEEDS
from sweep.one import Sweep
from sweep.problem import Problem, wrong
from sweep.store import failed, read
from sweep.understanding import understood
from sweep.which import classes

LIBRARY = "transformers"


def made(model_type: str, seconds: float, found: dict[str, Any]) -> None:
    """Make a type's file: put its ``entry`` in ``found``, and what ``failed``."""
    sweep = Sweep(model_type, lambda _: None, seconds)
    found["failed"] = sweep.failed
    found["entry"] = sweep.run()
    found["entry"] = understood(found["entry"])
    kinds = Kinds(found["entry"], seconds)
    kinds.run()
    found["entry"] = kinds.data
    found["failed"] |= kinds.failed


def taken_in(model_type: str, seconds: float, found: dict[str, Any]) -> None:
    """Make the file of a type that this release has otherwise, or say that it holds as it is.

    ``found`` gets the ``entry``, the ``differences``, and what ``failed``.
    """
    data = read(model_type)
    assert data
    file = type_in(data, model_type)
    said = list(changes(file))
    if any(one.kind is not Kind.KEY for one in said):
        algebra = [one for one in differences(file, seconds) if one.kind is not Kind.PROPERTY]
        said = algebra or said
        made(model_type, seconds, found)
    else:
        data = {**data, "versions": {**file.versions, LIBRARY: version(LIBRARY)}}
        found["entry"] = understood(data) if said else data
    found["differences"] = [one.data for one in said]


def changes(file: TypeFile) -> Iterator[Finding]:
    """Yield what the release has otherwise than a type's file, as far as models show it."""
    sweep = Sweep(file.model_type, lambda _: None, 0.0)
    there = [name for name in classes(file.model_type) if sweep.is_of_the_type(name)]
    tried = failed().get(file.model_type, {})
    for name in there:
        if name not in file.classes and name not in tried:
            yield Finding(Kind.NEW, f"{name} is new")
    for name in file.classes:
        if name not in there:
            yield Finding(Kind.GONE, f"{name} is gone")
            continue
        for why in _otherwise_built(sweep, file, name):
            yield Finding(Kind.MODEL, why)
    yield from (Finding(Kind.KEY, f"{path} is a new key") for path in new_keys(sweep, file))


def _otherwise_built(sweep: Sweep, file: TypeFile, name: str) -> Iterator[str]:
    """Yield in what models of a class differ from what its file counts."""
    model_class, config_class = getattr(transformers, name), sweep.config_class
    config = {"model_type": file.model_type}
    try:
        entry = entry_in(file, config, name)
    except ValueError:
        entry = None  # A size has no default: the file says so, and random models have one.
    if entry and (problem := wrong(entry, config_class, model_class, config)):
        yield f"{name} at its defaults: {problem}"
    for written in not_withdrawn(file, name):
        refusals: list[Problem] = []
        try:
            hold(file, written, config_class, model_class, Random(SEEDS[0]), refusals)
        except ValueError as error:
            yield f"{name_of(written)}: {error}"
