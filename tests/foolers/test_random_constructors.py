"""Random constructors: every formula called proved is right, near and far."""

import os
from collections import Counter

import pytest
from hypothesis import given, note, settings

from tests.foolers.judging import Outcome, judge
from tests.foolers.random_constructors import module_of, sources
from tests.foolers.random_sizes import sizes_inside

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.filterwarnings("ignore"),
]

EXAMPLES = int(os.environ.get("RANDOM_CONSTRUCTORS", max(200, settings().max_examples)))


def test_a_proved_formula_is_never_wrong(tmp_path):
    """``RANDOM_CONSTRUCTORS`` sets the number; the profile ``thorough`` uses 5,000."""
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
    # If every constructor were refused, the test would find nothing.
    assert seen[Outcome.GUARD] > EXAMPLES // 20
    assert seen[Outcome.CAVEAT] + seen[Outcome.FITTED] > EXAMPLES // 20
