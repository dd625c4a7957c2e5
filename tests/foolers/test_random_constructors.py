"""Constructors that nobody wrote: whatever is called proved is right, near and far."""

import os
from collections import Counter
from random import Random

import pytest
from hypothesis import given, note, settings

from tests.foolers.judging import Outcome, in_letters, judge
from tests.foolers.random_constructors import SIZES, module_of, sources

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.filterwarnings("ignore"),
]

EXAMPLES = int(os.environ.get("RANDOM_CONSTRUCTORS", max(200, settings().max_examples)))
FACTORS = (0.3, 1, 1.5, 3, 7, 40, 40, 300, 300)
CANDIDATES = 60
BUILT = 12


def sizes_inside(found):
    """Return sizes that the formula accepts: near the constructor's own, and far."""
    random, inside = Random(0), [dict(SIZES)]
    for _ in range(CANDIDATES):
        factors = {name: random.choice(FACTORS) for name in SIZES}
        if random.random() < 0.5:
            # One size alone is far more often inside than all of them.
            factors = dict.fromkeys(SIZES, 1) | dict([random.choice(list(factors.items()))])
        sizes = {
            name: max(1, int(size * factors[name]) + random.randint(-2, 2))
            for name, size in SIZES.items()
        }
        if found.holds_at(in_letters(found, sizes)):
            inside.append(sizes)
    return inside[:BUILT]


def test_never_wrong(tmp_path):
    """``RANDOM_CONSTRUCTORS`` sets how many; the profile ``thorough`` takes 5,000."""
    seen = Counter()

    @settings(max_examples=EXAMPLES)
    @given(sources())
    def check(source):
        with module_of(source, tmp_path) as module:
            verdict = judge("model", module.model, sizes_inside)
        seen[verdict.outcome] += 1
        note(source)
        note("\n".join(verdict.reasons))
        assert verdict.wrongly_proved == []
        assert verdict.wrong_without_a_caveat == []

    check()
    print(dict(seen))
    # Among constructors that are all refused there would be nothing to find.
    assert seen[Outcome.GUARD] > EXAMPLES // 20
    assert seen[Outcome.CAVEAT] + seen[Outcome.FITTED] > EXAMPLES // 20
