"""Write a file completely or not at all, even if the process ends half-way."""

from __future__ import annotations

import os
import stat
from pathlib import Path

BESIDE = ".paramproof-"
"""The prefix of the temporary folder, which a killed process leaves behind."""


def write_whole(file: Path, text: str) -> None:
    """Write ``text`` to a temporary file, and replace ``file`` with it, keeping its permissions.

    Raises ``OSError`` if that fails; ``file`` is then unchanged.
    """
    import tempfile  # Takes long to import, and most commands write no file.

    with tempfile.TemporaryDirectory(dir=file.parent, prefix=BESIDE) as beside:
        whole = Path(beside) / "whole"
        with whole.open("w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            whole.chmod(stat.S_IMODE(file.stat().st_mode))
        os.replace(whole, file)
