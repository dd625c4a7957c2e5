"""Tracing that hears when code reads a number back from a tensor that sizes made.

Such a number is a plain float or int: nobody hears what is asked of it.
"""

from __future__ import annotations

from typing import Any, Self

from paramproof.builders.small_values import LISTENERS
from paramproof.derivation.questions import note_doubt
from paramproof.derivation.torch_tracing import Tracing


class ListeningTracing(Tracing):
    """Remembers how tensors were made, and notes each number that is read back from one."""

    def __enter__(self) -> Self:
        LISTENERS.append(_note)
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        LISTENERS.remove(_note)


def _note() -> None:
    note_doubt("a number was read back from a tensor that sizes made")
