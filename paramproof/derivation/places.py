"""Where in a constructor's code something is asked of a size."""

from __future__ import annotations

import sys


def place() -> tuple[str, int]:
    """Return file and line of the code that asked: the first that is not of this package.

    What has no file, as a dataclass's comparison, asks for whoever called it.
    """
    frame = sys._getframe(1)
    while frame.f_back and (
        frame.f_globals.get("__package__") == __package__
        or frame.f_code.co_filename.startswith("<string")
    ):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
