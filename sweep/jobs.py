"""The jobs that a process of the pool runs for one model type; each fills in a ``Result``."""

from __future__ import annotations

from paramproof.catalogue.files import read_type
from sweep.added_variants import VariantAdder
from sweep.comparison import differences
from sweep.difference import Difference, DifferenceKind
from sweep.pool import Result
from sweep.read_keys import with_read_keys
from sweep.refresh import EntryRefresh
from sweep.store import read_entry


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
    data = read_entry(model_type)
    assert data
    refresh = EntryRefresh(data, seconds)
    refresh.run()
    result |= {"entry": refresh.data, "summary": refresh.summary}
    result |= {"left": refresh.left, "lost": refresh.lost}


def add_reads(model_type: str, seconds: float, result: Result) -> None:
    """Record which keys the classes of a type read. The result has the new ``entry``."""
    data = read_entry(model_type)
    assert data
    result["entry"] = with_read_keys(data)


def add_kind_counts(model_type: str, seconds: float, result: Result) -> None:
    """Add variants that count the kinds in lists of layers. The result has the new ``entry``."""
    _add_variants(model_type, seconds, result, count=True)


def add_bias_variants(model_type: str, seconds: float, result: Result) -> None:
    """Add variants for bias flags that have only one value. The result has the new ``entry``."""
    _add_variants(model_type, seconds, result, count=False)


def _add_variants(model_type: str, seconds: float, result: Result, *, count: bool) -> None:
    data = read_entry(model_type)
    assert data
    adder = VariantAdder(data, seconds, count)
    result["changed"] = adder.run()
    result["failed"] |= adder.failed
    result["entry"] = adder.data


def differences_in(result: Result) -> list[Difference]:
    """Return the differences in a result of ``compare``, and why types could not be derived."""
    failed = (Difference(DifferenceKind.FAILED, one.why) for one in result["failed"].values())
    return [*map(Difference.read, result.get("differences", ())), *failed]
