"""The folder of a hunt: made where it is missing, and held by one hunt at a time."""

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
    """Hold ``folder`` in this context; the end of this process frees it, too.

    Raises ``InvalidInput``, whose ``where`` is the folder, where another hunt is running in it, and
    as ``make_folder`` does.
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
            reason = "a hunt is running there: wait for its end, or give another --folder"
            raise InvalidInput(reason, where=path_text(folder)) from None
        except OSError:  # A file system without locks, as some that machines share.
            pass
        yield
    finally:
        os.close(lock)
