"""The formula of any model that users name: a family's, the catalogue's, or one derived now."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from paramproof.builders.registry import framework
from paramproof.catalogue import Head, OutsideCatalogueError, entry, model_types, type_of_class
from paramproof.derivation.asking import derived
from paramproof.derivation.experts import with_experts_per_token
from paramproof.formulas import Inventory
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression
from paramproof.formulas.models import Published, model_names
from paramproof.formulas.notation import text as text_of
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.sources.resolve import (
    ResolvedModel,
    Undescribed,
    published_lines,
    resolve_model,
)

Note: TypeAlias = Callable[[str], None]
"""Is told how far a derivation is."""

MOST_BUFFERS_NAMED = 4
MOST_REASONS_NAMED = 4


@dataclass(frozen=True, slots=True)
class DerivedModel:
    """A model whose formula was derived, at its own sizes.

    ``source`` says where the formula is from, ``named`` what is published of a named model.
    ``heads`` are those that the model as built ties, although its configuration says otherwise.
    """

    name: str
    derivation: Derivation
    source: str
    named: Published | None = None
    heads: tuple[Head, ...] = ()

    @property
    def title(self) -> str:
        """The name as it may stand in a line."""
        return path_text(self.name)

    @property
    def described(self) -> Derivation:
        """What it is described by."""
        return self.derivation

    def inventory(self) -> Inventory:
        """Return its tensors, in ints."""
        return self.derivation.inventory(self.derivation.sizes)

    @property
    def loaded(self) -> int:
        """The parameters of the model that transformers loads, with each of the ``heads``."""
        sizes = self.derivation.sizes
        return self.derivation.count(sizes) + sum(one.size.evaluate(sizes) for one in self.heads)

    def origin(self) -> Iterator[str]:
        """Yield lines on where the formula is from, how sure it is, and what it does not count."""
        if self.named:
            yield from published_lines(self.named)
        if self.heads:
            yield f"loaded: {self.loaded:,} {_of_heads(self.heads, self.derivation.sizes)}"
        yield f"formula: {self.source}"
        if not self.derivation.is_proved:
            reasons = some_of(self.derivation.reasons, MOST_REASONS_NAMED, "; ")
            yield f"not proved: {reasons}"
        if buffers := self.derivation.buffers:
            named = some_of([*map(legible, buffers)], MOST_BUFFERS_NAMED)
            yield f"buffers, not counted: {named}"


AnyModel: TypeAlias = ResolvedModel | DerivedModel


def resolve(
    text: str | Mapping[str, Any], architecture: str = "", note: Note = lambda _: None
) -> AnyModel:
    """Return the model that ``text`` names, as ``resolve_model`` does, with any formula.

    A configuration of a model type or class that no family describes has a derived formula.

    Raises ``ValueError``, in one line, where there is neither.
    """
    try:
        return resolve_model(text, architecture)
    except Undescribed as undescribed:
        inline = text.strip() if isinstance(text, str) else "the configuration"
        undescribed.name = undescribed.name or inline
        return derivation_for(undescribed, architecture, note)


def resolve_type(text: str, architecture: str = "", note: Note = lambda _: None) -> AnyModel:
    """Return ``resolve(text)``, or that of a model type or a class, at the type's default sizes.

    Classes are those of the catalogue.
    """
    keys: dict[str, Any] = {"model_type": text}
    if not _is_model_type(text):
        if text in [*model_names()] or os.path.lexists(text) or not (of := type_of_class(text)):
            return resolve(text, architecture, note)
        keys = {"model_type": of, "architectures": [text]}
    by_default = Undescribed(f"{text} is no named model", text, keys)
    return derivation_for(by_default, architecture, note)


def _is_model_type(text: str) -> bool:
    """Whether this is no model's name and no file, and a model type of the catalogue.

    Or of transformers, which is not imported to find out: it has a folder for each.
    """
    if text in [*model_names()] or os.path.lexists(text):
        return False
    if text in model_types():
        return True
    found = find_spec("transformers") if text.replace("-", "_").isidentifier() else None
    folders = (found.submodule_search_locations if found else None) or ()
    return any(Path(one, "models", text.replace("-", "_")).is_dir() for one in folders)


def derivation_for(
    undescribed: Undescribed, architecture: str = "", note: Note = lambda _: None
) -> DerivedModel:
    """Return the derived formula of a configuration, of the first of ``SOURCES`` that has one.

    Raises ``ValueError``, in one line, where none has.
    """
    for source in SOURCES:
        if found := source(undescribed, architecture, note):
            return replace(found, named=undescribed.named) if undescribed.named else found
    raise undescribed


Source: TypeAlias = Callable[[Undescribed, str, Note], DerivedModel | None]
"""Gives the derived formula of a configuration, read as some class unless that is ""."""


_derived: dict[tuple[str, str], Derivation] = {}
"""By configuration and class: what this process has derived."""


def on_the_spot(undescribed: Undescribed, architecture: str, note: Note) -> DerivedModel | None:
    """Derive the formula now, of the class of transformers; None without a model type.

    Raises ``ValueError``, in one line, where transformers is not installed, and as ``derived``.
    """
    name, keys = undescribed.name, undescribed.keys
    if not isinstance(keys.get("model_type"), str):
        return None
    needed = framework("transformers")
    if needed.missing:
        raise ValueError(
            f"{undescribed}; where {' and '.join(needed.missing)} is installed the formula is "
            f"derived: {needed.how_to_get}"
        )
    key = json.dumps(keys, sort_keys=True, default=repr), architecture
    start = time.monotonic()
    if key not in _derived:
        _derived[key] = derived(path_text(name), keys=keys, architecture=architecture, note=note)
    seconds = time.monotonic() - start
    found = _derived[key]
    line = (
        f"that of {found.name}, derived from {_versions(found)} in {seconds:.1f} s: {_how(found)}"
    )
    return DerivedModel(name, found, line)


def by_catalogue(undescribed: Undescribed, architecture: str, note: Note) -> DerivedModel | None:
    """Return what the catalogue has of a configuration; no framework is needed.

    None for what it has not, where transformers is installed to derive it.

    Raises ``ValueError``, in one line that names the key, for what it has not otherwise.
    """
    keys = undescribed.keys
    if keys.get("model_type") not in model_types():
        return None
    try:
        found = entry(keys, architecture)
    except OutsideCatalogueError as error:
        if not framework("transformers").missing:
            note(f"not in the catalogue: {error.why}")
            return None
        raise ValueError(f"{path_text(undescribed.name)}: {error}") from None
    derivation = with_experts_per_token(replace(found.derivation, sizes=found.sizes), keys)
    made = f"{_versions(derivation)}: {_how(derivation)}"
    line = f"that of {derivation.name} in the catalogue, derived from {made}"
    if "auto_map" in keys:
        line += "; the code that auto_map names is not run"
    return DerivedModel(undescribed.name, derivation, line, heads=found.heads)


def _of_heads(heads: tuple[Head, ...], sizes: Mapping[str, int]) -> str:
    """Return why a loaded model has more parameters than the model as built."""
    size = sum((one.size for one in heads), Expression())
    names = " and ".join(one.path for one in heads)
    fields = " and ".join(dict.fromkeys(f"{one.field}: false" for one in heads))
    return (
        f"(+{text_of(size)} = {size.evaluate(sizes):,}): the configuration says {fields}, and "
        f"from_pretrained leaves {names} untied if the checkpoint has other values for it; "
        "the model as built ties it"
    )


def _versions(derivation: Derivation) -> str:
    made = derivation.evidence.versions.items()
    return ", ".join(f"{name} {version}" for name, version in made)


def _how(derivation: Derivation) -> str:
    """Return how sure a formula is at its own sizes."""
    if derivation.is_proved and not derivation.is_proved_at(derivation.sizes):
        return "proved for other sizes, and checked for these"
    return derivation.status


SOURCES: tuple[Source, ...] = (by_catalogue, on_the_spot)
"""Asked one after the other."""
