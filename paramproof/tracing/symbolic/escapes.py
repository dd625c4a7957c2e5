"""Where a size becomes a plain number, and nothing that is done with it is followed any more.

Functions written in C ask a size for its number. That is a caveat with the place that called them,
unless whoever asks is known: PyTorch makes tensors of sizes, and what is logged decides nothing.
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
    "/torch/",  # Makes tensors: their shapes are traced where they are made.
    "/keras/src/",  # Makes arrays: their shapes are read from models of many sizes.
    "/transformers/modeling_utils.py",  # Makes no tensors, and ties those of others by name.
    "/logging/",
    "/logging.py",
    "/warnings.py",
    "/dataclasses.py",
    "/huggingface_hub/dataclasses.py",  # Checks types, and stores what it is given.
    "/copy.py",
    "/copyreg.py",
    "/pickle.py",
    "/typing.py",
    "/abc.py",
)
"""Files whose code is assumed to decide nothing by the numbers that it is given."""

DESCRIPTION = "/transformers/generation/configuration_utils.py"
"""A file that is followed, and makes no tensors: it says how text is generated with them."""

_trusted = 0


@contextmanager
def trusted() -> Iterator[None]:
    """Let sizes become plain numbers inside without a caveat."""
    global _trusted
    _trusted += 1
    try:
        yield
    finally:
        _trusted -= 1


@cache
def is_trusted_file(name: str) -> bool:
    """Whether the code of this file is assumed to decide nothing by a size's number."""
    return any(folder in name for folder in TRUSTED_FOLDERS)


def is_asked_by_trusted_code() -> bool:
    """Whether the code that asks now is assumed to decide nothing by the answer."""
    file = calling_file()
    return is_trusted_file(file) or file.endswith(DESCRIPTION)


def escaped(size: SymbolicNumber | SymStr, became: str) -> None:
    """Note that a size ``became`` something else, unless whoever asked for it is trusted."""
    if not _trusted and not is_asked_by_trusted_code():
        record_caveat(size.expression, f" {became}")
