"""Read how a user names a model: by name, file, standard input, JSON, type, class or function.

This module reads the source, once; ``lookup`` then finds the formula.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from paramproof.algebra.family_architecture import FamilyArchitecture
from paramproof.catalogue import model_types
from paramproof.catalogue.files import entry_names, keys_for
from paramproof.catalogue.names import has_type, type_with_class
from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.errors import InvalidInput, UnknownName
from paramproof.formulas.families import spec_from
from paramproof.formulas.lookup import canonical_name, no_such
from paramproof.formulas.models import (
    LISTED_BY,
    SHORT_NAMES,
    Published,
    model_names,
    named_configurations,
    named_models,
)
from paramproof.formulas.printing import path_text, shown
from paramproof.resolver.derivation_document import derivation_in_document, is_derivation
from paramproof.resolver.spellings import as_transformers
from paramproof.sources.live.readers import comes_from, is_of_another_framework
from paramproof.sources.strict_json import (
    object_in_file,
    object_in_text,
    object_on_standard_input,
)

STANDARD_INPUT = "-"
"""The model argument that stands for standard input."""

REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
"""The form MODULE:FUNCTION."""

HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
"""The form of a model's name on the Hugging Face Hub, ``meta-llama/Llama-3.1-8B``."""

WEIGHTS = (".safetensors", ".safetensors.index.json", ".gguf", ".bin", ".pt", ".h5")
"""How the names of files with weights end, and of the index of such files."""

NOTHING_IS_DOWNLOADED = "nothing is downloaded: give the path of its config.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A model that a user requests, by one of ``architecture``, ``keys``, ``reference``, ``live``.

    An ``architecture`` is that of a spec, or a derivation. ``keys`` are those of a configuration,
    as transformers spells them; ``is_default`` is set if they are only a model type, and perhaps a
    class. ``reference`` is MODULE:FUNCTION, and ``live`` a model of a framework. ``named`` has the
    published facts about a named model.
    """

    name: str
    architecture: Architecture | None = None
    keys: Mapping[str, Any] | None = None
    is_default: bool = False
    named: Published | None = None
    reference: str = ""
    live: Any = None


def read_request(source: object) -> Request:
    """Return the request that ``source`` makes.

    A ``str`` is tried in this order: ``-``, JSON, a named model (in upper or lower case), a file, a
    model type or class of transformers, MODULE:FUNCTION. For a file with the name of a model,
    write its directory, too: ``./gpt2``. A spec, or what ``derive`` returns, is the model itself.

    Raises ``InvalidInput`` for a file that cannot be read or keys that are wrong, and its subclass
    ``UnknownName`` for an unknown name.
    """
    if isinstance(source, str):
        return _read_text(source)
    if isinstance(source, Path):
        return _in_file(str(source))
    if isinstance(source, Architecture):
        return Request(name=source.name, architecture=source)
    if isinstance(source, Mapping) and not _is_of_framework(source):
        return _described("", source)
    if any(type(source) is family.spec for family in FAMILIES.values()):
        return Request(name=repr(source), architecture=FamilyArchitecture.of(cast(Spec, source)))
    if source is None or isinstance(source, int | float | bytes | list | set):
        raise InvalidInput(
            f"{shown(source)} is not a model: give a name, a path, the keys of a configuration, "
            "or a model of a framework"
        )
    return Request(name=type(source).__name__, live=source)


def _is_of_framework(source: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is not a configuration: nnx.State, FrozenDict, a module of MLX."""
    return comes_from("flax", source) or is_of_another_framework(source)


def _read_text(source: str) -> Request:
    if source == STANDARD_INPUT:
        return _described("standard input", object_on_standard_input())
    if source.lstrip().startswith("{"):
        return _described(source.strip(), object_in_text(source, "the JSON given"))
    if named := _named(source):
        return named
    if os.path.lexists(source):
        return _in_file(source)
    if by_type := _type_or_class(source):
        return by_type
    if REFERENCE.fullmatch(source):
        return Request(name=source, reference=source)
    raise _unknown(source)


def request_for_name(name: str) -> Request:
    """Return the request for a named model, a model type or a class, without looking at files.

    Raises ``UnknownName`` for an unknown name.
    """
    if request := _named(name) or _type_or_class(name):
        return request
    raise _unknown_name(name)


def _named(name: str) -> Request | None:
    """Return the request for a named model, or None if no model has the name."""
    if _is_like_a_path(name):
        return None  # No model has such a name, and reading all names takes long.
    known = canonical_name(name, model_names())
    full = SHORT_NAMES.get(known or "", known or "")
    if model := named_models().get(full):
        architecture = FamilyArchitecture.of(model.spec)
        return Request(name=model.name, architecture=architecture, named=model)
    if configuration := named_configurations().get(full):
        return Request(name=configuration.name, keys=configuration.keys, named=configuration)
    return None


def _in_file(path: str) -> Request:
    if path.endswith(WEIGHTS):
        reason = "has weights: give its config.json, or compare both with paramproof checkpoint"
        raise InvalidInput(reason, where=path_text(path))
    return _described(path, object_in_file(Path(path)))


def _described(name: str, keys: Mapping[str, Any]) -> Request:
    """Return the request for JSON: a derivation, the fields of a spec, or a configuration."""
    try:
        if is_derivation(keys):
            return Request(name=name, architecture=derivation_in_document(keys))
        if "family" in keys or _is_spec(keys):
            spec = spec_from({"family": _family(keys), **keys})
            return Request(name=name, architecture=FamilyArchitecture.of(spec))
        return Request(name=name, keys=as_transformers(keys))
    except InvalidInput as error:
        error.where = error.where or path_text(name)
        raise
    except ValueError as error:
        raise InvalidInput(str(error), where=path_text(name)) from error


def _type_or_class(text: str) -> Request | None:
    """Return the request for a model type or a class at its default sizes."""
    if text in entry_names() or has_type(text) or is_installed_type(text):
        return Request(name=text, keys=keys_for(text), is_default=True)
    if model_type := type_with_class(text):
        keys = {"model_type": model_type, "architectures": [text]}
        return Request(name=text, keys=keys, is_default=True)
    return None


def is_installed_type(text: str) -> bool:
    """Return whether the installed transformers has a folder for a model type.

    That release may be newer than the catalogue's. It is not imported to find out.
    """
    found = find_spec("transformers") if text.replace("-", "_").isidentifier() else None
    folders = (found.submodule_search_locations if found else None) or ()
    # `Path.is_dir` raises an error for a name that is too long to be one.
    name = text.replace("-", "_")
    return any(os.path.isdir(os.path.join(one, "models", name)) for one in folders)


def _is_spec(keys: Mapping[str, Any]) -> bool:
    """Return whether all keys are fields of specs, and there is no ``model_type``."""
    if "model_type" in keys or not keys:
        return False  # The names of fields are not asked for, since that looks for plug-ins.
    return keys.keys() <= {name for family in FAMILIES.values() for name in family.field_names}


def _family(keys: Mapping[str, Any]) -> str:
    """Return the family whose spec can be made from exactly these keys, or else the encoder."""
    fitting = (name for name, family in FAMILIES.items() if _fits(keys, family))
    return next(fitting, "encoder")


def _fits(keys: Mapping[str, Any], family: Family) -> bool:
    needed = {field.name: field.default is MISSING for field in fields(family.spec)}
    required = {name for name, must in needed.items() if must}
    return required <= keys.keys() <= needed.keys()


def _unknown(text: str) -> InvalidInput:
    """Return the error for a text that names no model: a URL, a model on the Hub, or a typo."""
    if re.match(r"\w+://", text):
        return InvalidInput(f"is a URL; {NOTHING_IS_DOWNLOADED}", where=path_text(text))
    own = text.rpartition("/")[2].lower()
    if HUB_ID.fullmatch(text) and not text.endswith(".json"):
        also = f", or use the named model {own}" if own in {*model_names()} else ""
        return InvalidInput(f"is not a file; {NOTHING_IS_DOWNLOADED}{also}", where=path_text(text))
    if _is_like_a_path(text):
        return InvalidInput("does not exist", where=path_text(text))
    return _unknown_name(text)


def _is_like_a_path(text: str) -> bool:
    return os.sep in text or "/" in text or text.endswith(".json")


def _unknown_name(name: str) -> UnknownName:
    known = dict.fromkeys([*model_names(), *model_types()])
    return no_such("model", name, known, LISTED_BY)
