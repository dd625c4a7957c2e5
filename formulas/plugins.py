"""Plug-ins: families and frameworks that other distributions register as entry points.

A broken plug-in must not stop those who never use it: it is left out and noted here, and raises an
error only if somebody names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_broken: dict[tuple[str, str], InvalidInput] = {}


def entries(group: str) -> list[EntryPoint]:
    """Return the entry points registered under ``group``, sorted by name."""
    from importlib import metadata  # Importing it takes long, and a count needs no plug-in.

    return sorted(metadata.entry_points(group=group))


def note_broken(entry: EntryPoint, problem: object) -> None:
    """Record that a plug-in cannot be used because of ``problem``, an exception or a text."""
    kind = f"{type(problem).__name__}: " if isinstance(problem, BaseException) else ""
    what = legible(f"{kind}{problem}", MAX_NOTE_SHOWN)
    owner = f" of {legible(entry.dist.name)}" if entry.dist else ""
    reason = f"the plug-in {legible(entry.name)}{owner} cannot be used: {what}"
    # A plug-in may be loaded several times: keep the first error.
    _broken.setdefault((entry.group, entry.name), InvalidInput(reason, where=entry.value))


def broken_plugins() -> tuple[InvalidInput, ...]:
    """Return the error of each broken plug-in that this process has met."""
    return tuple(_broken.values())


def require_whole(group: str, name: object) -> None:
    """Raise ``InvalidInput`` if the plug-in registered as ``name`` under ``group`` is broken."""
    for (of, registered), error in _broken.items():
        if of == group and isinstance(name, str) and registered.casefold() == name.casefold():
            raise error


def forget_broken() -> None:
    """Forget all recorded errors, for a test that installs other plug-ins."""
    _broken.clear()
