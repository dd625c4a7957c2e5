"""Build the file of a model type from nothing, or bring it to another release of transformers.

Most types build the same tensors in the next release, whatever was edited in their source. So a
file is first checked against models that the release builds, of the type's own configuration and of
random ones. The type is derived again only if one of them differs, or if it has a new class.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from importlib.metadata import version
from random import Random
from typing import Any

import transformers

from paramproof.catalogue.derivations import kept_variants
from paramproof.catalogue.entries import entry_in
from paramproof.catalogue.files import TypeFile, parse_type
from sweep.entries.added_values import with_zero_sizes
from sweep.entries.added_variants import VariantAdder
from sweep.entries.comparison import Difference, DifferenceKind, differences, new_keys, variant_name
from sweep.entries.entry_builder import EntryBuilder
from sweep.entries.older_names import with_older_names
from sweep.entries.repair import CHECK_SEEDS, EntryRepair
from sweep.entries.type_sweep import TypeSweep
from sweep.fields.filled_values import with_filled_values
from sweep.fields.limits import with_bounds, with_stages
from sweep.fields.older_keys import with_networks
from sweep.fields.read_keys import with_read_keys
from sweep.fields.spellings import with_spellings
from sweep.library.model import Mismatch, find_mismatch
from sweep.library.model_types import WIDELY_USED, classes_of_type
from sweep.samples.fuzz import check_variant
from sweep.store import read_entry, read_failures


def build_entry(model_type: str, seconds: float, result: dict[str, Any]) -> None:
    """Build the file of a type: put its ``entry`` into ``result``, and what ``failed``."""
    sweep = TypeSweep(model_type, lambda _: None, seconds)
    result["failed"] = sweep.failed
    sweep.run()
    signal.setitimer(signal.ITIMER_PROF, 0)
    # A choice of stages that a shallower backbone lacks is refused, and no mismatch.
    data = with_stages(EntryBuilder(sweep).build())
    repair = EntryRepair(data)
    repair.run(CHECK_SEEDS if model_type in WIDELY_USED.split() else CHECK_SEEDS[:1])
    sweep.failed |= repair.failed
    result["entry"] = with_read_keys(data)
    adder = VariantAdder(result["entry"], seconds)
    # The new variants may read what the others do not, as LFM2's convolutions read conv_bias.
    data = with_read_keys(adder.data) if adder.run() else adder.data
    data = with_networks(with_bounds(with_filled_values(with_older_names(data))))
    result["entry"] = with_zero_sizes(with_spellings(data))
    result["failed"] |= adder.failed


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
