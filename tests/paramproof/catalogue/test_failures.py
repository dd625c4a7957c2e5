"""Why something could not be derived is recorded as a reason, not read from text."""

import json

import pytest

from paramproof.derivation.trace_runner import DerivationError, FailureCause
from sweep import store
from sweep.failure import NO_TIME, OF_CAUSES, Failure, Reason, SweepError, reason_of


def not_built(own):
    try:
        raise DerivationError("BertModel is not made", FailureCause.NOT_MADE) from own
    except DerivationError as error:
        return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (not_built(ValueError("requires the timm library")), Reason.NOT_MADE),
        (not_built(ModuleNotFoundError("timm")), Reason.PACKAGE),
        (ImportError("timm"), Reason.PACKAGE),
        (DerivationError("no time was left", FailureCause.NOT_ALIKE), Reason.NOT_ALIKE),
        (DerivationError("its own sizes violate A"), Reason.ERROR),
        (SweepError(Reason.NOT_DRAWN, "none"), Reason.NOT_DRAWN),
        (ValueError("is not made"), Reason.ERROR),
    ],
)
def test_an_error_has_a_reason(error, reason):
    assert reason_of(error) is reason


def test_every_cause_has_a_reason():
    assert OF_CAUSES.keys() == set(FailureCause) - {FailureCause.OTHER}


def test_a_failure_has_the_text_of_its_error():
    """The type of the error comes first, except for the sweep's own errors, which are sentences."""
    assert Failure.of(TypeError("no\nint")) == Failure(Reason.ERROR, "TypeError: no int")
    assert Failure.of(SweepError(*NO_TIME)) == NO_TIME


def test_failures_are_written_and_read(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "FAILED", tmp_path / "failed.json")
    made, late = Failure(Reason.NOT_MADE, "no"), NO_TIME
    store.write_failures("gpt2", {"GPT2Model": made, "GPT2LMHeadModel": late})
    store.write_failures("bert", {"bert": late})
    assert store.read_failures() == {
        "bert": {"bert": late},
        "gpt2": {"GPT2Model": made, "GPT2LMHeadModel": late},
    }
    assert list(store.failures_by_reason().items()) == [
        (Reason.NO_TIME, ["bert", "gpt2: GPT2LMHeadModel"]),
        (Reason.NOT_MADE, ["gpt2: GPT2Model"]),
    ]
    store.write_failures("gpt2", {})
    assert list(json.loads(store.FAILED.read_text("utf-8"))) == ["bert"]
