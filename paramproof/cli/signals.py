"""End in order when a signal asks for it: what was started is ended, the terminal is left tidy.

Windows has only some of the signals of POSIX; what is absent there is looked up by name.
"""

from __future__ import annotations

import signal
from types import FrameType

ASKING_TO_END = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that ask a process to end. SIGHUP is of POSIX, SIGBREAK of Windows."""

HAS_SIGPIPE = hasattr(signal, "SIGPIPE")

READER_LEFT: int = signal.SIGPIPE if HAS_SIGPIPE else 13
"""The number of the signal that ends a program on POSIX if nobody reads its output any more."""


class Ended(BaseException):
    """A signal has asked this process to end: no error, so that nobody takes it for one."""

    def __init__(self, number: int) -> None:
        self.number = number


def heed_signals() -> None:
    """Raise ``Ended`` at a signal that asks to end, unless its handling was changed (nohup)."""
    for number in (getattr(signal, name, None) for name in ASKING_TO_END):
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    # Whoever asks twice is not kept waiting.
    signal.signal(number, signal.SIG_DFL)
    raise Ended(number)
