"""Models that users name, with what is said while a formula is derived."""

from __future__ import annotations

from contextlib import ExitStack

from rich.status import Status

from paramproof.cli.output import errors
from paramproof.derive.models import AnyModel, resolve
from paramproof.formulas.printing import legible


def resolving(text: str, architecture: str = "") -> AnyModel:
    """Return ``resolve(text, architecture)``, and say meanwhile how far it is."""
    with ExitStack() as stack:
        shown: list[Status] = []

        def note(line: str) -> None:
            if not shown:
                shown.append(stack.enter_context(errors.status("starting a process")))
            shown[0].update(legible(line))

        return resolve(text, architecture, note)
