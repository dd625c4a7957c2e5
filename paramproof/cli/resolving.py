"""Models that users name, with what is said while a formula is derived."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rich.status import Status

from paramproof.cli.output import errors
from paramproof.formulas.printing import legible
from paramproof.resolver import (
    AnyModel,
    DerivedModel,
    Note,
    derivation_for,
    resolve,
    resolve_type,
)
from paramproof.sources.resolve import Undescribed


def resolving(text: str, architecture: str = "") -> AnyModel:
    """Return ``resolve(text, architecture)``, and say meanwhile how far it is."""
    with _told() as note:
        return resolve(text, architecture, note)


def resolving_unknown(undescribed: Undescribed) -> DerivedModel:
    """Return ``derivation_for(undescribed)``, and say meanwhile how far it is."""
    with _told() as note:
        return derivation_for(undescribed, note=note)


def resolving_type(text: str, architecture: str = "") -> AnyModel:
    """Return ``resolve_type(text, architecture)``, and say meanwhile how far it is."""
    with _told() as note:
        return resolve_type(text, architecture, note)


@contextmanager
def _told() -> Iterator[Note]:
    """Print what is noted while it lasts, once there is something."""
    with ExitStack() as stack:
        shown: list[Status] = []

        def note(line: str) -> None:
            if not shown:
                shown.append(stack.enter_context(errors.status("starting a process")))
            shown[0].update(legible(line))

        yield note
