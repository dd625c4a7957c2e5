"""A catalogue without files, whose programs are made on first use."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

from paramproof.catalogue.program import FORMAT, Catalogue
from paramproof.tracing.configuration.nodes import Data, encoded
from paramproof.tracing.configuration.reader_terms import lowered
from paramproof.tracing.configuration.terms import Value


class Programs(Catalogue):
    """A catalogue in which the file of a class has its name; models may be ``terms``, too."""

    def __init__(self, types: Mapping[str, str] = {}) -> None:
        index = {"format": FORMAT, "types": types, "configurations": _Itself(), "models": _Itself()}
        super().__init__(SimpleNamespace(file=lambda _: index))
        self.file = cache(self.written)
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
        self.terms[name := repr(value)] = lowered(value)
        return name

    def model(self, name: str) -> Value:
        """Return the module of a model class, or one of ``terms``."""
        return self.terms[name]


class _Itself(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name

    def get(self, name: str, default: Any = None) -> Any:
        return name
