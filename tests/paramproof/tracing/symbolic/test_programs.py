"""What is computed with symbolic numbers is at other sizes what plain Python computes there."""

import math
from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from paramproof.formulas.expression import letter
from paramproof.tracing.instrumented.calls import call
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import SymInt, plain_int
from tests.paramproof.tracing.symbolic.programs import LETTERS, programs

OWN = st.fixed_dictionaries(
    {"A": st.integers(1, 64), "H": st.integers(1, 1100), "L": st.integers(1, 12)}
)
LARGEST = 10**6
ELSEWHERE = 16
"""Other sizes at which each program is run."""


def plainly(function, *args):
    return function(*args)


def computed(source, sizes, how=plainly):
    try:
        return eval(source, {"math": math, "call": how}, dict(sizes))
    except (ArithmeticError, ValueError, IndexError) as error:
        return type(error)


def traced(source, sizes):
    with recording() as recorder:
        found = computed(
            source, {name: SymInt(value, letter(name)) for name, value in sizes.items()}, call
        )
    return found, recorder


NAMED = (
    "call(int, H * 0.7)",
    "call(int, 0.7 * H)",
    "0.1 * H",
    "H / 3 * 3",
    "H ** 0.5",
    "H ** -0.5",
    "call(round, H * 0.35)",
    "call(int, 2.6666666666666665 * H)",
    "call(int, 8 * H / 3)",
    "call(int, H * H * H * 0.5)",
    "call(int, H * H * H / 2)",
    "call(int, H * H * H / A)",
    "call(round, (2 ** call(min, L, 70)) / 2 + 0.5)",
    "call(math.floor, H / A - 2.0)",
    "H * 0.5 <= 30.3",
    "30.3 >= H * 0.5",
    "H * 0.5 > 30.3",
    "30.3 < H * 0.5",
    "H < 30.5",
    "H > 30.5",
    "H == 30.5",
    "H * 1.5 == 45",
    "H / A - 2 > 0",
    "0 < H / A - L",
    "H / A - 2.5 > 0",
    "H / A == L",
    "(A / H).is_integer()",
    "0 << (A - H)",
    "1 >> (A - H)",
    "0 if H % A else 1",
    "call(divmod, -H, A)[1]",
    "A / (H - 30)",
    "(A - H) ** -1",
    "call(min, H, 30.5)",
    "call(sorted, [H, 30, A])[1]",
    "(H, A) < (30, L)",
)
"""Programs that were wrong once, or are found in many models."""


def others(own, random, number):
    """Yield other sizes, near and far: often one of them alone is another."""
    for _ in range(number):
        moved = random.sample(LETTERS, random.choice([1, 1, 2, 3]))
        yield own | {name: another(own[name], random) for name in moved}


def another(size, random):
    way = random.random()
    if way < 0.3:
        return max(1, size + random.randint(-3, 3))
    if way < 0.5:
        return size * random.randint(1, 40)
    return int(2 ** random.uniform(0, math.log2(LARGEST)))


def is_followed(found, recorder):
    """Whether it is known how ``found`` depends on sizes; otherwise somebody was told."""
    return not recorder.caveats and not (
        isinstance(found, SymInt | SymFloat) and found.expression is None
    )


def says(found, sizes):
    if isinstance(found, SymInt):
        return found.expression.value(sizes)
    if isinstance(found, SymFloat):
        value = found.expression.value(sizes)
        # It was rounded once, or not at all, where it is a quotient of whole numbers.
        return float(value) if found.over and not found.exact else value
    return found


def same(one, other):
    if isinstance(one, float | Fraction) and isinstance(other, float):
        return Fraction(one) == Fraction(other) if math.isfinite(other) else one == other
    return one == other


def bare(found):
    if isinstance(found, SymInt):
        return plain_int(found)
    return found._value if isinstance(found, SymFloat) else found


def follow(source, own, seed, seen, number=ELSEWHERE, tell=note):
    here, (found, recorder) = computed(source, own), traced(source, own)
    tell(f"{source} at {own}: {here}")
    assert type(bare(found)) is type(here)
    assert bare(found) == here or here != here
    for condition in recorder.guards:
        assert condition.is_met(own), condition
    if not is_followed(found, recorder):
        seen["not followed"] += 1
        return
    tell(f"where {[str(c) for c in recorder.size_guards]}")
    for sizes in others(own, Random(seed), number):
        if not all(c.is_met(sizes) for c in recorder.size_guards):
            seen["elsewhere"] += 1
            continue
        seen["compared"] += 1
        there = computed(source, sizes)
        if isinstance(here, type) or isinstance(there, type):
            assert there is here, f"at {sizes}: {there}"
            continue
        if isinstance(there, float) and not math.isfinite(there):
            assert repr(there) == repr(here)
            continue
        try:
            said = says(found, sizes)
        except ArithmeticError:
            seen["refused"] += 1
            continue
        assert same(said, there), f"at {sizes}: {there}, said {said}"


@pytest.mark.parametrize("kind", ["int", "float", "bool"])
def test_programs(kind):
    """Ten times as many as of other things: it is cheap, and everything rests on it."""
    seen = Counter()

    @settings(max_examples=10 * settings().max_examples)
    @given(programs(kind, 2), OWN, st.integers(0, 2**32))
    def check(source, own, seed):
        follow(source, own, seed, seen)

    check()
    # Of programs that are not followed, or hold nowhere else, nothing would be shown.
    assert seen["compared"] > settings().max_examples


@pytest.mark.parametrize("source", NAMED)
@pytest.mark.parametrize(
    "own", [{"A": 8, "H": 64, "L": 4}, {"A": 64, "H": 30, "L": 2}, {"A": 5, "H": 20, "L": 4}]
)
def test_named_programs(source, own):
    seen = Counter()
    follow(source, own, 0, seen, 400, print)
    assert seen["compared"] + seen["not followed"]
