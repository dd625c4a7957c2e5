"""Call sites: the line of a constructor's code that uses a symbolic number."""

from __future__ import annotations

import sys
from os.path import dirname, join
from types import FrameType

_PACKAGE = dirname(dirname(__file__))

OUR_FOLDERS = (join(_PACKAGE, "tracing", ""), join(_PACKAGE, "derivation", ""))
"""The folders whose frames stand between a constructor's code and its sizes."""


MODEL_FILES: set[str] = set()
"""The files whose functions build the model, and may call other code with sizes."""


def model_call_site() -> tuple[str, int]:
    """Return file and line of the innermost frame in the model's own code.

    Falls back to ``call_site`` if no such frame is on the stack.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in MODEL_FILES:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return call_site()


def calling_file() -> str:
    """Return the file of the innermost frame outside of our own folders.

    Frames of generated code are skipped.
    """
    return _asking(*OUR_FOLDERS, "<").f_code.co_filename


def call_site() -> tuple[str, int]:
    """Return file and line of the innermost frame outside of our own folders.

    Frames of generated code, such as a dataclass's ``__eq__``, are skipped.
    """
    frame = _asking(*OUR_FOLDERS, "<string")
    return frame.f_code.co_filename, frame.f_lineno


def _asking(*between: str) -> FrameType:
    """Return the innermost frame whose file name begins with none of these prefixes."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(between):
        frame = frame.f_back
    return frame
