"""A catalogue without files, whose programs are made when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from paramproof.catalogue.program import LAZY, OPERATIONS, Catalogue, Part, Program
from paramproof.tracing.configuration.nodes import Data, encoded
from paramproof.tracing.configuration.reader_terms import lowered
from paramproof.tracing.configuration.terms import Value, exported


class Programs(Catalogue):
    """A catalogue in which the file of a class has its name; models may be ``terms``, too."""

    def __init__(self, types: Mapping[str, str] = {}) -> None:
        self.operations, self.lazy, self.part = OPERATIONS, LAZY, Part
        self.types = dict(types)
        self.index = {kind: _Itself() for kind in ("configurations", "models")}
        self.file, self.node = cache(self.written), cache(self.compiled)
        self.program = cache(partial(Program, self))
        self.terms: dict[str, Value] = {}

    def written(self, name: str) -> Any:
        """Return the file of a class, with lists where Python may have tuples."""
        rules = self.rules(name)
        data = {
            "configurations": {name: rules} if rules else {},
            "models": {} if rules else {name: self.model(name)},
            "versions": {},
        }
        return json.loads(json.dumps(encoded(data, {})))

    def rules(self, name: str) -> Data | None:
        """Return the rules of a configuration class, or None if there is none of that name."""
        raise NotImplementedError

    def named(self, value: Value) -> str:
        """Return the name under which a value is a model, too."""
        self.terms[name := repr(value)] = exported(value)
        return name

    def model(self, name: str) -> Value:
        """Return the module of a model class, or one of ``terms``."""
        return lowered(self.terms[name])


class _Itself(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name

    def get(self, name: str, default: Any = None) -> Any:
        return name
