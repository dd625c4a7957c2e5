"""Public configurations, counted with the catalogue alone and built by transformers."""

from __future__ import annotations

import json
import sys
from collections.abc import Container, Iterator, Mapping
from typing import Any, NamedTuple

import transformers
from transformers import CONFIG_MAPPING

from paramproof.catalogue import entry, model_types, read_type
from paramproof.formulas.errors import InvalidInput, NotInCatalogue, Refusal
from sweep.library.mismatch import Mismatch, find_mismatch
from sweep.store import ROOT

FILE = ROOT / "tests" / "catalogue" / "public.jsonl"
"""The configurations, one a line, each with its ``source``: a repository, and a path in it.

Names, versions, number types, texts of labels and tasks, custom code, and lists of more than 400
characters in storage formats are left out.
"""

REASONS = {
    Refusal.NOT_TRIED: "a value that is not supported",
    Refusal.OTHER_VALUE: "a value other than the entry's",
    Refusal.NO_SIZE: "null in place of a size",
    Refusal.OTHER_PART: "a part of another model type",
    Refusal.CONDITIONS: "sizes that do not satisfy the conditions",
    Refusal.CONSTRUCTOR: "sizes that transformers refuses",
    Refusal.OTHER: "anything else that the catalogue does not read",
}
"""Why the catalogue does not count a configuration, in words."""


OTHER_NAME = "a size under a name that the type does not have"
"""Why a configuration is refused as wrong: transformers would pass over the size."""


class PublicResult(NamedTuple):
    """The result for one configuration.

    ``parameters`` is None if it is refused; ``reason`` is then the class of reasons and ``why`` the
    error. ``mismatch`` is how transformers' model differs, or None if it does not.
    """

    model_type: str
    architecture: str
    source: str
    parameters: int | None
    reason: str = ""
    why: str = ""
    mismatch: Mismatch | None = None


def read_configs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


def count_configs(held: Container[int] = range(sys.maxsize)) -> Iterator[PublicResult]:
    """Yield the result for each configuration; those at the places ``held`` are built too."""
    for place, one in enumerate(read_configs()):
        yield _count_config(one["config"], one["source"], place in held)


def _count_config(config: Mapping[str, Any], source: str, held: bool) -> PublicResult:
    model_type, (name, *_) = config["model_type"], config["architectures"]
    if model_type not in CONFIG_MAPPING:
        return PublicResult(model_type, name, source, None, "a model type that transformers lacks")
    try:
        read = entry(config)
    except InvalidInput as error:
        return PublicResult(model_type, name, source, None, OTHER_NAME, error.reason)
    except NotInCatalogue as error:
        if not hasattr(transformers, name):
            return PublicResult(
                model_type, name, source, None, "a class that transformers lacks", name
            )
        reason = _reason(error, model_type, name)
        return PublicResult(model_type, name, source, None, reason, error.reason)
    model_class = getattr(transformers, read.derivation.name)
    mismatch = (
        find_mismatch(read, CONFIG_MAPPING[model_type], model_class, config) if held else None
    )
    return PublicResult(model_type, name, source, read.count, mismatch=mismatch)


def _reason(error: NotInCatalogue, model_type: str, name: str) -> str:
    if model_type not in model_types():
        return "a model type without an entry"
    if name.casefold() not in map(str.casefold, read_type(model_type).classes):
        return "a class without an entry"
    return REASONS[error.refusal]
