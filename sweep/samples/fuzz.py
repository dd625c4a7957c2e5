"""Check variants of one type, or random types, against transformers with random configurations.

Many of their keys are absent, null, or have another accepted value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

import transformers
from transformers import PreTrainedConfig

from paramproof.catalogue.derivations import Variant, derivation_of
from paramproof.catalogue.entries import entry_in, own_sizes
from paramproof.catalogue.files import TypeFile, read_type
from paramproof.catalogue.written_forms import read_configuration
from sweep.failure import Reason, SweepError
from sweep.library.keys import remove_key, set_key
from sweep.library.model import Mismatch, find_mismatch
from sweep.samples.random_configs import draw_entry, random_config

CONFIGS_PER_VARIANT = 5
"""Configurations with which each variant is checked."""

MAX_ATTEMPTS = 12
"""Attempts to draw one that satisfies the guards."""


class MismatchError(SweepError):
    """An entry differs from what transformers builds of ``config``."""

    def __init__(self, problem: Mismatch, config: Mapping[str, Any]) -> None:
        reason = Reason.CONFIG_REFUSED if problem.is_refusal else Reason.NOT_AS_BUILT
        super().__init__(reason, f"{problem}; {json.dumps(config)[:300]}")
        self.config = config


def check_variant(
    file: TypeFile,
    variant: Variant,
    config_class: type[PreTrainedConfig],
    model_class: Any,
    random: Random,
    refusals: list[Mismatch] | None = None,
) -> int:
    """Compare a variant with models of random configurations, and return their number.

    Raises ``MismatchError``, on one line, for the first one that has other tensors or is refused.
    If a list of ``refusals`` is given, refusals are added to it instead, and others are drawn.
    Raises ``SweepError`` if no configuration satisfies the guards.
    """
    derivation = derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))
    held = 0
    for _ in range(CONFIGS_PER_VARIANT):
        for _ in range(MAX_ATTEMPTS):
            config = random_config(file, variant, derivation, random)
            if config is None:
                continue
            try:
                found = entry_in(file, config, variant.name)
            except ValueError:
                continue
            problem = find_mismatch(found, config_class, model_class, config)
            if problem is None:
                held += 1
                break
            if problem.may_be_of_sizes and _has_degenerate_sizes(
                file, variant.name, config_class, model_class, config
            ):
                continue
            if not problem.is_refusal or refusals is None:
                raise MismatchError(problem, config)
            refusals.append(problem)
    if not held:
        raise SweepError(Reason.NOT_DRAWN, "no random configuration satisfies the guards")
    return held


def _has_degenerate_sizes(
    file: TypeFile,
    name: str,
    config_class: type[PreTrainedConfig],
    model_class: Any,
    config: Mapping[str, Any],
) -> bool:
    """Return whether the sizes alone cause the refusal of a configuration.

    A head may be narrower than 1, for example, or have an odd width. Then no other key is to blame.
    """
    given = read_configuration(file, config)
    sizes: dict[str, Any] = {"model_type": file.model_type}
    # The number of layers of a kind is not a key: the list itself is.
    fields = {size.path for size in file.letters.values() if not size.is_kind}
    decides = {*fields, *file.kinds, *file.classes[name].get("decides", ())}
    for path, value in given.values.items():
        if path in decides:
            set_key(sizes, path, value)
    try:
        found = entry_in(file, sizes, name)
    except ValueError:
        return False
    problem = find_mismatch(found, config_class, model_class, sizes)
    return problem is not None and problem.may_be_of_sizes


def find_culprit(
    file: TypeFile,
    name: str,
    config_class: type[PreTrainedConfig],
    model_class: Any,
    config: Mapping[str, Any],
) -> tuple[str, Any] | None:
    """Return the key, other than a size, without which the entry fits a configuration."""
    given = read_configuration(file, config)
    decides = file.classes[name].get("decides", ())
    for path, value in given.values.items():
        if path not in given.letter_of and path not in decides:
            without = deepcopy(dict(given.with_parts_in_place(config)))
            remove_key(without, path)
            try:
                found = entry_in(file, without, name)
            except ValueError:
                continue
            if not find_mismatch(found, config_class, model_class, without):
                return path, value
    return None


class Comparison(NamedTuple):
    """A configuration, the class to build, and the mismatch between the entry and the model."""

    model_type: str
    architecture: str
    config: dict[str, Any]
    parameters: int
    mismatch: Mismatch | None


def compare_random(
    known: Sequence[str], number: int, types: int, seed: int
) -> Iterator[Comparison]:
    """Yield ``number`` comparisons for ``types`` of the ``known`` types.

    Sizes satisfy the guards. Keys may be absent, null, or have another accepted value. If
    transformers refuses a configuration, another is drawn, since there is no model to compare with.
    """
    random = Random(seed)
    chosen = random.sample(list(known), min(types, len(known)))
    for index in range(number):
        file = read_type(chosen[index % len(chosen)])
        for _ in range(MAX_ATTEMPTS):
            comparison = compare_one(file, random)
            if not (comparison.mismatch and comparison.mismatch.is_refusal):
                break
        yield comparison


def compare_one(file: TypeFile, random: Random) -> Comparison:
    """Compare a random configuration's entry with the model that transformers builds."""
    name, config, entry = draw_entry(file, random)
    config_class = transformers.CONFIG_MAPPING[file.model_type]
    mismatch = find_mismatch(entry, config_class, getattr(transformers, name), config)
    return Comparison(file.name, name, config, entry.count, mismatch)
