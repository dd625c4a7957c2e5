"""Random configurations of random types, counted by the catalogue and built by transformers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import transformers

from paramproof.catalogue.files import TypeFile, read_type
from sweep.library.mismatch import Mismatch, find_mismatch
from sweep.samples.fuzz import MAX_ATTEMPTS
from sweep.samples.random_entries import draw_entry


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
