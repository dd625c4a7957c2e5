"""Where in a constructor's code something is asked of a size."""

from __future__ import annotations

import sys
from os.path import dirname, join
from types import FrameType

_PACKAGE = dirname(dirname(__file__))

OUR_FOLDERS = (join(_PACKAGE, "tracing", ""), join(_PACKAGE, "derivation", ""))
"""The folders whose frames stand between a constructor's code and its sizes."""


MODEL_FILES: set[str] = set()
"""The files whose code makes models: what they call may ask for them."""


def model_call_site() -> tuple[str, int]:
    """Return file and line of the model's code that asked, through whatever it called."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename in MODEL_FILES:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return call_site()


def calling_file() -> str:
    """Return the file of the code that asked: the first that is not of this package.

    What has no file was generated, and asks for whoever called it.
    """
    return _asking(*OUR_FOLDERS, "<").f_code.co_filename


def call_site() -> tuple[str, int]:
    """Return file and line of the code that asked: the first that is not of this package.

    What has no file, as a dataclass's comparison, asks for whoever called it.
    """
    frame = _asking(*OUR_FOLDERS, "<string")
    return frame.f_code.co_filename, frame.f_lineno


def _asking(*between: str) -> FrameType:
    """Return the innermost frame whose file's name does not begin as one of those between."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(between):
        frame = frame.f_back
    return frame
