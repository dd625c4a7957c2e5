"""Constructors written to fool a derivation do not make it give a wrong count."""

import re
from collections import Counter

import pytest

from docs.writers.blocks import AGAIN, PAGES, block
from docs.writers.evidence import foolers
from tests.foolers.entries import FOOLERS, HARMLESS, load
from tests.foolers.judging import judge_entry, layout

load()

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.shared("350 constructors are derived, and compared with models"),
    # Several of them warn on purpose, and NumPy and PyTorch warn about their use of sizes.
    pytest.mark.filterwarnings("ignore"),
]


def parameters(entries):
    return [pytest.param(one, id=one.name) for one in entries]


@pytest.mark.parametrize("entry", parameters((*FOOLERS.values(), *HARMLESS.values())))
def test_the_outcome(entry):
    """Never proved and wrong; and wrong if fitted only where a caveat names a line."""
    verdict = judge_entry(entry)
    assert verdict.wrongly_proved == []
    assert verdict.wrong_without_a_caveat == []
    assert verdict.outcome == entry.outcome, verdict.reasons
    assert not any("\n" in reason for reason in verdict.reasons)


def test_there_are_enough_constructors():
    assert len(FOOLERS) >= 350
    assert len(HARMLESS) >= 28
    text = PAGES["evidence"].read_text("utf-8")
    assert block("foolers", text).strip() == foolers(), f"{AGAIN} evidence --measure"


@pytest.mark.parametrize("entry", parameters(FOOLERS.values()))
def test_every_model_changes_at_its_turn(entry):
    """Just before the turn a model has its usual tensors, and at the turn others."""
    own = entry.defaults
    for name, turns in entry.turns.items():
        tried = [sizes[name] for sizes in entry.sizes()]
        assert min(tried) < turns[0] <= max(tried)
    if entry.in_lengths:
        return
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
