"""Find the model that a user names, with its formula from the catalogue, or derived on request.

A source is read once, by ``read_request``. ``resolve`` gives a model, and ``derive_formula`` a
formula alone.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any, TypeAlias

from paramproof.algebra.letters import with_experts_per_token
from paramproof.algebra.symbols import WRITTEN
from paramproof.builders.registry import framework
from paramproof.catalogue import Entry, entry, model_types
from paramproof.catalogue.configuration import QUANTIZATION, named_class
from paramproof.catalogue.entries import assumed_sizes, usual_class
from paramproof.catalogue.files import TypeFile, read_file_for
from paramproof.catalogue.names import has_class, has_type
from paramproof.catalogue.unknown_keys import find_unknown_keys
from paramproof.catalogue.written_forms import read_configuration
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import (
    ConfigWarning,
    InvalidInput,
    NotInCatalogue,
    Refusal,
    require_type,
)
from paramproof.formulas.printing import path_text
from paramproof.resolver.models import COUNTED, NO_FORMULA, Model, Request
from paramproof.resolver.reading import ConfigReading
from paramproof.resolver.request import is_installed_type, read_request

Note: TypeAlias = Callable[[str], None]
"""A function that receives the progress of a derivation."""

NOT_BUILT = ("auto_map", QUANTIZATION)
"""Keys that a derivation ignores: custom code, and how the weights are stored."""

NOT_DERIVED = {
    COUNTED: NO_FORMULA,
    WRITTEN: "its formula is written by hand: derive a model type instead, such as bert",
}
"""Why nothing is derived for an architecture, by its status."""

_derived: dict[tuple[str, str], Derivation] = {}
"""The formulas that this process has derived, by configuration and class."""


def _ignore(_: str) -> None:
    pass


def resolve(
    source: object,
    class_name: str = "",
    note: Note = _ignore,
    *,
    derives: bool = False,
    weighs: bool = False,
) -> Model:
    """Return the model that ``source`` names, as ``read_request`` reads it, with its formula.

    The formula comes from the catalogue. If it has none and ``derives`` is set, the formula is
    derived, which needs transformers. ``class_name`` replaces the class that a configuration names.
    A live model, or a file with weights, has none: it is refused unless ``weighs`` is set.

    Raises ``InvalidInput`` for a wrong source or key, and ``NotInCatalogue`` for a configuration
    without a formula. Both errors have the source and the key.
    """
    request, start = read_request(source), time.monotonic()
    require_type(class_name, str, "class_name")
    where, is_derived = path_text(request.name), bool(request.reference)
    known = {one.name: getattr(request, one.name) for one in fields(request)}
    if request.keys is None and class_name:
        raise InvalidInput("takes no class: give its config.json", where=where)
    if request.keys is not None:
        try:
            found = _entry_or_derived(request, class_name, note, derives=derives)
        except (InvalidInput, NotInCatalogue) as error:
            error.where = error.where or where
            raise
        is_derived = not found.name
        reading = ConfigReading.of(request.keys, found, is_default=request.is_default)
        known |= {"architecture": formula_of(found, request.keys), "reading": reading}
        known["heads"] = found.heads
    elif is_derived:
        known["architecture"] = derive_formula(request, note=note)
    model = Model(**known, seconds=time.monotonic() - start if is_derived else None)
    if not (weighs or model.has_formula):
        raise InvalidInput(NO_FORMULA, where=where)
    return model


def _entry_or_derived(request: Request, class_name: str, note: Note, *, derives: bool) -> Entry:
    """Return the entry of a configuration, without a name if its formula had to be derived."""
    keys = request.keys or {}
    try:
        return entry_of(keys, class_name)
    except NotInCatalogue as error:
        if not (derives and error.install) or framework("transformers").missing:
            raise
    key = json.dumps(keys, sort_keys=True, default=repr), class_name
    if key not in _derived:
        _derived[key] = derive_formula(request, class_name, note=note)
    found = Entry(_derived[key], _derived[key].sizes, "", bool(class_name or named_class(keys)))
    if known := _type_file(keys):
        found = replace(found, unknown=find_unknown_keys(known, keys))
        # Where the catalogue does not understand all keys, these may name any size.
        with suppress(NotInCatalogue):
            assumed = assumed_sizes(read_configuration(known, keys), found.derivation, found.sizes)
            found = replace(found, assumed=assumed)
    return found


def formula_of(found: Entry, keys: Mapping[str, Any]) -> Derivation:
    return with_experts_per_token(replace(found.derivation, sizes=found.sizes), keys)


def warned(model: Model) -> Model:
    """Return a model; warn the caller of the package of what was assumed and ignored."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("paramproof."):
        level, frame = level + 1, frame.f_back
    for line in model.remarks():
        where = f"{model.title}: " if model.title else ""
        warnings.warn(f"{where}{line}", ConfigWarning, stacklevel=level)
    return model


def entry_of(keys: Mapping[str, Any], class_name: str = "") -> Entry:
    """Return what ``entry`` does; its error says how to derive a formula, if that helps."""
    try:
        return entry(keys, class_name)
    except NotInCatalogue as error:
        helps = error.refusal not in (Refusal.CONSTRUCTOR, Refusal.NO_SIZE)
        if helps and _is_in_transformers(keys, class_name):
            error.install = framework("transformers").how_to_get
        raise


def derive_formula(source: object, class_name: str = "", **how: Any) -> Derivation:
    """Derive the formula of the model that ``source`` names in another process, and return it.

    ``how`` is what ``derive_in_subprocess`` takes, such as the ``sizes`` to start from, by field.

    Raises ``InvalidInput`` for a model without code to derive it from, and ``ValueError``, in one
    line, if no formula is derived, or none in time.
    """
    from paramproof.derivation.process import derive_in_subprocess

    request = read_request(source)
    if request.reference:
        return derive_in_subprocess(request.reference, **how)
    if request.architecture:
        problem = NOT_DERIVED.get(request.architecture.status, "its formula is derived already")
        raise InvalidInput(problem, where=path_text(request.name))
    given = request.keys or {}
    keys = {name: value for name, value in given.items() if name not in NOT_BUILT}
    # A derivation would take the default of a size under another name, without a word.
    known = _type_file(keys)
    for one in (keys, *keys.values()):
        if isinstance(one, Mapping) and (file := _type_file(one)):
            find_unknown_keys(file, one)
    chosen = class_name or named_class(keys) or (usual_class(known) if known else "")
    return derive_in_subprocess(path_text(request.name), keys=keys, architecture=chosen, **how)


def _type_file(keys: Mapping[str, Any]) -> TypeFile | None:
    model_type = str(keys.get("model_type"))
    return read_file_for(model_type, keys) if model_type in model_types() else None


def _is_in_transformers(keys: Mapping[str, Any], class_name: str) -> bool:
    """Return whether the catalogue's release has the class, or the installed one, maybe newer."""
    model_type, name = str(keys.get("model_type")), class_name or named_class(keys)
    if not has_type(model_type):
        return model_type not in model_types() and is_installed_type(model_type)
    return not name or has_class(model_type, name)
