"""What is asked and doubted of sizes has the place in the code that did it."""

import inspect
from dataclasses import dataclass

from paramproof.derivation.doubts import written
from paramproof.derivation.questions import recorded
from paramproof.derivation.symbolic.size import Size
from paramproof.formulas.expression import letter


def size(value):
    return Size(value, letter("H"))


def line():
    """The line of whoever calls."""
    return inspect.currentframe().f_back.f_lineno


def places(recorder):
    (found,) = recorder.asked.values()
    return found


def test_each_place_that_asks():
    with recorded() as recorder:
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

    with recorded() as recorder:
        here = line() + 1
        assert Config(size(9)) == Config(9)
    assert places(recorder) == {(__file__, here)}


def test_a_doubt():
    with recorded() as recorder:
        here = line() + 1
        hash(size(9))
    assert [*map(written, recorder.doubts)] == [f"H was looked up (test_places.py:{here})"]
