"""Bring a type's file to another release of transformers: keep it if it holds, or rebuild it.

Most types build the same tensors in the next release, whatever was edited in their source. So a
file is first checked against models that the release builds, of the type's own configuration and of
random ones. The type is derived again only if one of them differs, or if it has a new class.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from random import Random
from typing import Any

import transformers

from paramproof.catalogue.derivations import kept_variants
from paramproof.catalogue.entries import entry_in
from paramproof.catalogue.files import TypeFile, parse_type
from sweep.entries.build import build_entry
from sweep.entries.comparison import differences, new_keys, variant_name
from sweep.entries.difference import Difference, DifferenceKind
from sweep.entries.repair import CHECK_SEEDS
from sweep.entries.type_sweep import TypeSweep
from sweep.fields.read_keys import with_read_keys
from sweep.library.mismatch import Mismatch, find_mismatch
from sweep.library.model_types import classes_of_type
from sweep.samples.fuzz import check_variant
from sweep.store import read_entry, read_failures

LIBRARY = "transformers"


def is_upgraded(model_type: str) -> bool:
    """Return whether a type's file is of the installed release."""
    data = read_entry(model_type)
    return data is not None and data["versions"].get(LIBRARY) == version(LIBRARY)


def upgrade_entry(model_type: str, seconds: float, result: dict[str, Any]) -> None:
    """Rebuild a type's file if this release differs, or keep it if it still holds.

    ``result`` gets the ``entry``, the ``differences``, and what ``failed``.
    """
    data = read_entry(model_type)
    assert data
    file = parse_type(data)
    found = list(differences_from_models(file))
    if any(one.kind is not DifferenceKind.KEY for one in found):
        algebra = [
            one for one in differences(file, seconds) if one.kind is not DifferenceKind.PROPERTY
        ]
        found = algebra or found
        build_entry(model_type, seconds, result)
    else:
        data = {**data, "versions": {**file.versions, LIBRARY: version(LIBRARY)}}
        result["entry"] = with_read_keys(data) if found else data
    result["differences"] = [one.data for one in found]


def differences_from_models(file: TypeFile) -> Iterator[Difference]:
    """Yield how the release differs from a type's file, as far as models show it."""
    sweep = TypeSweep(file.name, lambda _: None, 0.0)
    classes = [name for name in classes_of_type(file.model_type) if sweep.belongs_to_type(name)]
    tried = read_failures().get(file.name, {})
    for name in classes:
        if name not in file.classes and name not in tried:
            yield Difference(DifferenceKind.NEW, f"{name} is new")
    for name in file.classes:
        if name not in classes:
            yield Difference(DifferenceKind.GONE, f"{name} is gone")
            continue
        for why in _mismatches(sweep, file, name):
            yield Difference(DifferenceKind.MODEL, why)
    yield from (
        Difference(DifferenceKind.KEY, f"{path} is a new key") for path in new_keys(sweep, file)
    )


def _mismatches(sweep: TypeSweep, file: TypeFile, name: str) -> Iterator[str]:
    """Yield how models of a class differ from its entry."""
    model_class, config_class = getattr(transformers, name), sweep.config_class
    config = {"model_type": file.model_type}
    try:
        entry = entry_in(file, config, name)
    except ValueError:
        entry = None  # Some size has no default. Random models have one.
    if entry and (problem := find_mismatch(entry, config_class, model_class, config)):
        yield f"{name} at its defaults: {problem}"
    for variant in kept_variants(file, name):
        refusals: list[Mismatch] = []
        try:
            check_variant(
                file, variant, config_class, model_class, Random(CHECK_SEEDS[0]), refusals
            )
        except ValueError as error:
            yield f"{variant_name(variant)}: {error}"
