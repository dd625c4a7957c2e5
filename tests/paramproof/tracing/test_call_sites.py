"""What is asked and doubted of sizes has the place in the code that did it."""

import inspect
from dataclasses import dataclass

from paramproof.formulas.expression import letter
from paramproof.tracing.recorder import caveat_text, recording
from paramproof.tracing.symbolic.symint import SymInt


def size(value):
    return SymInt(value, letter("H"))


def line():
    """The line of whoever calls."""
    return inspect.currentframe().f_back.f_lineno


def places(recorder):
    (found,) = recorder.guards.values()
    return found


def test_each_place_that_asks():
    with recording() as recorder:
        for _ in range(3):
            assert size(9) > 4
        again = line() + 1
        assert size(7) > 4
    assert places(recorder) == {(__file__, again - 2), (__file__, again)}


def test_a_comparison_that_python_writes_asks_for_whoever_compares():
    """A dataclass's own methods have no file."""

    @dataclass
    class Config:
        width: int

    with recording() as recorder:
        here = line() + 1
        assert Config(size(9)) == Config(9)
    assert places(recorder) == {(__file__, here)}


def test_a_doubt():
    with recording() as recorder:
        here = line() + 1
        hash(size(9))
    assert [*map(caveat_text, recorder.caveats)] == [
        f"H was looked up in a dict or a set (test_call_sites.py:{here})"
    ]
