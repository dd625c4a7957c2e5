"""Configurations with random sizes that meet the conditions of their formula."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from random import Random

from paramproof.catalogue.configurations import entry
from paramproof.derivation.sampling import sample_inside
from sweep.library.keys import Keys, set_key


def with_other_sizes(config: Keys, random: Random, class_name: str = "") -> Keys | None:
    """Return a configuration with other sizes, or None if it has no formula or none are found."""
    try:
        derivation = entry(config, class_name).derivation
    except ValueError:
        return None
    # A size that has one value may be 0, which is never drawn.
    fixed = (one.condition.only[0] for one in derivation.conditions if one.condition.only)
    derivation = replace(derivation, fixed=(*derivation.fixed, *fixed))
    sizes, found = sample_inside(random, derivation), deepcopy(config)
    for letter, size in (sizes or {}).items():
        if "[" not in derivation.fields[letter]:
            set_key(found, derivation.fields[letter], size)
    return found if sizes else None
