"""Resolve what a command takes for a model: a name, a configuration's file, or JSON inline.

All commands use this one: ``count``, ``verify``, ``explain``, ``compare`` and ``checkpoint``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any

from paramproof.formulas import FAMILIES, Family, Inventory, Spec, inventory
from paramproof.formulas.families import spec_from
from paramproof.formulas.models import (
    SHORT_NAMES,
    NamedConfiguration,
    Published,
    named_configurations,
    named_model,
    named_models,
)
from paramproof.formulas.printing import path_text
from paramproof.sources.configs import Configuration, read_config
from paramproof.sources.configs.formats import config_only
from paramproof.sources.configs.reading import MAX_FILE_BYTES, NoFamily
from paramproof.sources.strict_json import (
    object_in_file,
    object_in_text,
    object_on_standard_input,
)

STANDARD_INPUT = "-"
"""What a command takes for standard input, in place of a model."""


class Undescribed(NoFamily):
    """A configuration of a model that no family describes: what it is called, and its keys.

    ``named`` is what is published of it, where it is that of a named model.
    """

    def __init__(self, message: str, name: str, keys: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.name = name
        self.keys = keys
        self.named: Published | None = None


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model given by name, by a configuration file or as JSON.

    ``named`` is the named model, ``configuration`` what was read of a file of that format.
    """

    name: str
    spec: Spec
    named: Published | None = None
    configuration: Configuration | None = None

    @property
    def described(self) -> Spec:
        """What it is described by."""
        return self.spec

    def inventory(self) -> Inventory:
        """Return its tensors, in ints."""
        return inventory(self.spec.letters())

    @property
    def title(self) -> str:
        """The name as it may stand in a line."""
        return path_text(self.name)

    def origin(self) -> Iterator[str]:
        """Yield lines on where the sizes are from, and what has been published about them."""
        if self.named:
            yield from published_lines(self.named)
        elif self.configuration:
            read = self.configuration
            how = ", which the file does not say" if read.assumed else ""
            yield f"sizes from: {self.title}, read as {read.architecture}{how}"


def published_lines(named: Published) -> Iterator[str]:
    """Yield lines on what is published about a model, and where its sizes are from."""
    what = f" for {named.component}" if named.component else ""
    yield f"published{what}: {named.published} ({named.source})"
    if isinstance(named, NamedConfiguration) and named.active:
        yield f"published as active: {named.active} ({named.active_source or named.source})"
    yield f"sizes from: {named.config}"


def resolve_model(text: str | Mapping[str, Any], architecture: str = "") -> ResolvedModel:
    """Return the model that ``text`` is the name of, the file of, or describes as JSON.

    ``-`` is what standard input describes so, which can be read once. In place of a text may
    stand the keys of a configuration or a spec.

    A file or object is a configuration, as ``paramproof.sources.configs`` reads it, or has the
    fields of a spec, with its family under ``family`` where the fields leave that open.
    ``architecture`` takes the place of the class that a configuration names. A named model
    hides a file of the same name, which can be written with its directory, as ``./gpt2``.

    Raises ``ValueError``, in one line, for anything else; ``Undescribed``, which is one, for a
    configuration of a model type or class that no family describes.
    """
    if isinstance(text, Mapping):
        return _described("", text, architecture)
    if text == STANDARD_INPUT:
        keys = object_on_standard_input(largest=MAX_FILE_BYTES)
        return _described("standard input", keys, architecture)
    if text.lstrip().startswith("{"):
        keys = object_in_text(text, "the spec")
        return replace(_described("", keys, architecture), name=text.strip())
    if text in named_models() or text in SHORT_NAMES:
        named = named_model(text)
        if architecture:
            raise ValueError(f"{named.name} is no configuration: it has no class to replace")
        return ResolvedModel(named.name, named.spec, named=named)
    if text in named_configurations():
        return _configured(text, architecture)
    if not (os.path.lexists(text) or os.sep in text or text.endswith(".json")):
        named_model(text)
    return _described(text, object_in_file(Path(text), largest=MAX_FILE_BYTES), architecture)


def resolve_spec(text: str) -> Spec:
    """Return the spec of ``resolve_model(text)``."""
    return resolve_model(text).spec


def _configured(name: str, architecture: str) -> ResolvedModel:
    named = named_configurations()[name]
    try:
        return replace(_described(name, named.keys, architecture), named=named)
    except Undescribed as undescribed:
        undescribed.named = named
        raise


def _described(name: str, keys: Mapping[str, Any], architecture: str) -> ResolvedModel:
    try:
        if architecture or ("family" not in keys and config_only(keys)):
            read = read_config(keys, architecture)
            return ResolvedModel(name, read.spec, configuration=read)
        return ResolvedModel(name, spec_from({"family": _family(keys), **keys}))
    except ValueError as error:
        line = f"{path_text(name)}: {error}" if name else str(error)
        if isinstance(error, NoFamily):
            raise Undescribed(line, name, keys) from error
        raise ValueError(line) from error


def _family(keys: Mapping[str, Any]) -> str:
    """The family whose spec has all of these fields, and needs no other; else an encoder."""
    fitting = (name for name, family in FAMILIES.items() if _fits(keys, family))
    return next(fitting, "encoder")


def _fits(keys: Mapping[str, Any], family: Family) -> bool:
    needed = {field.name: field.default is MISSING for field in fields(family.spec)}
    required = {name for name, must in needed.items() if must}
    return required <= keys.keys() <= needed.keys()
