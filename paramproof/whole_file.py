"""A file that is there whole or not at all, whatever ends half-way."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

BESIDE = ".paramproof-"
"""How the folder begins in which a file is written; a process that is killed leaves it there."""


def write_whole(file: Path, text: str) -> None:
    """Write ``text`` beside ``file`` and put it in its place, with the permissions it has.

    Raises ``OSError`` where that fails: what was there is as it was.
    """
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=BESIDE) as beside:
        whole = Path(beside) / "whole"
        with whole.open("w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            whole.chmod(stat.S_IMODE(file.stat().st_mode))
        os.replace(whole, file)
