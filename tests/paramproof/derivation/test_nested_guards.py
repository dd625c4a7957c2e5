"""Guards that occur only if another guard is violated are probed, too."""

from dataclasses import replace

import pytest

from paramproof.derivation.guard_probing import MAX_NESTED_PROBES
from paramproof.derivation.guard_set import GuardSet, NestedGuard, NestedGuardQueue
from paramproof.formulas.condition import Consequence, Outcome, condition_in
from paramproof.formulas.expression import letter
from tests.paramproof.derivation.toys import conditions, derive_asking, tensor

OTHERS = "other tensors are created"
LIMITS = [100, 1000, 40_000, 10**7]


def layer(width, bias):
    return [("weight", (width, width)), *([("bias", (width,))] if bias else [])]


LAYER = (tensor("weight", "hidden_size", "hidden_size"), tensor("bias", "hidden_size"))


def bisected(ask, hidden_size):
    """Looks in the middle first: what lies beyond that is not asked at once."""
    middle = ask("hidden_size < 40000")
    return layer(hidden_size, middle or ask(f"hidden_size < {10**7}"))


def one_limit_after_another(ask, hidden_size):
    return layer(hidden_size, any(ask(f"hidden_size < {one}") for one in LIMITS))


@pytest.mark.parametrize("program", [bisected, one_limit_after_another])
def test_what_is_asked_beyond_is_stated(program):
    """No random model is as wide, so the prober must try the guard itself."""
    found = derive_asking(program, *LAYER, hidden_size=64)
    assert conditions(found) == {f"H < {10**7}": OTHERS}
    assert not found.reasons_at({"H": 64})
    assert found.reasons_at({"H": 50_000})
    assert found.count({"H": 10**7 - 1}) == (10**7 - 1) * 10**7


def test_its_guard_is_stated_where_it_is_about_another_size():
    """That H ≤ 10⁷ everywhere would say too much: up to the guard, any H will do."""

    def program(ask, vocab_size, hidden_size):
        is_large = not ask(f"vocab_size ≤ {10**7}")
        return layer(hidden_size, not is_large or ask(f"hidden_size < {10**6}"))

    found = derive_asking(program, *LAYER, vocab_size=100, hidden_size=8)
    assert conditions(found) == {"V ≤ 10000000": OTHERS}
    assert found.count({"V": 100, "H": 10**6}) == 10**12 + 10**6


def test_a_refusal_beyond_is_stated():
    def program(ask, hidden_size):
        if not ask(f"hidden_size ≤ {10**5}") and not ask(f"hidden_size ≤ {10**7}"):
            raise ValueError("too wide")
        return layer(hidden_size, True)

    found = derive_asking(program, *LAYER, hidden_size=64)
    said = "the constructor refuses: ValueError: too wide"
    assert conditions(found) == {"H ≤ 10000000": said}
    assert [str(one) for one in found.irrelevant_guards] == ["H ≤ 100000"]


def deep(limit):
    def program(ask, hidden_size, num_layers):
        bias = ask("num_layers ≤ hidden_size") or ask(f"num_layers < {limit}")
        numbered = ((f"{n}.", layer(hidden_size, bias)) for n in range(num_layers))
        return [(number + name, shape) for number, model in numbered for name, shape in model]

    layers = (replace(one, path=f"*.{one.path}", times=letter("num_layers")) for one in LAYER)
    return derive_asking(program, *layers, loops=["num_layers"], hidden_size=64, num_layers=4)


def test_a_deep_model_is_tried_where_no_shallow_one_violates_a_guard():
    assert conditions(deep(300)) == {"L ≤ H": OTHERS}


def test_a_guard_on_a_loop_that_is_too_long_to_try_is_stated():
    """No model of this many layers is built, and so nothing is known of it."""
    found = deep(10**5)
    assert conditions(found) == {f"L < {10**5}": "not tried"}
    assert [str(one) for one in found.irrelevant_guards] == ["L ≤ H"]


def test_no_proof_reaches_what_was_not_sorted():
    """There is always another guard, and beyond all of them the model has no bias."""
    most = 10**5 * (MAX_NESTED_PROBES + 5)

    def program(ask, hidden_size):
        limits = range(10**5, 10**8, 10**5)
        reached = next(one for one in limits if ask(f"hidden_size ≤ {one}"))
        return layer(hidden_size, reached < most)

    found = derive_asking(program, *LAYER, hidden_size=64)
    assert [str(one) for one in found.irrelevant_guards] == ["H ≤ 100000"]
    assert found.validated["H"][1] < 10**5 * (MAX_NESTED_PROBES + 3)
    assert found.reasons_at({"H": most})


GUARD, WIDER = condition_in("H ≤ 100"), condition_in("H ≤ 200")
OWN = {"H": 64, "V": 9}
PLACES = {("a.py", 3)}


def known(asked=(), harmless=(), outside=()):
    stated = {one: Consequence(Outcome.OTHERS) for one in outside}
    harmless = {one: set(PLACES) for one in harmless}
    return GuardSet({one: set() for one in (*asked, *outside)}, {}, stated, harmless)


@pytest.mark.parametrize(
    ("conditions", "question", "fixed", "alike", "is_tried"),
    [
        (known(harmless=[GUARD]), WIDER, (), [], True),
        (known(harmless=[GUARD]), WIDER, ("H",), [], False),
        (known(harmless=[GUARD]), condition_in("H ≤ 200·V"), ("H",), [], True),
        (known(harmless=[GUARD]), condition_in("H > 90"), (), [], False),
        (known(harmless=[GUARD]), WIDER, (), [{"H": 201, "V": 9}], False),
        (known(harmless=[GUARD]), WIDER, (), [{"H": 200, "V": 9}], True),
        (known(harmless=[GUARD]), condition_in("V ≤ 50"), (), [{"H": 90, "V": 51}], True),
        (known(harmless=[GUARD]), condition_in("V ≤ 50"), (), [{"H": 101, "V": 51}], False),
        (known(harmless=[GUARD], outside=[condition_in("H ≤ 150")]), WIDER, (), [], False),
        (known(outside=[GUARD]), WIDER, (), [], False),
        (known(outside=[GUARD]), condition_in("V ≤ 50"), (), [], False),
        (known(harmless=[GUARD], outside=[condition_in("V = 9")]), condition_in("2 divides V + 1"),
         (), [], False),
    ],
)  # fmt: skip
def test_which_questions_are_tried(conditions, question, fixed, alike, is_tried):
    beyond = NestedGuardQueue(conditions)
    beyond.waiting = [NestedGuard(question, (GUARD,), PLACES)]
    taken = beyond.next(fixed, alike)
    assert (taken is not None) is is_tried
    assert beyond.next(fixed, alike) is None


def test_what_was_asked_before_with_whatever_answer_is_no_new_question():
    stated, asked = condition_in("V ≤ 50"), condition_in("H > 20")
    conditions = known(asked=[asked], harmless=[GUARD], outside=[stated])
    beyond = NestedGuardQueue(conditions)
    names = ("H > 100", "H ≤ 100", "V > 50", "V ≤ 50", "H ≤ 20", "H ≤ 200")
    for _ in range(2):
        beyond.add({condition_in(one): PLACES for one in names}, {"H": 150, "V": 9})
    assert beyond.waiting == [NestedGuard(WIDER, (GUARD,), PLACES)]
    assert list(conditions.beyond) == [WIDER]


@pytest.mark.parametrize(
    ("question", "guards", "stated", "harmless"),
    [
        (WIDER, [GUARD], [WIDER], [GUARD]),
        (condition_in("V ≤ 50"), [GUARD], [GUARD], []),
        (condition_in("H > 90"), [GUARD], [GUARD], []),
        (WIDER, [GUARD, condition_in("V < 20")], [GUARD, condition_in("V < 20")], []),
        (condition_in("V ≤ 50"), [], [condition_in("V ≤ 50")], []),
    ],
)
def test_what_is_stated(question, guards, stated, harmless):
    """The question alone, where it forbids nothing but what the guards do not forbid yet."""
    conditions = known(harmless=guards)
    conditions.beyond[question] = None
    outside = Consequence(Outcome.OTHERS)
    NestedGuardQueue(conditions).state(NestedGuard(question, tuple(guards), PLACES), outside, OWN)
    assert conditions.consequences == dict.fromkeys(stated, outside)
    assert all(conditions.guards[one] == PLACES for one in stated)
    assert list(conditions.irrelevant) == harmless
    assert (question in conditions.beyond) is (question not in stated)
