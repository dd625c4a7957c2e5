"""The folder of a hunt, which one hunt at a time may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import path_text
from paramproof.hunt.files import make_folder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Create ``folder`` if missing, and lock it in this context; it is also freed at exit.

    Raises ``InvalidInput``, whose ``where`` is the folder, if another hunt uses it, and as
    ``make_folder`` does.
    """
    make_folder(folder)
    if fcntl is None:
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            reason = "another hunt is using it: wait for its end, or give another --folder"
            raise InvalidInput(reason, where=path_text(folder)) from None
        except OSError:  # The file system has no locks, as some network file systems.
            pass
        yield
    finally:
        os.close(lock)
