"""The jobs that a process of the pool runs for one model type; each fills in a ``Result``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from paramproof.catalogue.files import read_type
from sweep.entries.added_classes import ClassAdder
from sweep.entries.added_values import ValueAdder, with_zero_sizes
from sweep.entries.added_variants import VariantAdder
from sweep.entries.comparison import Difference, DifferenceKind, differences
from sweep.entries.older_names import with_older_names
from sweep.entries.refresh import EntryRefresh
from sweep.fields.filled_values import with_filled_values
from sweep.fields.late_aliases import with_late_aliases
from sweep.fields.limits import with_bounds, with_stages
from sweep.fields.older_keys import with_networks
from sweep.fields.read_keys import with_read_keys
from sweep.fields.spellings import with_spellings
from sweep.pool import Result, Work
from sweep.store import read_entry


def _data_of(model_type: str) -> dict[str, Any]:
    """Return the JSON of a type's file, which there must be."""
    data = read_entry(model_type)
    assert data
    return data


def compare(model_type: str, seconds: float, result: Result) -> None:
    """Derive a type again, and compare it with its file.

    The result has the ``differences``, and in ``held`` the variants that were only checked with
    random models.
    """
    lines: list[list[str]] = []
    held: list[str] = []
    result |= {"differences": lines, "held": held}
    for one in differences(read_type(model_type), seconds, held):
        lines.append(one.data)


def refresh(model_type: str, seconds: float, result: Result) -> None:
    """Derive a type again, and refresh the status of its variants.

    The result has the new ``entry``, a ``summary`` of how many variants are proved, the lines that
    say what is ``left`` unchanged, and the variants whose proof is ``lost``.
    """
    refresh = EntryRefresh(_data_of(model_type), seconds)
    refresh.run()
    result |= {"entry": refresh.data, "summary": refresh.summary}
    result |= {"left": refresh.left, "lost": refresh.lost}


def _rewrite(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Work:
    """Return the job that applies a change to a file. The result has the new ``entry``."""

    def work(model_type: str, seconds: float, result: Result) -> None:
        data = _data_of(model_type)
        result["entry"] = change(data)
        result["changed"] = result["entry"] != data

    return work


def _add_variants(count: bool, model_type: str, seconds: float, result: Result) -> None:
    adder = VariantAdder(_data_of(model_type), seconds, count)
    result["changed"] = adder.run()
    result["failed"] |= adder.failed
    result["entry"] = with_read_keys(adder.data) if result["changed"] else adder.data


def _add_values(model_type: str, seconds: float, result: Result) -> None:
    adder = ValueAdder(_data_of(model_type))
    result["changed"] = adder.run()
    result |= {"entry": adder.data, "added": adder.added}


def _add_classes(model_type: str, seconds: float, result: Result) -> None:
    adder = ClassAdder(_data_of(model_type), seconds)
    result["changed"] = adder.run()
    result["failed"] |= adder.failed
    result["entry"] = adder.data
    if adder.added:
        result["added"] = {"classes": adder.added}


UPDATES: Mapping[str, Work] = {
    "reads": _rewrite(with_read_keys),
    "late-aliases": _rewrite(with_late_aliases),
    "older-names": _rewrite(with_older_names),
    "filled-values": _rewrite(with_filled_values),
    "stages": _rewrite(with_stages),
    "spellings": _rewrite(with_spellings),
    "networks": _rewrite(with_networks),
    "bounds": _rewrite(with_bounds),
    "zeros": _rewrite(with_zero_sizes),
    "classes": _add_classes,
    "values": _add_values,
    "kinds": partial(_add_variants, True),
    "biases": partial(_add_variants, False),
}
"""The jobs that update one part of a file, by their names on the command line."""


def differences_in(result: Result) -> list[Difference]:
    """Return the differences in a result of ``compare``, and why types could not be derived."""
    failed = (Difference(DifferenceKind.FAILED, one.why) for one in result["failed"].values())
    return [*map(Difference.read, result.get("differences", ())), *failed]
