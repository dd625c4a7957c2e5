"""Find the model that a user names, with its formula from the catalogue, or derived on request.

``read_request`` reads a source, once: a name, a file, standard input, JSON, a type, a class or a
function. JSON is a configuration, the fields of a spec, or the document of a derivation, which is
checked: its tensors must give what it says of them. ``resolve`` then gives a model, and
``derive_formula`` a formula alone.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from paramproof.algebra.letters import with_experts_per_token
from paramproof.algebra.symbols import WRITTEN, FamilyArchitecture
from paramproof.builders.registry import framework
from paramproof.catalogue import Entry, entry, model_types
from paramproof.catalogue.names import (
    QUANTIZATION,
    classes_of,
    has_class,
    has_type,
    named_class,
    type_with_class,
    usual_class,
)
from paramproof.formulas import FAMILIES, Spec, Weight
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.formulas.errors import (
    ConfigWarning,
    InvalidInput,
    NotInCatalogue,
    canonical_name,
    no_such,
    require_type,
)
from paramproof.formulas.families import spec_from
from paramproof.formulas.models import (
    LISTED_BY,
    SHORT_NAMES,
    model_names,
    named_configurations,
    named_models,
)
from paramproof.formulas.printing import legible, path_text, shown
from paramproof.json_form import VERSION
from paramproof.resolver.models import (
    COUNTED,
    NO_FORMULA,
    ConfigReading,
    CountedWeights,
    Model,
    Request,
)
from paramproof.resolver.spellings import as_transformers, folded, model_meant, without_owner
from paramproof.sources.reference import REFERENCE
from paramproof.sources.strict_json import object_in_file, object_in_text
from paramproof.sources.tensor_names import kind_of

_derived: dict[tuple[str, str], Derivation] = {}
"""The formulas that this process has derived, by configuration and class."""

IN_DIRECTORY = "config.json params.json adapter_config.json model_index.json modules.json"
"""The files that are looked for in a directory, in this order, before weights."""

UNREADABLE = "is not a derivation in the form of this release: derive the model again"


def resolve(
    source: object,
    class_name: str = "",
    note: Callable[[str], None] = lambda _: None,
    *,
    derives: bool = False,
    weighs: bool = False,
) -> Model:
    """Return the model that ``source`` names, as ``read_request`` reads it, with its formula.

    The formula comes from the catalogue. If it has none and ``derives`` is set, the formula is
    derived, which needs transformers. ``class_name`` replaces the class that a configuration names.
    A live model, or a file with weights, has none: it is refused unless ``weighs`` is set.

    Raises ``InvalidInput``, and ``NotInCatalogue`` for a configuration without a formula.
    """
    request, start = read_request(source), time.monotonic()
    require_type(class_name, str, "class_name")
    where, is_derived = path_text(request.name), bool(request.reference)
    known = {one.name: getattr(request, one.name) for one in fields(request)}
    if request.keys is None and class_name:
        raise InvalidInput("takes no class: give its config.json", where=where)
    if request.keys is not None:
        try:
            found, formula = _entry_or_derived(request, class_name, derives, note=note)
        except (InvalidInput, NotInCatalogue) as error:
            error.where = error.where or where
            raise
        is_derived = found is None or found.class_name != formula.name
        how = {"is_default": request.is_default, "class_name": formula.name}
        is_named = bool(class_name or named_class(request.keys))
        reading = ConfigReading.of(request.keys, found, **how, is_class_named=is_named)
        known |= {"architecture": formula, "reading": reading}
        known["heads"] = () if is_derived or not found else found.heads
    elif is_derived:
        known["architecture"] = derive_formula(request, note=note)
    model = Model(**known, seconds=time.monotonic() - start if is_derived else None)
    if not (weighs or model.has_formula):
        raise InvalidInput(NO_FORMULA, where=where)
    return model


def _entry_or_derived(
    request: Request, class_name: str, derives: bool, **how: Any
) -> tuple[Entry | None, Derivation]:
    """Return the entry of a configuration, and its formula; of any class if that was derived."""
    keys = request.keys or {}
    try:
        found = entry_of(keys, class_name)
    except NotInCatalogue as error:
        if not (derives and error.install) or framework("transformers").missing:
            raise
    else:
        return found, with_experts_per_token(found.derivation, keys)
    key = json.dumps(keys, sort_keys=True, default=repr), class_name
    if key not in _derived:
        _derived[key] = derive_formula(request, class_name, **how)
    return _entry_of_any_class(keys), _derived[key]


def _entry_of_any_class(keys: Mapping[str, Any]) -> Entry | None:
    """Return the entry of the first class that has one. Raises ``InvalidInput`` as ``entry``."""
    model_type = str(keys.get("model_type"))
    for name in classes_of(model_type) if model_type in model_types() else ():
        with suppress(NotInCatalogue):
            return entry(keys, name)
    return None


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
        if not error.is_refused and _is_in_transformers(keys, class_name):
            error.install = framework("transformers").how_to_get
        raise


def derive_formula(source: object, class_name: str = "", **how: Any) -> Derivation:
    """Derive the formula of the model that ``source`` names in another process, and return it.

    ``how`` is what ``derive_in_subprocess`` takes, such as the ``sizes`` to start from, by field.
    Raises ``InvalidInput`` for a model without code, and ``ValueError`` if nothing is derived.
    """
    from paramproof.derivation.process import derive_in_subprocess

    request = read_request(source)
    if request.reference:
        return derive_in_subprocess(request.reference, **how)
    if request.architecture:
        by_hand = "its formula is written by hand: derive a model type instead, such as bert"
        why = {COUNTED: NO_FORMULA, WRITTEN: by_hand}.get(request.architecture.status)
        raise InvalidInput(why or "its formula is derived already", where=path_text(request.name))
    given = request.keys or {}
    # Custom code is not run, and how the weights are stored changes no shape.
    keys = {k: value for k, value in given.items() if k not in ("auto_map", QUANTIZATION)}
    # A derivation would take the default of a size under another name, without a word.
    for one in (keys, *keys.values()):
        if isinstance(one, Mapping):
            _entry_of_any_class(one)
    model_type = str(keys.get("model_type"))
    usual = usual_class(model_type) if model_type in model_types() else ""
    chosen = class_name or named_class(keys) or usual
    return derive_in_subprocess(path_text(request.name), keys=keys, architecture=chosen, **how)


def _is_in_transformers(keys: Mapping[str, Any], class_name: str) -> bool:
    """Return whether the catalogue's release has the class, or the installed one, maybe newer."""
    model_type, name = str(keys.get("model_type")), class_name or named_class(keys)
    if not has_type(model_type):
        return model_type not in model_types() and is_installed_type(model_type)
    return not name or has_class(model_type, name)


def read_request(source: object) -> Request:
    """Return the request that ``source`` makes.

    A ``str`` is tried in this order: ``-``, JSON, a named model, a file or a directory, a model
    type or class of transformers, MODULE:FUNCTION, and another name of a named model, such as
    ``Qwen/Qwen3-8B``, or of a model type. For a file with the name of a model, write its directory,
    too: ``./gpt2``. A spec, or what ``derive`` returns, is the model itself.
    """
    if type(source) is Request:
        return source
    if isinstance(source, str):
        return _read_text(source)
    if isinstance(source, Path):
        return _in_file(str(source))
    if isinstance(source, Architecture):
        return Request(name=source.name, architecture=source)
    if type(source) is dict:
        return _described("", source)
    if any(type(source) is family.spec for family in FAMILIES.values()):
        return Request(name=repr(source), architecture=FamilyArchitecture.of(cast(Spec, source)))
    if source is None or isinstance(source, int | float | bytes | list | set):
        raise InvalidInput(
            f"{shown(source)} is not a model: give a name, a path, the keys of a configuration, "
            "or a model of a framework"
        )
    from paramproof.sources.live import comes_from, framework_with_reader, live_weights, name_of

    # Some mappings are of a framework: nnx.State, FrozenDict, a module of MLX.
    if isinstance(source, Mapping) and not (
        comes_from("flax", source) or framework_with_reader(source)
    ):
        return _described("", source)
    name = name_of(source)
    return Request(name=name, architecture=CountedWeights.of(name, live_weights(source)))


def _read_text(source: str) -> Request:
    if source == "-":
        return _described("standard input", object_in_file(None))
    if source.lstrip().startswith("{"):
        return _described(legible(source.strip()), object_in_text(source, "the JSON given"))
    if not _named(source) and os.path.lexists(source):
        return _in_file(source)
    if REFERENCE.fullmatch(source):
        return Request(name=source, reference=source)
    return request_for_name(source)


def request_for_name(name: str) -> Request:
    """Read a named model, a model type or a class, without looking at files."""
    if request := _named(name) or _type_or_class(name) or _meant(name):
        return request
    raise _unknown(name)


def _meant(text: str) -> Request | None:
    found = _named(model_meant(text, model_names()))
    if not found and (name := canonical_name(text, model_types(), folded)):
        found = _type_or_class(name)
    return found and replace(found, notes=(f"{shown(text)} is read as {found.name}",))


def _named(name: str) -> Request | None:
    if _is_like_a_path(name):
        return None  # No model has such a name, and reading all names takes long.
    full = SHORT_NAMES.get(name, name)
    if model := named_models().get(full):
        architecture = FamilyArchitecture.of(model.spec)
        return Request(name=model.name, architecture=architecture, named=model)
    if configuration := named_configurations().get(full):
        return Request(name=configuration.name, keys=configuration.keys, named=configuration)
    return None


def _in_file(path: str) -> Request:
    if os.path.isdir(path):
        within = (os.path.join(path, name) for name in IN_DIRECTORY.split())
        if file := next(filter(os.path.isfile, within), ""):
            return _in_file(file)
    if os.path.isdir(path) or path.endswith((".safetensors", ".safetensors.index.json")):
        return _stored(path)
    try:
        keys = object_in_file(Path(path))
    except InvalidInput:
        if os.path.isfile(path) and (kind := kind_of({}, path)):
            raise InvalidInput(kind, where=path_text(path)) from None
        raise
    return _described(path, keys)


def _stored(path: str) -> Request:
    from paramproof.sources.checkpoints import checkpoint

    read = checkpoint(path)
    # Only floating-point numbers can be trained.
    weights = (Weight(t.name, t.shape, t.dtype.startswith(("F", "BF", "C"))) for t in read.tensors)
    where = f" of {read.shards} shards" if read.shards > 1 else ""
    size = sum(one.last - one.first for one in read.tensors)
    lines = (
        f"counted from the header{where}: {len(read.tensors):,} tensors, {', '.join(read.dtypes)}",
        f"bytes as stored: {size:,}",
        "a file with weights does not say which tensors are tied, trained or buffers: every tensor "
        "of floating-point numbers is counted",
    )
    return Request(name=path, architecture=CountedWeights.of(path, weights), lines=lines)


def _described(name: str, keys: Mapping[str, Any]) -> Request:
    try:
        for key in keys:
            require_type(key, str, "a key")
        if keys.get("kind") == "derivation" and "paramproof" in keys:
            return Request(name=name, architecture=_derivation_in(keys))
        if family := _family(keys):
            spec = spec_from({"family": family, **keys})
            return Request(name=name, architecture=FamilyArchitecture.of(spec))
        if "model_type" not in keys and (kind := kind_of(keys, name)):
            raise InvalidInput(kind)
        keys, notes = as_transformers(keys)
        return Request(name=name, keys=keys, notes=notes)
    except InvalidInput as error:
        error.where = error.where or path_text(name)
        raise
    except ValueError as error:
        raise InvalidInput(str(error), where=path_text(name)) from error


def _derivation_in(document: Mapping[str, Any]) -> Derivation:
    """Refuse another version, and what contradicts its own tensors: an older or changed form."""
    if document["paramproof"] != VERSION:
        version = shown(document["paramproof"])
        raise InvalidInput(f"has the JSON form {version}, and this release reads {VERSION}")
    try:
        found = derivation_from(document)
        if not _has_types(found):
            raise InvalidInput(UNREADABLE)
        again = derivation_data(found)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidInput(UNREADABLE) from error
    wrong = [key for key, value in again.items() if document.get(key) != value]
    if wrong:
        raise InvalidInput(f"{UNREADABLE} (its tensors do not give what {wrong[0]} says)")
    return found


def _has_types(found: Derivation) -> bool:
    """Return whether each value that is printed or computed with has the right type."""
    evidence = found.evidence
    numbers = [*found.sizes.values(), evidence.traces, evidence.builds, evidence.held]
    texts = [found.name, *found.fields.values(), *evidence.versions, *evidence.versions.values()]
    texts += [*found.unexplained, *found.caveats]
    texts += [alias for tensor in found.tensors for alias in tensor.aliases]
    for stated in found.conditions:
        texts += [stated.consequence.why, *(file for file, _ in stated.places)]
    return (
        all(type(number) is int for number in numbers)
        and all(isinstance(text, str) for text in texts)
        and {*found.fields} == {*found.sizes} >= {*found.inert}
    )


def _type_or_class(text: str) -> Request | None:
    if text in model_types() or has_type(text) or is_installed_type(text):
        return Request(name=text, keys={"model_type": text}, is_default=True)
    if model_type := type_with_class(text):
        keys = {"model_type": model_type, "architectures": [text]}
        return Request(name=text, keys=keys, is_default=True)
    return None


def is_installed_type(text: str) -> bool:
    """Return whether the installed transformers, maybe a newer one, has a folder for a type."""
    name = text.replace("-", "_")
    found = find_spec("transformers") if name.isidentifier() else None
    folders = (found.submodule_search_locations if found else None) or ()
    # `Path.is_dir` raises an error for a name that is too long to be one.
    return any(os.path.isdir(os.path.join(one, "models", name)) for one in folders)


def _family(keys: Mapping[str, Any]) -> str:
    """Return the family whose spec has exactly these keys, or else the encoder; "" for others."""
    if "family" in keys:
        return str(keys["family"])
    if "model_type" in keys or not keys:
        return ""  # The names of fields are not asked for, since that looks for plug-ins.
    if not keys.keys() <= {name for family in FAMILIES.values() for name in family.field_names}:
        return ""
    for name, family in FAMILIES.items():
        needed = {one.name for one in fields(family.spec) if one.default is MISSING}
        if needed <= keys.keys() <= {*family.field_names}:
            return name
    return "encoder"


def _unknown(text: str) -> InvalidInput:
    own = without_owner(text)
    known = dict.fromkeys([*model_names(), *model_types()])
    error = no_such("model", own, known, LISTED_BY)
    if not _is_like_a_path(text):
        return error
    if own.endswith(".json") or (own == text and "://" not in text):
        return InvalidInput("does not exist", where=path_text(text))
    end = " Nothing" if error.suggestions else "; nothing"
    reason = f"{error.reason}{end} is downloaded: give its config.json"
    return InvalidInput(reason, where=path_text(text))


def _is_like_a_path(text: str) -> bool:
    return os.sep in text or "/" in text or text.endswith(".json")
