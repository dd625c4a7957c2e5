"""What a process of the pool does for one model type: each function fills in a ``Result``."""

from __future__ import annotations

from paramproof.catalogue.files import read_type
from sweep.added_variants import VariantAdder
from sweep.comparison import differences
from sweep.difference import Difference, DifferenceKind
from sweep.pool import Result
from sweep.read_keys import with_read_keys
from sweep.refresh import EntryRefresh
from sweep.store import read_entry


def compare(model_type: str, seconds: float, found: Result) -> None:
    """Derive a type again: its ``differences`` from what is written, and what is ``held`` alone."""
    there: list[list[str]] = []
    held: list[str] = []
    found |= {"differences": there, "held": held}
    for one in differences(read_type(model_type), seconds, held):
        there.append(one.data)


def refresh(model_type: str, seconds: float, found: Result) -> None:
    """Derive a type again: its ``entry`` with what is new, what is ``left``, and what is ``lost``.

    The ``summary`` says how many are proved.
    """
    data = read_entry(model_type)
    assert data
    refresh = EntryRefresh(data, seconds)
    refresh.run()
    found |= {"entry": refresh.data, "summary": refresh.summary}
    found |= {"left": refresh.left, "lost": refresh.lost}


def add_reads(model_type: str, seconds: float, found: Result) -> None:
    """Find what the classes of a type read: its ``entry`` with what is new."""
    data = read_entry(model_type)
    assert data
    found["entry"] = with_read_keys(data)


def add_kind_counts(model_type: str, seconds: float, found: Result) -> None:
    """Find the lists whose kinds decide: the type's ``entry`` with variants that count them."""
    data = read_entry(model_type)
    assert data
    kinds = VariantAdder(data, seconds)
    found["changed"] = kinds.run()
    found["failed"] |= kinds.failed
    found["entry"] = kinds.data


def add_bias_variants(model_type: str, seconds: float, found: Result) -> None:
    """Add variants of the biases that the type's file has at one value: its ``entry`` with them."""
    data = read_entry(model_type)
    assert data
    kinds = VariantAdder(data, seconds, count=False)
    found["changed"] = kinds.run()
    found["failed"] |= kinds.failed
    found["entry"] = kinds.data


def differences_in(found: Result) -> list[Difference]:
    """Return what ``compare`` has found, and why a type could not be derived again."""
    failed = (Difference(DifferenceKind.FAILED, one.why) for one in found["failed"].values())
    return [*map(Difference.read, found.get("differences", ())), *failed]
