"""End in order when a signal asks for it: what was started is ended, the terminal is left tidy."""

from __future__ import annotations

import signal
from types import FrameType


class Ended(BaseException):
    """A signal has asked this process to end: no error, so that nobody takes it for one."""

    def __init__(self, number: int) -> None:
        self.number = number


def heed_signals() -> None:
    """Raise ``Ended`` at SIGTERM and SIGHUP, unless somebody has decided otherwise (nohup)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    # Whoever asks twice is not kept waiting.
    signal.signal(number, signal.SIG_DFL)
    raise Ended(number)
