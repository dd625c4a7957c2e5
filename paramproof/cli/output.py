"""Write to the terminal, and to the file that --json names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rich.console import Console

# In a pipe there is no width to fit.
console = Console(width=None if sys.stdout.isatty() else 1000)
errors = Console(stderr=True)


def require_writable(path: Path) -> None:
    """Check that ``path`` can be written, before a long run and without touching it.

    Raises ``ValueError``, in one line, for a directory, and where there is none to write into.
    """
    file = os.path.realpath(path)
    try:
        os.stat(file)
    except FileNotFoundError:
        folder = os.path.dirname(file)
        writable = os.path.isdir(folder) and os.access(folder, os.W_OK)
    except OSError:  # A file in place of a directory, or a name that is too long.
        writable = False
    else:
        writable = not os.path.isdir(file) and os.access(file, os.W_OK)
    if not writable:
        raise ValueError(f"--json {path}: cannot be written")


def write_file(path: Path, text: str) -> None:
    """Write ``text`` to ``path``; raises ``ValueError`` where that fails, as on a full disk."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"--json {path}: cannot be written: {error.strerror}") from error
