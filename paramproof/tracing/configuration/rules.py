"""The rules of a configuration class of the installed transformers, as a file has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.tracing.configuration.nodes import Data, refuse, terms_in
from paramproof.tracing.configuration.program import UNSET, trace
from paramproof.tracing.configuration.reader_terms import CONFIG, by_reason, check, lowered
from paramproof.tracing.configuration.terms import MISSING, negate, term

UNREAD = frozenset(
    {
        "_output_attentions",
        "_post_init_done",
        "dtype",
        "keys_to_ignore_at_inference",
        "transformers_version",
    }
)
"""Attributes from which no model is built."""

AUTOS = """
    AutoBackbone AutoModel AutoModelForAudioFrameClassification AutoModelForCausalLM
    AutoModelForImageClassification AutoModelForImageTextToText AutoModelForKeypointDetection
    AutoModelForSeq2SeqLM AutoModelForTextEncoding
"""
"""The classes that make the model of a part inside of another model."""


def rules_of(kind: type[Any]) -> Data:
    """Return the rules of a configuration class; a field that is a key of its name has none."""
    program = trace(kind)
    keys = {
        name: [check(declared), *[default] * (default is not MISSING)]
        for name, (declared, default) in program.keys.items()
    }
    required = [name for name, (_, *default) in keys.items() if not default]
    is_there = {name: term("has", CONFIG, name) for name in required}
    fields = {
        k: v for k, v in program.fields.items() if k not in UNREAD and v is not term("key", k)
    }
    absent = program.keys.keys() - program.fields.keys() - program.aliases.keys()
    fields |= dict.fromkeys(sorted(absent), term("absent"))
    properties = {
        k: v
        for k, v in program.properties.items()
        if k not in UNREAD and not (k[0] == "_" and hasattr(PreTrainedConfig, k))
    }
    refusals = by_reason(program.refusals)
    rest = frozenset(program.rest.args[1::2]) if program.rest is not None else frozenset[str]()
    autos = {name: getattr(transformers, name)._model_mapping for name in AUTOS.split()}
    models = {name: made for name, of in autos.items() if (made := model_of(of, kind))}
    return {
        "keys": keys,
        "fields": {name: lowered(value) for name, value in fields.items()},
        "refusals": [
            *(refuse(negate(has), f"{name} is required") for name, has in is_there.items()),
            *(refuse(lowered(of), why) for why, of in refusals.items()),
        ],
        "aliases": dict(program.aliases),
        "properties": {name: lowered(value) for name, value in properties.items()},
        "taken": sorted((UNSET | rest) - keys.keys() - fields.keys() - program.aliases.keys()),
        "models": models,
    }


def model_of(mapping: Any, kind: type[Any]) -> str:
    """Return the class that a mapping has for a configuration class; the first one of several."""
    try:
        found = mapping[kind]
    except (KeyError, ValueError):  # There is none, or the release lacks it.
        return ""
    return str((found[0] if isinstance(found, tuple) else found).__name__)


@cache
def config_classes() -> dict[str, type[Any]]:
    """Return all configuration classes by their names."""
    found: dict[str, type[Any]] = {kind.__name__: kind for kind in CONFIG_MAPPING.values()}
    left: list[type[Any]] = [PreTrainedConfig]
    while left:
        for one in left.pop().__subclasses__():
            found.setdefault(one.__name__, one)
            left.append(one)
    return found


def parts_in(values: Iterable[Any]) -> Iterator[str]:
    """Yield the configuration classes that values name."""
    for one in terms_in(values):
        if one.op == "new" and isinstance(one.args[0], str):
            yield one.args[0]
