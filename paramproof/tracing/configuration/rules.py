"""The rules of the configuration classes of the installed transformers, as a file has them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.tracing.configuration.nodes import Data, terms_in
from paramproof.tracing.configuration.paths import Instance, Raised
from paramproof.tracing.configuration.program import IGNORED, UNSET, ClassInterpreter
from paramproof.tracing.configuration.reader_terms import OPAQUE, lowered, refused
from paramproof.tracing.configuration.terms import Unknown, Value, term
from paramproof.tracing.configuration.values import fields_of

UNREAD = IGNORED | {"_output_attentions", "_post_init_done", "keys_to_ignore_at_inference"}
"""Attributes from which no model is built."""

AUTOS = """
    AutoBackbone AutoModel AutoModelForAudioFrameClassification AutoModelForCausalLM
    AutoModelForImageClassification AutoModelForImageTextToText AutoModelForKeypointDetection
    AutoModelForSeq2SeqLM AutoModelForTextEncoding
"""
"""The classes that make the model of a part inside of another model."""


def rules_of(kind: type[Any]) -> Data:
    """Return the rules of a configuration class; a field that is a key of its name has none.

    Raises ``Unknown`` if the class is not understood.
    """
    run = ClassInterpreter()
    try:
        made = run.instantiate(kind)
    except Raised as error:
        raise Unknown(f"the class refuses every configuration: {error}") from None
    whole = {name: lowered(run.frozen(value)) for name, value in made.own.items()}
    fields = {k: v for k, v in whole.items() if k not in UNREAD and v is not term("key", k)}
    aliases = dict(kind.attribute_map)
    fields |= dict.fromkeys(sorted(run.keys.keys() - whole.keys() - aliases.keys()), term("absent"))
    # A rule has refusals of its own.
    refusals = {one: why for one, why in run.refusals.items() if lowered(one) is not OPAQUE}
    rest = made.rest.own if made.rest else ()
    autos = {name: getattr(transformers, name)._model_mapping for name in AUTOS.split()}
    models = {name: class_in(mapping, kind) for name, mapping in autos.items()}
    return {
        "keys": run.keys,
        "fields": fields,
        "refusals": refused(refusals),
        "aliases": aliases,
        "properties": properties(kind),
        "taken": sorted({*UNSET, *rest} - run.keys.keys() - fields.keys() - aliases.keys()),
        "models": {name: found.__name__ for name, found in models.items() if found},
    }


def properties(kind: Any) -> dict[str, Value]:
    """Return the class attributes and properties of a class that can be read of a part."""
    found: dict[str, Value] = {}
    names = fields_of(kind) | UNREAD | {"attribute_map"}
    for name, static in inspect.getmembers_static(kind):
        is_base = hasattr(PreTrainedConfig, name)
        if name in names or name.startswith(("__", "base_model_", "sub_configs")):
            continue
        own = isinstance(static, property) and not is_base
        run = ClassInterpreter()
        part = Instance((), kind, term("self"))
        with suppress(Unknown, Raised):
            value = lowered(run.frozen(run.attribute(part, name) if own else static))
            if not run.refusals and not (name[0] == "_" and is_base):
                found[name] = value
    return found


def class_in(mapping: Any, kind: type[Any]) -> Any:
    """Return the model class that a mapping has for a configuration class: the first of several."""
    try:
        found = mapping[kind]
    except (KeyError, ValueError):  # There is none, or the release lacks it.
        return None
    return found[0] if isinstance(found, tuple) else found


@cache
def config_classes() -> dict[str, type[Any]]:
    """Return all configuration classes by their names."""
    found: list[type[Any]] = [*CONFIG_MAPPING.values(), *PreTrainedConfig.__subclasses__()]
    for one in found:  # It grows: the subclasses of each come after it.
        found += one.__subclasses__()
    return {one.__name__: one for one in reversed(found)}


def parts_in(values: Iterable[Any]) -> Iterator[str]:
    """Yield the configuration classes that values name."""
    for one in terms_in(values):
        if one.op == "new" and isinstance(one.args[0], str):
            yield one.args[0]
