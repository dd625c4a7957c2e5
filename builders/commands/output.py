"""Where the commands write: to the terminal, and to a file that was asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rich.console import Console

# In a pipe there is no width to fit.
console = Console(width=None if sys.stdout.isatty() else 1000)
errors = Console(stderr=True)


def require_writable(path: Path) -> None:
    """Find out before a long run, not after it, and without touching what is there."""
    target = path if path.exists() else path.parent
    if path.is_dir() or not target.exists() or not os.access(target, os.W_OK):
        raise ValueError(f"--json {path}: cannot be written")
