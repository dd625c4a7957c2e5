"""Plug-ins: what other distributions register under an entry point group.

Nobody asked for a plug-in that is merely installed: one that is broken is left out and noted here,
and is an error only where it is asked for by name.
"""

from __future__ import annotations

from importlib import metadata

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible

_broken: dict[tuple[str, str], InvalidInput] = {}


def entries(group: str) -> list[metadata.EntryPoint]:
    """Return what is registered under ``group``, in the order of the names."""
    return sorted(metadata.entry_points(group=group))


def note_broken(entry: metadata.EntryPoint, problem: object) -> None:
    """Note that a plug-in cannot be used because of ``problem``, an error or a text."""
    kind = f"{type(problem).__name__}: " if isinstance(problem, BaseException) else ""
    what = legible(f"{kind}{problem}", MAX_NOTE_SHOWN)
    owner = f" of {legible(entry.dist.name)}" if entry.dist else ""
    reason = f"the plug-in {legible(entry.name)}{owner} cannot be used: {what}"
    # A module is looked at again and again: the first error is the one that may be raised.
    _broken.setdefault((entry.group, entry.name), InvalidInput(reason, where=entry.value))


def broken_plugins() -> tuple[InvalidInput, ...]:
    """Return what is wrong with each broken plug-in that this process has met."""
    return tuple(_broken.values())


def require_whole(group: str, name: object) -> None:
    """Raise ``InvalidInput`` where the plug-in registered as ``name`` under ``group`` is broken."""
    for (of, registered), error in _broken.items():
        if of == group and isinstance(name, str) and registered.casefold() == name.casefold():
            raise error


def forget_broken() -> None:
    """Forget what was noted, as where other plug-ins are installed than before."""
    _broken.clear()
