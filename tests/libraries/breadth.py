"""Everything that is derived in two libraries: classes of diffusers, architectures of timm."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

from tests.libraries import automatic
from tests.libraries.comparing import Work

# isort: split
import diffusers
import timm
import torch

NUMBER = 10
"""Distant sizes at which each one is compared."""

ARCHITECTURES = 100
"""The minimum number of architectures of timm."""


def works(library: str) -> list[Work]:
    """Return the work for a library."""
    names = diffusers_classes() if library == "diffusers" else timm_architectures()
    reference = f"{automatic.__name__}:{library}__{{}}"
    return [Work(f"{library}.{name}", reference.format(name), NUMBER, {}) for name in names]


def diffusers_classes() -> list[str]:
    """Return every model class of diffusers that builds from its defaults, in that order."""
    return [name for name in sorted(diffusers._class_to_module) if _builds(name)]


def _builds(name: str) -> bool:
    try:
        cls = getattr(diffusers, name)
        if not (inspect.isclass(cls) and issubclass(cls, diffusers.ModelMixin)):
            return False
        with torch.device("meta"):
            cls()
    except Exception:
        return False
    return cls is not diffusers.ModelMixin


def timm_architectures() -> list[str]:
    """Return the first architecture of each class of timm, then the second ones, to 100.

    Architectures that build a model without timm's builder are left out.
    """
    by_class: dict[object, list[str]] = {}
    for name in timm.list_models():
        try:
            cls, _, _ = automatic.timm_call(name)
        except ValueError:
            continue
        by_class.setdefault(cls, []).append(name)
    found = list(_in_rounds(by_class.values()))
    return found[: max(ARCHITECTURES, len(by_class))]


def _in_rounds(lists: Iterable[list[str]]) -> Iterator[str]:
    # The classes with most architectures give a second one first.
    left = sorted(lists, key=len, reverse=True)
    while left:
        yield from (names[0] for names in left)
        left = [names[1:] for names in left if len(names) > 1]
