"""How often a random number gets an explanation: measured, and stated in the docs."""

from random import Random

import pytest

from docs.writers import explain_page, explain_rate
from docs.writers.blocks import AGAIN, block
from paramproof.counting.explained import explained
from paramproof.explanation.number import read


@pytest.fixture(scope="module")
def rates():
    return explain_rate.rates()


def test_under_one_percent(rates):
    exact = {what: rate for what, rate in rates.items() if "multiple" not in what}
    assert len(exact) == 12
    assert {what: rate for what, rate in exact.items() if rate >= 1} == {}


def test_the_page_states_the_measured_rates(rates):
    stated = block("rate", explain_page.PAGE.read_text("utf-8"))
    assert stated == explain_page.rate_table(rates), AGAIN


def test_the_rate_agrees_with_the_command():
    """A number counts as explained exactly if `explain` finds an explanation."""
    known, random = explain_rate.reached(), Random(0)
    numbers = [random.choice(sorted(known)) for _ in range(3)]
    numbers += [671_026_404_352, 37_552_282_624]  # DeepSeek-V3, which no family describes.
    for number in [*numbers, *(number + 1 for number in numbers)]:
        found = explained(read(str(number))).found
        exact = [one for one in found if not one.reading]
        assert bool(exact) == (number in known), number


def test_a_wider_grammar_is_noticed():
    """A measure that cannot rise would be useless: explain every fiftieth, and it rises."""
    wide = set(range(10**5, 10**6, 50))
    numbers = [explain_rate.of_as_many_digits(Random(seed), 6) for seed in range(2_000)]
    assert explain_rate.rate(numbers, wide) > 1
