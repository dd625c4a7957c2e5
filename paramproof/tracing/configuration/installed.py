"""The programs of the configuration classes of the installed transformers, traced when needed."""

from __future__ import annotations

import json
from functools import cache, partial
from typing import Any

import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from paramproof.catalogue.program import LAZY, OPERATIONS, Catalogue, Part, Program
from paramproof.tracing.configuration.nodes import encoded
from paramproof.tracing.configuration.reader_terms import lowered
from paramproof.tracing.configuration.rules import config_classes, rules_of
from paramproof.tracing.configuration.terms import Value, exported


class Installed(Catalogue):
    """A catalogue without files: the file of a class has its name."""

    def __init__(self) -> None:
        self.operations, self.lazy, self.part = OPERATIONS, LAZY, Part
        self.types = dict(CONFIG_MAPPING_NAMES)
        self.index = {kind: _Itself() for kind in ("configurations", "models")}
        self.file, self.node = cache(self.written), cache(self.compiled)
        self.program = cache(partial(Program, self))
        self.terms: dict[str, Value] = {}

    def written(self, name: str) -> Any:
        """Return the file of a class, with lists where Python may have tuples."""
        data: dict[str, Any] = {"configurations": {}, "models": {}}
        data["versions"] = {"transformers": transformers.__version__}
        if name in config_classes():
            data["configurations"][name] = rules_of(config_classes()[name])
        else:
            data["models"][name] = self.model(name)
        return json.loads(json.dumps(encoded(data, {})))

    def model(self, name: str) -> Any:
        """Return the module of a model class; here, one of ``terms``."""
        return lowered(self.terms[name])


def at_default(kind: type[Any], value: Value) -> Any:
    """Return a value over ``self`` where that is what a configuration class makes of no keys."""
    catalogue, term = _catalogue(), exported(value)
    catalogue.terms[repr(term)] = term
    return Part(catalogue, kind.__name__, {}).module(repr(term))


@cache
def _catalogue() -> Installed:
    return Installed()


class _Itself(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name

    def get(self, name: str, default: Any = None) -> Any:
        return name
