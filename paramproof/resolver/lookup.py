"""Find the formula of a requested model: in the catalogue, or by deriving it if that is asked."""

from __future__ import annotations

import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from paramproof.algebra.letters import with_experts_per_token
from paramproof.builders.registry import framework
from paramproof.catalogue import Entry, entry, model_types
from paramproof.catalogue.configuration import QUANTIZATION, GivenKeys, named_class
from paramproof.catalogue.entries import assumed_sizes, usual_class
from paramproof.catalogue.files import TypeFile, library_of, read_file_for
from paramproof.catalogue.names import has_class, has_type
from paramproof.catalogue.unknown_keys import find_unknown_keys
from paramproof.formulas import Weight
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import (
    ConfigWarning,
    InvalidInput,
    NotInCatalogue,
    Refusal,
    require_type,
)
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import path_text
from paramproof.resolver.models import ConfigReading, LiveModel, Model
from paramproof.resolver.request import Request, is_installed_type, read_request
from paramproof.sources.live.name import name_of
from paramproof.sources.live.readers import live_weights
from paramproof.sources.reference import require_reference

AnyModel = TypeVar("AnyModel", Model, LiveModel)

Note: TypeAlias = Callable[[str], None]
"""A function that receives the progress of a derivation."""

NOT_BUILT = ("auto_map", QUANTIZATION)
"""Keys that a derivation ignores: custom code, and how the weights are stored."""

_derived: dict[tuple[str, str], Derivation] = {}
"""The formulas that this process has derived, by configuration and class."""


def _ignore(_: str) -> None:
    """Receive a note and do nothing."""


def resolve(
    source: object, class_name: str = "", note: Note = _ignore, *, derives: bool = False
) -> Model:
    """Return the model that ``source`` names, as ``read_request`` reads it, with its formula.

    The formula comes from the catalogue. If it has none and ``derives`` is set, the formula is
    derived, which needs transformers. ``class_name`` replaces the class that a configuration names.

    Raises ``InvalidInput`` for a wrong source or key, and ``NotInCatalogue`` for a configuration
    without a formula. Both errors have the source and the key.
    """
    return warned(resolve_request(read_request(source), class_name, note, derives=derives))


def warned(model: AnyModel) -> AnyModel:
    """Return a model; warn the caller of the package of what was assumed and ignored."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("paramproof."):
        level, frame = level + 1, frame.f_back
    for line in model.remarks():
        where = f"{model.title}: " if model.title else ""
        warnings.warn(f"{where}{line}", ConfigWarning, stacklevel=level)
    return model


def live_model(request: Request, class_name: str = "") -> LiveModel:
    """Return the live model of a request, or that of a file with weights.

    Raises ``ValueError`` if it is not a model, or if a class is named.
    """
    if class_name:
        where = path_text(request.name)
        raise InvalidInput("has weights, so it takes no class", where=where)
    if request.weights:
        return _stored_model(request, request.weights)
    return LiveModel(name=name_of(request.live), weights=(*live_weights(request.live),))


def _stored_model(request: Request, path: Path) -> LiveModel:
    """Return the weights of a safetensors file, or of those of an index, by their headers."""
    from paramproof.sources.checkpoints import checkpoint

    read = checkpoint(path)
    weights = (Weight(one.name, one.shape, one.is_float) for one in read.tensors)
    where = f" of {read.shards} shards" if read.shards > 1 else ""
    size = sum(one.stored_bytes for one in read.tensors)
    lines = (
        f"counted from the header{where}: {len(read.tensors):,} tensors, {', '.join(read.dtypes)}",
        f"bytes as stored: {size:,}",
        "a file with weights does not say which tensors are tied, trained or buffers: every tensor "
        "of floating-point numbers is counted",
    )
    return LiveModel(name=request.name, weights=(*weights,), lines=lines, notes=request.notes)


def resolve_request(
    request: Request, class_name: str = "", note: Note = _ignore, *, derives: bool = False
) -> Model:
    """Return the requested model. Raises the same errors as ``resolve``."""
    require_type(class_name, str, "class_name")
    if request.live is not None:
        raise InvalidInput("a live model has no formula", where=name_of(request.live))
    if request.weights:
        reason = "has weights, and no formula: give its config.json, or use paramproof count"
        raise InvalidInput(reason, where=path_text(request.name))
    if request.keys is None and class_name:
        where = path_text(request.name)
        raise InvalidInput("takes no class: give its config.json", where=where)
    if request.architecture:
        return Model(
            name=request.name,
            architecture=request.architecture,
            named=request.named,
            notes=request.notes,
        )
    if request.reference:
        start = time.monotonic()
        found = derive_request(request, note=note)
        return Model(name=request.name, architecture=found, seconds=time.monotonic() - start)
    assert request.keys is not None
    try:
        try:
            return _catalogued(request, request.keys, class_name)
        except NotInCatalogue as error:
            if not (derives and error.install) or framework("transformers").missing:
                raise
            return _on_the_spot(request, class_name, note)
    except (InvalidInput, NotInCatalogue) as error:
        error.where = error.where or path_text(request.name)
        raise


def entry_of(keys: Mapping[str, Any], class_name: str = "") -> Entry:
    """Return the entry of a configuration.

    Raises the errors of ``entry``; ``NotInCatalogue`` says how to derive a formula, if that helps.
    """
    try:
        return entry(keys, class_name)
    except NotInCatalogue as error:
        helps = error.refusal not in (Refusal.CONSTRUCTOR, Refusal.NO_SIZE)
        if helps and _is_in_transformers(keys, class_name):
            error.install = framework("transformers").how_to_get
        raise


def _catalogued(request: Request, keys: Mapping[str, Any], class_name: str = "") -> Model:
    """Return the model of a configuration, with the formula of the catalogue."""
    found = entry_of(keys, class_name)
    derivation = replace(found.derivation, sizes=found.sizes)
    return Model(
        name=request.name,
        architecture=with_experts_per_token(derivation, keys),
        named=request.named,
        reading=config_reading(keys, derivation, found, is_default=request.is_default),
        notes=request.notes,
        keys=keys,
        heads=found.heads,
    )


def config_reading(
    keys: Mapping[str, Any],
    derivation: Derivation,
    found: Entry | None = None,
    *,
    is_class_named: bool = True,
    is_default: bool = False,
) -> ConfigReading:
    """Return how a configuration was read, with the details of its catalogue entry if ``found``."""
    return ConfigReading(
        model_type=str(keys["model_type"]),
        class_name=derivation.name,
        is_class_named=found.is_class_named if found else is_class_named,
        is_default=is_default,
        assumed=found.assumed if found else {},
        unknown=found.unknown if found else (),
        **_quantization(keys),
        dtype=_dtype(keys),
        has_code="auto_map" in keys,
        read_as=found.read_as if found else {},
        left_out=_left_out(keys, derivation),
        library=library_of(derivation.evidence.versions),
        entry=found.name if found else "",
    )


EXTRA_LAYERS = re.compile(r"num_nextn_predict_layers|(num_)?mtp_\w*(layers|modules)")
"""Keys that announce layers for multi-token prediction."""


def _left_out(keys: Mapping[str, Any], derivation: Derivation, before: str = "") -> dict[str, int]:
    """Return the keys that announce layers which a class does not build, with their number."""
    found: dict[str, int] = {}
    for key, value in keys.items():
        if isinstance(value, Mapping):
            found |= _left_out(value, derivation, f"{before}{key}.")
        elif type(value) is int and value > 0 and EXTRA_LAYERS.fullmatch(key):
            found[f"{before}{key}"] = value
    built = (derivation.fields.get(name, "") for name in derivation.formula.letters if found)
    return {} if any(EXTRA_LAYERS.fullmatch(leaf(one)) for one in built) else found


STORED: Mapping[object, str] = {
    **{"fp8": "float8", "fbgemm_fp8": "float8", "mxfp4": "int4"},
    **{8: "int8", 4: "int4"},
}
"""Types of quantized weights, by the method or the number of bits in a configuration."""


def _quantization(keys: Mapping[str, Any]) -> dict[str, str]:
    """Return the quantization method and the type of the weights; "" if they are not named."""
    config = keys.get(QUANTIZATION) or keys.get("compression_config")
    if not isinstance(config, Mapping):
        return {}
    method = config.get("quant_method", config.get("quantization_method"))
    loaded = (bits for bits in (8, 4) if config.get(f"load_in_{bits}bit") is True)
    said = (one for one in (method, *loaded, config.get("bits")) if isinstance(one, str | int))
    return {
        "quantized": method if isinstance(method, str) and method else "unknown method",
        "stored": next((STORED[one] for one in said if one in STORED), ""),
    }


def _dtype(keys: Mapping[str, Any]) -> str:
    """Return the dtype of a configuration, or of its ``text_config`` if the whole has none."""
    for part in (keys, keys.get("text_config")):
        if isinstance(part, Mapping):
            dtype = part.get("dtype") or part.get("torch_dtype")
            if isinstance(dtype, str):
                return dtype.removeprefix("torch.")
    return ""


def derive_request(
    request: Request,
    class_name: str = "",
    *,
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    seconds: float = 600,
    note: Note = _ignore,
) -> Derivation:
    """Derive the formula of a request in another process, and return it.

    ``sizes`` replaces, by field, the starting sizes of the configuration or of the function.

    Raises ``InvalidInput`` for a model without code to derive it from, and ``ValueError``, in one
    line, if no formula is derived, or none within ``seconds``.
    """
    from paramproof.derivation.process import derive_in_subprocess

    derive = partial(derive_in_subprocess, sizes=sizes, seed=seed, seconds=seconds, note=note)
    if request.reference:
        require_reference(request.reference, sizes or ())
        return derive(request.reference)
    if request.keys is None:
        is_written = request.architecture and request.architecture.family
        problem = "written by hand: derive a model type instead, such as bert"
        problem = f"its formula is {problem if is_written else 'derived already'}"
        raise InvalidInput(problem, where=path_text(request.name))
    keys = {name: value for name, value in request.keys.items() if name not in NOT_BUILT}
    # A derivation would take the default of a size under another name, without a word.
    known = _type_file(keys)
    for one in (keys, *keys.values()):
        if isinstance(one, Mapping) and (file := _type_file(one)):
            find_unknown_keys(file, one)
    chosen = class_name or named_class(keys) or (usual_class(known) if known else "")
    return derive(path_text(request.name), keys=keys, architecture=chosen)


def _on_the_spot(request: Request, class_name: str, note: Note) -> Model:
    """Derive the formula of a configuration from its class in transformers.

    Raises ``ValueError``, in one line, if transformers refuses the configuration.
    """
    keys = request.keys or {}
    key = json.dumps(keys, sort_keys=True, default=repr), class_name
    start = time.monotonic()
    if key not in _derived:
        _derived[key] = derive_request(request, class_name, note=note)
    is_named = bool(class_name or named_class(keys))
    reading = config_reading(keys, _derived[key], is_class_named=is_named)
    if known := _type_file(keys):
        assumed = _assumed(known, keys, _derived[key])
        reading = replace(reading, unknown=find_unknown_keys(known, keys), assumed=assumed)
    return Model(
        name=request.name,
        architecture=with_experts_per_token(_derived[key], keys),
        seconds=time.monotonic() - start,
        named=request.named,
        notes=request.notes,
        reading=reading,
        keys=keys,
    )


def _type_file(keys: Mapping[str, Any]) -> TypeFile | None:
    """Return the catalogue's file for a configuration, or None if its type has none."""
    model_type = str(keys.get("model_type"))
    return read_file_for(model_type, keys) if model_type in model_types() else None


def _assumed(file: TypeFile, keys: Mapping[str, Any], found: Derivation) -> Mapping[str, int]:
    """Return the sizes of a derived formula that are defaults of the type, by field."""
    try:
        return assumed_sizes(GivenKeys(file, keys), found, found.sizes)
    except NotInCatalogue:
        # The catalogue does not understand all keys, which may name any size.
        return {}


def _is_in_transformers(keys: Mapping[str, Any], class_name: str) -> bool:
    """Return whether transformers has the model type and the class.

    The release of the catalogue has it, or the installed one, which may be newer.
    """
    model_type, name = str(keys.get("model_type")), class_name or named_class(keys)
    if not has_type(model_type):
        return model_type not in model_types() and is_installed_type(model_type)
    return not name or has_class(model_type, name)
