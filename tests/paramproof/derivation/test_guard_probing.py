"""What happens where a condition is not met."""

from types import SimpleNamespace

import pytest

from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.runner import GeneralTensors, Point
from paramproof.formulas.condition import Consequence, Outcome, condition_in
from paramproof.formulas.derivation import Kind
from paramproof.tracing.tensor_groups import GroupKey, TensorGroup
from tests.paramproof.derivation.toys import conditions, derive_asking, tensor

WIDE = condition_in("⌊i/16⌋ > 1")

EVEN = condition_in("2 divides i")


class Runner:
    """Draws the sizes that it is given, and refuses models that are less than 16 wide."""

    def __init__(self, near):
        self.near = near
        self.built = []
        self.fixed = set()
        self.note = print

    def draw(self, *choices):
        return {"i": self.near} if self.near else None

    def build(self, sizes):
        self.built.append(sizes["i"])
        return ValueError("too narrow") if sizes["i"] < 16 else Point(sizes, {})

    def guards_at(self, sizes):
        return ()


NO_TENSORS = SimpleNamespace(
    found=[], parameters=[], differences=lambda made, sizes: [], left_out={}
)

NARROW = Consequence(Outcome.REFUSED, "ValueError: too narrow")


class OtherTensors(Runner):
    def build(self, sizes):
        more = GroupKey(Kind("more", "trainable", (), 1), 0)
        return Point(sizes, {more: TensorGroup((8,), 1)})


@pytest.mark.parametrize(
    ("runner", "happens"),
    [
        (Runner(8), NARROW),
        (Runner(None), Consequence(Outcome.NOT_TRIED)),
        (Runner(24), None),
        (OtherTensors(24), Consequence(Outcome.OTHERS)),
    ],
)
def test_what_happens_where_a_condition_is_not_met(runner, happens):
    tensors = GeneralTensors([]) if isinstance(runner, OtherTensors) else NO_TENSORS
    assert GuardProber(runner, tensors, {WIDE: set()}).outcome(WIDE) == happens


def sorted_out(near):
    asked = ("i divides 3", "i divides 1", "−i·⌊6/i⌋ + 6 = 0", "i > 2")
    prober = prober_of(near, *asked)
    prober.sort()
    prober.fold()
    return [str(one) for one in prober.consequences], len(prober.runner.built)


def test_of_a_letter_with_one_value_is_said_nothing_more():
    """What 1 settles is not tried either, once that is known; what it does not settle is."""
    assert sorted_out(8) == (["i = 1", "i > 2"], 3)


def prober_of(near, *asked):
    places = {condition_in(one): {("a.py", 1)} for one in asked}
    return GuardProber(Runner(near), NO_TENSORS, places)


def test_what_follows_from_another_question_is_not_tried():
    one = prober_of(24, "i > 5", "i > 63")
    one.sort()
    assert list(map(str, one.irrelevant)) == ["i > 63"]
    assert len(one.runner.built) == 2


def test_a_need_that_another_condition_implies_is_not_written():
    known = prober_of(24)
    for need in ("i > 5", "i > 90"):
        known.add(condition_in(need), Outcome.OTHER_COUNT)
    known.fold()
    assert list(map(str, known.consequences)) == ["i > 90"]


def test_sizes_without_a_condition_meet_the_others_as_far_as_can_be():
    """Drawing drops irrelevant guards first, then all guards but the stated conditions."""

    drawn = []

    class Refusing(Runner):
        def draw(self, *choices):
            drawn.extend({*map(str, inside)} for inside in choices)

    stated = condition_in("i < 900")
    prober = GuardProber(Refusing(None), NO_TENSORS, {one: set() for one in (WIDE, EVEN, stated)})
    prober.consequences[stated] = NARROW
    prober.irrelevant[condition_in("i ≠ 77")] = None
    assert prober.sizes_without([WIDE]) is None
    assert drawn == [
        {"⌊i/16⌋ ≤ 1", "2 divides i", "i < 900", "i ≠ 77"},
        {"⌊i/16⌋ ≤ 1", "2 divides i", "i < 900"},
        {"⌊i/16⌋ ≤ 1", "i < 900"},
    ]


def test_what_is_built_and_not_followed_is_not_tried():
    runner = Runner(24)
    runner.guards_at = lambda sizes: None
    prober = GuardProber(runner, NO_TENSORS, {WIDE: set()})
    assert prober.outcome(WIDE) == Consequence(Outcome.NOT_TRIED)


def layer(width, bias):
    return [("weight", (width, width)), *([("bias", (width,))] if bias else [])]


def bisected(ask, hidden_size):
    """Looks in the middle first: what lies beyond that is not asked at once."""
    middle = ask("hidden_size < 40000")
    return layer(hidden_size, middle or ask(f"hidden_size < {10**7}"))


def one_limit_after_another(ask, hidden_size):
    limits = [100, 1000, 40_000, 10**7]
    return layer(hidden_size, any(ask(f"hidden_size < {one}") for one in limits))


def refused(ask, hidden_size):
    if not ask("hidden_size < 40000") and not ask(f"hidden_size < {10**7}"):
        raise ValueError("too wide")
    return layer(hidden_size, True)


def asked_again_and_again(ask, hidden_size):
    limits = range(10**5, 10**8, 10**5)
    return layer(hidden_size, any(ask(f"hidden_size < {one}") for one in limits))


def harmless(ask, hidden_size):
    ask("hidden_size < 1000") or ask("hidden_size < 40000")
    return layer(hidden_size, True)


@pytest.mark.parametrize(
    ("program", "stated"),
    [
        (bisected, {"H < 40000": "other tensors are created"}),
        (one_limit_after_another, {"H < 100": "other tensors are created"}),
        (refused, {"H < 40000": "the constructor refuses: ValueError: too wide"}),
        (asked_again_and_again, {"H < 100000": "not tried"}),
        (harmless, {}),
    ],
)
def test_what_is_asked_beyond_a_guard_is_violated_too(program, stated):
    """No random model is as wide, so the prober must try it itself."""
    tensors = tensor("weight", "hidden_size", "hidden_size"), tensor("bias", "hidden_size")
    assert conditions(derive_asking(program, *tensors, hidden_size=64)) == stated
