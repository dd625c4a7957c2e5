"""Constructors written to fool a derivation do not make it give a wrong count."""

import re
from collections import Counter

import pytest

from tests.foolers import expectations
from tests.foolers.choosing import defaults, sizes_of
from tests.foolers.families import FOOLERS, HARMLESS
from tests.foolers.judging import Outcome, judge_entry, layout

pytestmark = [
    pytest.mark.framework("torch"),
    # Several of them warn on purpose, and NumPy and PyTorch warn about their use of sizes.
    pytest.mark.filterwarnings("ignore"),
]

EVERY = [pytest.param(one, id=one.name) for one in (*FOOLERS.values(), *HARMLESS.values())]


@pytest.mark.parametrize("entry", EVERY)
def test_never_proved_and_wrong(entry):
    assert judge_entry(entry).wrongly_proved == []


@pytest.mark.parametrize("entry", EVERY)
def test_never_wrong_without_a_caveat(entry):
    """A fitted formula may be wrong only if a caveat names a line of the constructor."""
    assert judge_entry(entry).wrong_without_a_caveat == []


@pytest.mark.parametrize(("name", "outcome"), expectations.FOOLERS.items())
def test_the_outcome_of_a_fooler(name, outcome):
    assert judge_entry(FOOLERS[name]).outcome is Outcome(outcome)


@pytest.mark.parametrize(("name", "outcome"), expectations.HARMLESS.items())
def test_the_outcome_of_a_harmless_constructor(name, outcome):
    assert judge_entry(HARMLESS[name]).outcome is Outcome(outcome)


def test_every_entry_has_a_recorded_outcome():
    """If an outcome is missing: ``python -m tests.foolers --record``, and review the diff.

    The order of the entries is that in which their modules were imported.
    """
    assert expectations.FOOLERS.keys() == FOOLERS.keys()
    assert expectations.HARMLESS.keys() == HARMLESS.keys()


def test_there_are_enough_constructors():
    assert len(FOOLERS) >= 100
    assert len(HARMLESS) >= 20


@pytest.mark.parametrize(
    "entry", [pytest.param(one, id=one.name) for one in FOOLERS.values() if not one.in_lengths]
)
def test_every_model_changes_at_its_turn(entry):
    """Just before the turn a model has its usual tensors, and at the turn others."""
    own = defaults(entry.function)
    at = {**own, **{name: turns[0] for name, turns in entry.turns.items()}}
    assert _kinds(entry, own) != _kinds(entry, at)
    for name, (turn, *_) in entry.turns.items():
        # The possible depth of a recursion depends on the caller.
        before = 50 if entry.name == "too_deep_a_recursion" else turn - 1
        assert _kinds(entry, own) == _kinds(entry, {**at, name: before})


def _kinds(entry, sizes):
    """Return the parameters' names, and their numbers where there is not one for each layer."""
    paths = Counter(re.sub(r"\d+", "*", path) for path in layout(entry.function, sizes))
    return {path: "each" if number == sizes["n"] else number for path, number in paths.items()}


def test_sizes_are_on_both_sides_of_each_turn():
    for entry in FOOLERS.values():
        for name, turns in entry.turns.items():
            tried = [sizes[name] for sizes in sizes_of(entry)]
            assert min(tried) < turns[0] <= max(tried)
