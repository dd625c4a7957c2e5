"""Random configurations with their entries; this needs neither PyTorch nor transformers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from paramproof.catalogue.derivations import derivation_of, kept_variants
from paramproof.catalogue.entries import Entry, entry_in, own_sizes
from paramproof.catalogue.files import TypeFile
from sweep.samples.random_configs import SHARES_LEFT_OUT, random_config

MAX_DRAWS = 120
"""Attempts to draw a configuration that satisfies the guards of its variant."""


class RandomEntry(NamedTuple):
    """A class, a random configuration that satisfies the guards of a variant, and its entry."""

    architecture: str
    config: dict[str, Any]
    entry: Entry


def draw_entry(
    file: TypeFile,
    random: Random,
    classes: Sequence[str] = (),
    shares_left_out: Sequence[float] = SHARES_LEFT_OUT,
) -> RandomEntry:
    """Draw a variant of the ``classes``, by default all of a type, and a configuration of it.

    ``shares_left_out`` is that of ``random_config``. Raises ``ValueError`` if no configuration
    satisfies the guards.
    """
    variants = [
        variant for name in classes or file.classes for variant in kept_variants(file, name)
    ]
    for _ in range(MAX_DRAWS):
        variant = random.choice(variants)
        own = own_sizes(file, variant.data.get("absent", ()))
        config = random_config(
            file, variant, derivation_of(file, variant, own), random, shares_left_out
        )
        if config is None:
            continue
        try:
            return RandomEntry(variant.name, config, entry_in(file, config, variant.name))
        except ValueError:
            continue
    raise ValueError(f"{file.model_type}: no random configuration satisfies the guards")
