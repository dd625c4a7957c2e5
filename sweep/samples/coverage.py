"""How many configurations the catalogue counts, of four kinds: ``python -m sweep --coverage``.

``saved`` are the defaults of each model type as transformers saves them. ``edited`` are the same
with all keys, of which one to three sizes or flags have another value. ``served`` and ``public``
are files of models that people serve and publish. Each counted configuration is compared with the
model that transformers builds, tensor by tensor. ``count_configs`` has the result for each public
file, which a page lists.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from enum import Enum
from random import Random
from typing import Any, NamedTuple

import transformers
from transformers import CONFIG_MAPPING

from paramproof.catalogue.configurations import entry, with_known_types
from paramproof.catalogue.names import has_class, model_types, named_class
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.tables import markdown_rows
from sweep.library.keys import Keys, own_keys, read_configs
from sweep.library.model import attempt, model_of
from sweep.library.model_types import classes_of_type
from sweep.library.verdict import Judgement, Verdict
from sweep.samples import adversary
from sweep.samples.adversary import MAX_CHANGES

EDITS = 4
"""Edited configurations of each type."""


class Kind(Enum):
    SAVED = "saved defaults"
    EDITED = "saved defaults, edited"
    SERVED = "served models"
    PUBLIC = "public files"


class PublicResult(NamedTuple):
    """The count of a public file; None if it is refused, for a ``reason`` and, in full, ``why``."""

    model_type: str
    parameters: int | None
    reason: str = ""
    why: str = ""


def count_configs() -> Iterator[PublicResult]:
    """Yield the count of each public file; no model is built."""
    for one in read_configs():
        config = one["config"]
        model_type, (name, *_) = config["model_type"], config["architectures"]
        try:
            yield PublicResult(model_type, entry(config).count)
        except ValueError as error:
            yield PublicResult(model_type, None, *_reason(error, model_type, name))


def _reason(error: ValueError, model_type: str, name: str) -> tuple[str, str]:
    """Return why a file is not counted: in general, and in full."""
    why = getattr(error, "reason", str(error))
    if model_type not in CONFIG_MAPPING:
        return "a model type that transformers lacks", ""
    if isinstance(error, InvalidInput):
        return "a key or a value that transformers would pass over", why
    if not hasattr(transformers, name):
        return "a class that transformers lacks", name
    if model_type not in model_types() or not has_class(model_type, name):
        return "a type or class without a formula", why
    is_refused = isinstance(error, NotInCatalogue) and error.is_refused
    return "values that transformers refuses" if is_refused else "values without a formula", why


def configs(kind: Kind, names: Sequence[str], seed: int) -> Iterator[Keys]:
    if kind in (Kind.SERVED, Kind.PUBLIC):
        yield from (one["config"] for one in read_configs(kind.name.lower()))
        return
    for name in names:
        if (config := attempt(CONFIG_MAPPING[name])) is not None:
            saved: Keys = json.loads(config.to_json_string(use_diff=kind is Kind.SAVED))
            random = Random(f"{seed} {name}")
            edited = (edit(saved, random) for _ in range(EDITS))
            yield from [saved] if kind is Kind.SAVED else edited


def edit(saved: Keys, random: Random) -> Keys:
    """Return saved keys with other values for one to three sizes or flags."""
    edited = deepcopy(saved)
    places = [
        (part, name)
        for part, name in own_keys(edited)
        if isinstance(part[name], bool) or (type(part[name]) is int and part[name] > 0)
    ]
    for part, name in random.sample(places, min(random.randint(1, MAX_CHANGES), len(places))):
        value = part[name]
        other = random.choice([2 * value, value + 1, max(value // 2, 1)])
        part[name] = not value if isinstance(value, bool) else other
    return edited


def judge(config: Keys) -> Judgement:
    """Compare a configuration with transformers' model, which may exist without a count, too."""
    model_type = with_known_types(config)[0]["model_type"]
    if model_type not in CONFIG_MAPPING:
        problem = InvalidInput("transformers does not have the model type", key="model_type")
        return Judgement(config, Verdict.NOT_BUILT, problem)

    def build() -> Any:
        return model_of(model_type, named_class(config) or classes_of_type(model_type)[0], config)

    found = adversary.judge(config)
    is_built = found.verdict is not Verdict.NOT_COUNTED or attempt(build) is not None
    return found if is_built else found._replace(verdict=Verdict.NOT_BUILT)


def coverage_table(results: Mapping[Kind, Iterable[Judgement]]) -> str:
    """Return how many configurations of each kind are counted, as a table in Markdown."""
    headings = ("configurations", "of", "counted, each equal", "share of those that can be built")
    rows = []
    for kind, judgements in results.items():
        verdicts = Counter(one.verdict for one in judgements)
        built = sum(verdicts[one] for one in (Verdict.EQUAL, Verdict.OTHER, Verdict.NOT_COUNTED))
        share = f"{100 * verdicts[Verdict.EQUAL] / built:.1f} % of {built:,}" if built else "none"
        rows.append((kind.value, f"{verdicts.total():,}", f"{verdicts[Verdict.EQUAL]:,}", share))
    return markdown_rows(headings, rows)


def causes(results: Iterable[Judgement]) -> list[str]:
    """Return the keys for which buildable configurations are not counted, the most frequent first.

    Each is a line, with its number of configurations and their types.
    """
    found: dict[str, list[str]] = {}
    for one in results:
        if one.verdict is Verdict.NOT_COUNTED:
            key = one.key.rpartition(".")[2] or "no key"
            found.setdefault(key, []).append(str(one.config.get("model_type")))
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [f"{len(names)} {key}: {', '.join(sorted({*names}))}" for key, names in ordered]
