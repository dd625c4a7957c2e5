"""Verdicts on published numbers: the convention that gives one, as printed, or none."""

import pytest

from paramproof.formulas.families import inventory
from paramproof.formulas.models import named_model
from paramproof.resolver import resolve
from paramproof.views.conventions import totals, verdict, verdict_on_total
from tests.derivations import MIXTURE, H, tensor, with_tensors

COUNTS = {"trainable": 37_552_282_624, "head-only": 36_625_603_584, "neither": 35_698_924_544}


@pytest.mark.parametrize(
    ("printed", "conventions", "how"),
    [
        ("37,552,282,624", ["trainable"], "exact"),
        ("36625603584", ["head-only"], "exact"),
        ("37B", ["head-only"], "rounded to 2 significant digits"),
        ("37.6B", ["trainable"], "rounded to 3 significant digits"),
        ("36.63 billion", ["head-only"], "rounded to 4 significant digits"),
        ("37.55B", ["trainable"], "rounded to 4 significant digits"),
        ("35B", ["neither"], "cut off after the last digit"),
        ("40B", ["trainable", "head-only", "neither"], "rounded to 1 significant digit"),
        ("36,700,000,000", [], "no convention gives it; it differs from trainable by −852,282,624"),
        ("36.7B", [], "no convention gives it; trainable is 37,552,282,624"),
        # 35 in 2³⁰ is 37.6 thousand million: nobody prints parameters like that.
        ("34.97B", [], "no convention gives it; trainable is 37,552,282,624"),
    ],
)
def test_verdict(printed, conventions, how):
    found = verdict(printed, COUNTS)
    assert (list(found.conventions), found.how) == (conventions, how)


def test_totals_of_a_family():
    """Trainable tensors, and with fixed ones; the default comes first."""
    found = totals(inventory(named_model("transformer-one-layer").spec.letters()))
    assert list(found)[:2] == ["trainable", "total"]
    assert found["total"] == 10_152_448
    assert found["without-embeddings"] < found["trainable"]


def test_undecidable_conventions_are_left_out():
    named = with_tensors(tensor("what.weight", H, H)).inventory(MIXTURE.sizes)
    assert totals(named)["trainable"] == 64
    assert "without-heads" not in totals(named)


def test_the_total_of_trainable_tensors_comes_first():
    """Without rounding up, 70,553,706,496 is 70B; without the head it would round to 70B."""
    llama = inventory(resolve("llama-3.1-70b").names.spec.letters())
    assert verdict("70B", totals(llama)).conventions[0] == "without-heads"
    assert verdict_on_total("70B", llama).text == "cut off after the last digit"
    assert verdict_on_total("69.5B", llama).text.endswith(", under without-heads")
    assert not verdict_on_total("72B", llama).conventions
