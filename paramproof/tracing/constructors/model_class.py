"""Classes of the installed transformers: find one by name, read its programs, and build it.

A derivation reads the formula from the programs of the class, as the catalogue does, and validates
it on models that transformers builds from the keys of a configuration.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeAlias

import transformers
from transformers import CONFIG_MAPPING, MODEL_MAPPING, PreTrainedModel

from paramproof.builders.meta import meta
from paramproof.catalogue.program import Part
from paramproof.formulas.errors import similar_names
from paramproof.formulas.printing import shown
from paramproof.sources.reference import in_one_line
from paramproof.tracing.configuration.models import INSTALLED
from paramproof.tracing.configuration.rules import class_in
from paramproof.tracing.constructors import Constructor, torch_tensors
from paramproof.tracing.internal_errors import calls_constructor, raise_if_internal

transformers.logging.set_verbosity_error()

KeysAt: TypeAlias = Callable[[Mapping[str, int]], Mapping[str, Any]]


@dataclass(frozen=True)
class ModelClass:
    """A model class and its configuration class, with the keys of a configuration."""

    config_class: Any
    model_class: Any
    keys: Mapping[str, Any]

    @classmethod
    def of(
        cls, what: str, given: Mapping[str, Any] | None = None, architecture: str = ""
    ) -> ModelClass:
        """Return a model type or class by its name: ``deepseek_v3``, ``BertForMaskedLM``.

        ``given`` are the keys of a configuration, and ``architecture`` overrides the class that it
        names. Raises ``ValueError`` with one line for a type or class that transformers does not
        have.
        """
        keys = dict(given or {})
        if given is None and what not in CONFIG_MAPPING and not architecture:
            model_class = _named_class(what)
            return cls(model_class.config_class, model_class, keys)
        model_type = str(keys.get("model_type", what))
        if model_type not in CONFIG_MAPPING:
            raise _unknown(model_type)
        config_class: Any = CONFIG_MAPPING[model_type]
        model_class = class_in(MODEL_MAPPING, config_class)
        named = keys.get("architectures")
        if chosen := architecture or (isinstance(named, list) and len(named) == 1 and named[0]):
            # The models of InternLM 3 name LLaMA's configuration class.
            base = getattr(model_class, "config_class", config_class)
            model_class = _named_class(chosen)
            if model_class.config_class is not base:
                raise ValueError(f"{shown(chosen)} is not a class of the model type {model_type}")
        if model_class is None:
            raise ValueError(f"transformers has no base model of type {model_type}: name a class")
        return cls(config_class, model_class, keys)

    @property
    def name(self) -> str:
        return str(self.model_class.__name__)

    def part(self) -> Part:
        """Return what the configuration class makes of the keys."""
        return Part(INSTALLED, self.config_class.__name__, self.keys)

    def constructor(self, sizes: Mapping[str, int], keys_at: KeysAt) -> Constructor:
        """Return the way to build the class on the meta device; it has these ``sizes``.

        ``keys_at`` returns the keys of a configuration with other sizes.
        """

        @calls_constructor
        def make(chosen: Mapping[str, int]) -> Any:
            config = self.config_class(**deepcopy({**keys_at(chosen)}))
            with meta():
                return self.model_class(config)

        packages = {one: importlib.metadata.version(one) for one in ("transformers", "torch")}
        return Constructor(self.name, sizes, make, torch_tensors, (), packages)


@calls_constructor
def build_model(keys: Mapping[str, Any], architecture: str = "") -> Any:
    """Return the model that transformers builds from a config's keys, on the meta device.

    Raises ``ValueError`` with one line if transformers does not have it or refuses.
    """
    chosen = ModelClass.of(str(keys.get("model_type")), keys, architecture)
    try:
        config = chosen.config_class.from_dict(deepcopy({**keys}))
        with meta():
            return chosen.model_class(config)
    except Exception as error:  # A constructor may raise anything.
        raise_if_internal(error)
        raise ValueError(f"{chosen.name} is refused: {in_one_line(error)}") from error


def _unknown(model_type: str) -> ValueError:
    near = similar_names(model_type, CONFIG_MAPPING)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return ValueError(f"transformers has no model type or class {shown(model_type)}{hint}")


def _named_class(name: str) -> Any:
    found: Any = getattr(transformers, name, None) if name.isidentifier() else None
    is_model = isinstance(found, type) and issubclass(found, PreTrainedModel)
    if not is_model or not found.config_class:
        raise _unknown(name)
    return found
