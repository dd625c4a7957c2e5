"""Constructors that were written to fool a derivation do not get a wrong count out of it."""

import re
from collections import Counter

import pytest

from tests.foolers import expectations
from tests.foolers.choosing import defaults, sizes_of
from tests.foolers.families import FOOLERS, HARMLESS
from tests.foolers.judging import Outcome, judged, layout

pytestmark = [
    pytest.mark.framework("torch"),
    # Several of them warn on purpose, and NumPy and PyTorch warn of what they do with sizes.
    pytest.mark.filterwarnings("ignore"),
]

EVERY = [pytest.param(one, id=one.name) for one in (*FOOLERS.values(), *HARMLESS.values())]


@pytest.mark.parametrize("entry", EVERY)
def test_never_proved_and_wrong(entry):
    assert judged(entry).wrongly_proved == []


@pytest.mark.parametrize("entry", EVERY)
def test_never_wrong_without_a_caveat(entry):
    """A fitted formula may be wrong only where a caveat names a line of the constructor."""
    assert judged(entry).wrong_without_a_caveat == []


@pytest.mark.parametrize(("name", "outcome"), expectations.FOOLERS.items())
def test_what_comes_out(name, outcome):
    assert judged(FOOLERS[name]).outcome is Outcome(outcome)


@pytest.mark.parametrize(("name", "outcome"), expectations.HARMLESS.items())
def test_what_comes_out_of_the_harmless(name, outcome):
    assert judged(HARMLESS[name]).outcome is Outcome(outcome)


def test_an_outcome_is_recorded_for_each():
    """Where one is missing: ``python -m tests.foolers --record``, and read the difference."""
    assert list(expectations.FOOLERS) == list(FOOLERS)
    assert list(expectations.HARMLESS) == list(HARMLESS)


def test_there_are_enough():
    assert len(FOOLERS) >= 100
    assert len(HARMLESS) >= 20


@pytest.mark.parametrize(
    "entry", [pytest.param(one, id=one.name) for one in FOOLERS.values() if not one.in_lengths]
)
def test_each_turns_where_it_says(entry):
    """Just before its turn a model has the tensors of its own sizes, and at it others."""
    own = defaults(entry.function)
    at = {**own, **{name: turns[0] for name, turns in entry.turns.items()}}
    assert _kinds(entry, own) != _kinds(entry, at)
    for name, (turn, *_) in entry.turns.items():
        # How deep a recursion may be depends on who begins it.
        before = 50 if entry.name == "too_deep_a_recursion" else turn - 1
        assert _kinds(entry, own) == _kinds(entry, {**at, name: before})


def _kinds(entry, sizes):
    """Return the names of the parameters, and how many there are where not one for each layer."""
    paths = Counter(re.sub(r"\d+", "*", path) for path in layout(entry.function, sizes))
    return {path: "each" if number == sizes["n"] else number for path, number in paths.items()}


def test_the_sizes_lie_on_both_sides():
    for entry in FOOLERS.values():
        for name, turns in entry.turns.items():
            tried = [sizes[name] for sizes in sizes_of(entry)]
            assert min(tried) < turns[0] <= max(tried)
