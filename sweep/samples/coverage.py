"""How many configurations the catalogue counts, of four kinds: ``python -m sweep --coverage``.

``saved`` are the defaults of each model type as transformers saves them. ``edited`` are the same
with all keys, of which one to three sizes or flags have another value. ``served`` and ``public``
are files of models that people serve and publish. Each counted configuration is compared with the
model that transformers builds, tensor by tensor. ``count_configs`` has the result for each public
file, which a page lists.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from enum import Enum
from random import Random
from typing import Any, NamedTuple

import transformers
from transformers import CONFIG_MAPPING

from paramproof.catalogue import entry, model_types
from paramproof.catalogue.configuration import named_class
from paramproof.catalogue.entries import type_named, usual_class
from paramproof.catalogue.files import read_type
from paramproof.catalogue.names import has_type
from paramproof.formulas.errors import InvalidInput, NotInCatalogue, Refusal
from paramproof.views.table import markdown_rows
from sweep.library.keys import Keys
from sweep.library.model import Mismatch, build, config_of, find_mismatch
from sweep.library.model_types import classes_of_type
from sweep.library.refusal import Attempt, attempt
from sweep.samples import adversary
from sweep.samples.random_configs import Verdict
from sweep.store import ROOT

SERVED = ROOT / "tests" / "catalogue" / "served.jsonl"

EDITS = 4
"""Edited configurations of each type."""

MAX_CHANGES = 3


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


class Kind(Enum):
    SAVED = "saved defaults"
    EDITED = "saved defaults, edited"
    SERVED = "served models"
    PUBLIC = "public files"


class Coverage(NamedTuple):
    """The verdict on a configuration; ``key`` and ``why`` say why it is not counted."""

    kind: Kind
    config: Keys
    verdict: Verdict
    key: str = ""
    why: str = ""


def configs(kind: Kind, names: Sequence[str], seed: int) -> Iterator[Keys]:
    if kind is Kind.SERVED:
        lines = SERVED.read_text("utf-8").splitlines()
        yield from (json.loads(line)["config"] for line in lines)
    elif kind is Kind.PUBLIC:
        yield from (one["config"] for one in read_configs())
    else:
        for name in filter(has_type, names):
            yield from _own_configs(kind, name, seed)


def _own_configs(kind: Kind, name: str, seed: int) -> Iterator[Keys]:
    if (config := attempt(CONFIG_MAPPING[name])) is None:
        return
    saved: Keys = json.loads(config.to_json_string(use_diff=kind is Kind.SAVED))
    if kind is Kind.SAVED:
        yield saved
        return
    random = Random(f"{seed} {name}")
    for _ in range(EDITS):
        yield edit(saved, random)


def edit(saved: Keys, random: Random) -> Keys:
    """Return saved keys with other values for one to three sizes or flags."""
    edited = deepcopy(saved)
    places = [*_editable(edited)]
    for part, name in random.sample(places, min(random.randint(1, MAX_CHANGES), len(places))):
        value = part[name]
        part[name] = (
            not value
            if isinstance(value, bool)
            else random.choice([2 * value, value + 1, max(value // 2, 1)])
        )
    return edited


def _editable(keys: Keys) -> Iterator[tuple[Keys, str]]:
    for name, value in keys.items():
        if isinstance(value, dict) and "model_type" in value:
            yield from _editable(value)
        elif isinstance(value, bool) or (type(value) is int and value > 0):
            yield keys, name


def judge(kind: Kind, config: Keys) -> Coverage:
    if not has_type(type_named(config) or str(config.get("model_type"))):
        why = "transformers does not have the model type"
        return Coverage(kind, config, Verdict.NOT_BUILT, "model_type", why)
    _, verdict, problem = adversary.judge(config)
    if verdict is Verdict.NOT_COUNTED and not _is_built(config):
        verdict = Verdict.NOT_BUILT
    return Coverage(kind, config, verdict, getattr(problem, "key", ""), str(problem or ""))


def _is_built(config: Keys) -> bool:
    with Attempt():
        model_type = type_named(config) or config["model_type"]
        if model_type in model_types():
            usual = usual_class(read_type(model_type))
        else:
            usual = next(iter(classes_of_type(model_type)), "")
        name = named_class(config) or usual
        build(getattr(transformers, name), config_of(CONFIG_MAPPING[model_type], config))
        return True
    return False


def coverage_table(results: Iterable[Coverage]) -> str:
    """Return how many configurations of each kind are counted, as a table in Markdown."""
    numbers: dict[Kind, Counter[Verdict]] = {}
    for one in results:
        numbers.setdefault(one.kind, Counter())[one.verdict] += 1
    headings = ("configurations", "of", "counted, each equal", "share of those that can be built")
    rows = []
    for kind, verdicts in numbers.items():
        built = sum(verdicts[one] for one in (Verdict.EQUAL, Verdict.OTHER, Verdict.NOT_COUNTED))
        share = (
            f"{100 * verdicts[Verdict.EQUAL] / built:.1f} % of {built:,}"
            if built
            else "none can be built"
        )
        rows.append((kind.value, f"{verdicts.total():,}", f"{verdicts[Verdict.EQUAL]:,}", share))
    return markdown_rows(headings, rows)


def causes(results: Iterable[Coverage]) -> list[tuple[str, int, list[str]]]:
    """Return the keys for which buildable configurations are not counted, the most frequent first.

    Each has its number of configurations and their types.
    """
    found: dict[str, list[str]] = {}
    for one in results:
        if one.verdict is Verdict.NOT_COUNTED:
            key = one.key.rpartition(".")[2] or "no key"
            found.setdefault(key, []).append(str(one.config.get("model_type")))
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(key, len(names), sorted(set(names))) for key, names in ordered]


def measure(kinds: Iterable[Kind], names: Sequence[str], seed: int) -> Iterator[Coverage]:
    for kind in kinds:
        for config in configs(kind, names, seed):
            yield judge(kind, config)
