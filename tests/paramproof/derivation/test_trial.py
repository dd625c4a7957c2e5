"""The trial of one model at other sizes: as derived, refused, or with other tensors."""

import pytest

from paramproof.derivation.generalization import GeneralTensors, run_trial
from paramproof.formulas.derivation import Consequence, DerivedTensor, Kind, Outcome, Stored
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.recorder import caveat_text

H, L = letter("H"), letter("L")
SIZES = {"H": 8, "L": 2}
WEIGHT = DerivedTensor("layers.*.weight", (H, H), L, "trainable", (), True, True)
STEP = DerivedTensor("step", (H,), expression(1), "buffer", (), True, True)
HALF = DerivedTensor("half", (H / 3,), expression(1), "trainable", (), True, True)
WEIGHTS = Stored(WEIGHT.kind, (8, 8))


class Made:
    """In place of a runner: what it builds, or the error that it raises."""

    def __init__(self, made):
        self.made = made

    def build(self, sizes):
        assert sizes == SIZES
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def trial(made, *tensors):
    found = run_trial(Made(made), GeneralTensors(list(tensors)), SIZES)
    return found.consequence, caveat_text(found.wrong), found.buffers


def test_as_derived():
    made = {WEIGHTS: 2, Stored(STEP.kind, (8,)): 1}
    assert trial(made, WEIGHT, STEP) == (None, "", ())


def test_refused():
    outside, wrong, buffers = trial(ValueError("no\nheads"), WEIGHT)
    assert outside == Consequence(Outcome.REFUSED, "ValueError: no heads")
    assert wrong == "refuses sizes inside the conditions, H = 8, L = 2: ValueError: no heads"
    assert buffers == ()


@pytest.mark.parametrize("there", [0, 1, 3])
def test_another_number_of_times(there):
    outside, wrong, _ = trial({WEIGHTS: there} if there else {}, WEIGHT)
    assert outside == Consequence(Outcome.OTHERS)
    said = f"layers.*.weight of (8, 8) is there {there} times, and not 2"
    assert wrong == f"not as derived at H = 8, L = 2: {said}"


def test_one_more_tensor():
    more = Stored(Kind("bias", "trainable", (), 1), (8,))
    outside, wrong, _ = trial({WEIGHTS: 2, more: 1}, WEIGHT)
    assert outside == Consequence(Outcome.OTHERS)
    assert wrong.endswith(": bias of (8,) is there 1 times, and not 0")


def test_a_buffer_that_is_otherwise_is_no_other_tensor():
    outside, wrong, buffers = trial({WEIGHTS: 2, Stored(STEP.kind, (9,)): 1}, WEIGHT, STEP)
    assert (outside, wrong) == (None, "")
    assert set(buffers) == {STEP.kind}


def test_what_was_seen_of_buffers_stays_with_a_tensor_that_is_otherwise():
    _, wrong, buffers = trial({WEIGHTS: 3, Stored(STEP.kind, (9,)): 1}, STEP, WEIGHT)
    assert wrong.endswith("is there 3 times, and not 2")
    assert set(buffers) == {STEP.kind}


def test_what_is_due_is_no_whole_number():
    outside, wrong, _ = trial({WEIGHTS: 2}, WEIGHT, HALF)
    assert outside == Consequence(Outcome.OTHERS)
    assert wrong.startswith("not as derived at H = 8, L = 2: ")
    assert "8/3" in wrong
