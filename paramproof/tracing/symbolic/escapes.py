"""Record where a symbolic value becomes a plain one, which cannot be followed any further.

Functions written in C ask for the value. That is a caveat with the line that called them, unless
the caller is trusted: PyTorch creates tensors from sizes, and logging decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from paramproof.tracing.call_sites import calling_file
from paramproof.tracing.recorder import record_caveat

if TYPE_CHECKING:
    from paramproof.tracing.symbolic.number import SymbolicNumber
    from paramproof.tracing.symbolic.symstr import SymStr

TRUSTED_FOLDERS = (
    "/torch/",  # Creates tensors, whose shapes are traced.
    "/keras/src/",  # Creates arrays, whose shapes are fitted.
    "/transformers/modeling_utils.py",  # Creates no tensors; ties tensors by name.
    "/logging/",
    "/logging.py",
    "/warnings.py",
    "/dataclasses.py",
    "/huggingface_hub/dataclasses.py",  # Checks types, and stores values.
    "/copy.py",
    "/copyreg.py",
    "/pickle.py",
    "/typing.py",
    "/abc.py",
)
"""Files whose code is assumed to decide nothing by the numbers it receives."""

GENERATION_CONFIG = "/transformers/generation/configuration_utils.py"
"""A file that is instrumented, but creates no tensors: it configures text generation."""

_trusted = 0


@contextmanager
def trusting() -> Iterator[None]:
    """Record no caveats for values that become plain inside the context."""
    global _trusted
    _trusted += 1
    try:
        yield
    finally:
        _trusted -= 1


@cache
def is_trusted_file(name: str) -> bool:
    """Return whether the code of a file is assumed to decide nothing by sizes."""
    return any(folder in name for folder in TRUSTED_FOLDERS)


def is_asked_by_trusted_code() -> bool:
    """Return whether the code that uses a size now is assumed to decide nothing by it."""
    file = calling_file()
    return is_trusted_file(file) or file.endswith(GENERATION_CONFIG)


def record_escape(size: SymbolicNumber | SymStr, became: str) -> None:
    """Record what a symbolic value ``became``, unless the code that asked is trusted."""
    if not _trusted and not is_asked_by_trusted_code():
        record_caveat(size.expression, f" {became}")
