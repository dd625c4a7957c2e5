"""Small configurations that show a cause."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from paramproof.catalogue.entries import entry_in, usual_class
from paramproof.catalogue.files import TypeFile
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.path import leaf, parent
from sweep.library.keys import part_in, remove_key, set_key
from sweep.second_opinion.comparison import Comparison, compare
from sweep.second_opinion.mlx_models import Refused, build

SMALL = (1, 2, 4, 8, 12, 16, 24, 48, 96)
"""Sizes that are tried in place of a larger one."""


def shrink(file: TypeFile, config: Mapping[str, Any]) -> tuple[dict[str, Any], Comparison]:
    """Return a smaller configuration with the same causes, and its comparison.

    Keys are left out, and sizes made smaller, one at a time. Kinds of layers get the catalogue's
    own names. Raises ``ValueError`` if one of the two libraries does not count the configuration.
    """
    best = copy.deepcopy(dict(config))
    for path, rule in file.kinds.items():
        if kinds := (part_in(best, parent(path)) or {}).get(leaf(path)):
            set_key(best, path, [rule["names"][one] for one in kinds])
    shown = compare_config(file, best)
    if shown is None:
        raise ValueError(f"{file.model_type}: only one library counts {config}")
    wanted = shown.causes.keys()
    for path in [*_paths(best)]:
        for value in (None, *SMALL):
            smaller = _changed(best, path, value)
            found = smaller and compare_config(file, smaller)
            if smaller and found and found.causes.keys() == wanted and not found.unexplained:
                best, shown = smaller, found
                break
    return best, shown


def compare_config(file: TypeFile, config: Mapping[str, Any]) -> Comparison | None:
    """Return the comparison of a configuration that both libraries count, or None."""
    try:
        entry, groups = entry_in(file, config, usual_class(file)), build(config)
    except (NotInCatalogue, Refused):
        return None
    return compare(file.model_type, config, entry, groups)


def _paths(config: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _paths(value, f"{before}{key}.")
        yield f"{before}{key}"


def _changed(config: dict[str, Any], path: str, value: int | None) -> dict[str, Any] | None:
    """Return a configuration without a key, or with a smaller size; None if it is not smaller."""
    part = part_in(config, parent(path))
    if part is None or path == "model_type":
        return None
    found = copy.deepcopy(config)
    if value is None:
        remove_key(found, path)
    elif type(now := part.get(leaf(path))) is int and value < now:
        set_key(found, path, value)
    else:
        return None
    return found
