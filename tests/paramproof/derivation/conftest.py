"""Time that only goes on while models are made: how far they are does not hang on the machine."""

from types import SimpleNamespace

import pytest

from paramproof.derivation import validation


class Clock:
    """``takes`` says how many seconds a model takes; without it none takes any."""

    def __init__(self, monkeypatch):
        self.now, self.spent = 0.0, []
        clock = SimpleNamespace(process_time=lambda: self.now)
        monkeypatch.setattr(validation, "time", clock)

    def takes(self, seconds):
        def unseen(shapes):
            self.now += seconds(shapes)
            self.spent.append(seconds(shapes))
            return []

        return unseen


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)
