"""End cleanly when a signal asks for it: child processes are ended, the terminal is restored.

Windows has only some of the POSIX signals, so signals are looked up by name.
"""

from __future__ import annotations

import signal
from types import FrameType

ASKING_TO_END = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that ask a process to end. SIGHUP exists only on POSIX, SIGBREAK only on Windows."""

HAS_SIGPIPE = hasattr(signal, "SIGPIPE")

READER_LEFT: int = signal.SIGPIPE if HAS_SIGPIPE else 13
"""The signal that ends a program on POSIX if nobody reads its output any more."""


class Ended(BaseException):
    """A signal has asked this process to end. Not an ``Exception``, so that none is caught."""

    def __init__(self, number: int) -> None:
        self.number = number


def heed_signals() -> None:
    """Raise ``Ended`` at a signal that asks to end, unless it has another handler (nohup)."""
    for number in (getattr(signal, name, None) for name in ASKING_TO_END):
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    # A second signal ends the process at once.
    signal.signal(number, signal.SIG_DFL)
    raise Ended(number)
