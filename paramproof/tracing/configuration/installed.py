"""The programs of the configuration classes of the installed transformers, traced when needed."""

from __future__ import annotations

from functools import cache
from typing import Any

import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from paramproof.catalogue.program import Part
from paramproof.tracing.configuration.nodes import Data
from paramproof.tracing.configuration.programs import Programs
from paramproof.tracing.configuration.rules import config_classes, rules_of
from paramproof.tracing.configuration.terms import Value, exported


class Installed(Programs):
    def __init__(self) -> None:
        super().__init__()
        self.types = dict(CONFIG_MAPPING_NAMES)

    def rules(self, name: str) -> Data | None:
        return rules_of(config_classes()[name]) if name in config_classes() else None

    def versions(self) -> dict[str, str]:
        return {"transformers": transformers.__version__}


def at_default(kind: type[Any], value: Value) -> Any:
    """Return a value over ``self`` where that is what a configuration class makes of no keys."""
    catalogue, term = _catalogue(), exported(value)
    catalogue.terms[repr(term)] = term
    return Part(catalogue, kind.__name__, {}).module(repr(term))


@cache
def _catalogue() -> Installed:
    return Installed()
