"""Random constructors: every formula called proved is right, near and far."""

import os
from collections import Counter
from random import Random

import pytest
from hypothesis import given, note, settings

from paramproof.formulas.expression import expression
from tests.foolers.judging import in_letters, judge
from tests.foolers.random_constructors import SIZES, module_of, sources

pytestmark = [pytest.mark.framework("torch"), pytest.mark.filterwarnings("ignore")]

EXAMPLES = int(os.environ.get("RANDOM_CONSTRUCTORS", max(200, settings().max_examples)))
FACTORS = (0.3, 1, 1.5, 3, 7, 40, 40, 300, 300)
CANDIDATES, BUILT, MOST_TENSORS = 60, 12, 100_000


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
    assert seen["guard"] > EXAMPLES // 20
    assert seen["caveat"] + seen["fitted"] > EXAMPLES // 20


def sizes_inside(found):
    """Return sizes that the formula accepts: near the constructor's own, and far."""
    random, inside = Random(0), [dict(SIZES)]
    for _ in range(CANDIDATES):
        factors = {name: random.choice(FACTORS) for name in SIZES}
        if random.random() < 0.5:
            # A single changed size meets the conditions far more often than all of them.
            factors = dict.fromkeys(SIZES, 1) | dict([random.choice(list(factors.items()))])
        sizes = {
            name: max(1, int(size * factors[name]) + random.randint(-2, 2))
            for name, size in SIZES.items()
        }
        here = in_letters(found, sizes)
        if found.has(here):
            tensors = sum(expression(one.repeat).value(sizes) for one in found.inventory())
            if tensors <= MOST_TENSORS:
                inside.append(sizes)
    return inside[:BUILT]
