"""If a formula fails beyond guards, exactly these guards become conditions."""

import pytest

from paramproof.derivation.pipeline import Effort, derive
from paramproof.derivation.runner import DerivationError, GeneralTensors
from paramproof.derivation.validation import DEPTH_FACTOR, Validator
from paramproof.formulas.condition import Consequence, Outcome, condition_in
from tests.paramproof.derivation.toys import asking_runner, conditions, derive_asking, tensor, toy

pytestmark = pytest.mark.usefixtures("clock")

NEAR = Effort(far=False)
V, H = "vocab_size", "hidden_size"
LARGE, WIDE = f"{V} ≤ 50000", f"{H} ≤ 50000"
"""No random size is as large, even far from the original: only a guard leads there."""

OTHERS = "other tensors are created"


OWN = {V: 64, H: 8}
EMBEDDING = tensor("embedding", V, H)


def branching(harm):
    def program(ask, **sizes):
        is_other = harm(not ask(LARGE), not ask(WIDE))
        return [("embedding", (sizes[V], sizes[H])), *([("bias", (7,))] if is_other else [])]

    return program


def nothing(large, wide):
    return False


@pytest.mark.parametrize("effort", [NEAR, Effort()])
@pytest.mark.parametrize(
    ("harm", "stated"),
    [
        (lambda large, wide: large, {"V ≤ 50000"}),
        (lambda large, wide: wide, {"H ≤ 50000"}),
        (lambda large, wide: large or wide, {"V ≤ 50000", "H ≤ 50000"}),
        (lambda large, wide: large and wide, {"V ≤ 50000", "H ≤ 50000"}),
        (nothing, set()),
    ],
)
def test_guards_that_matter_are_stated_even_if_only_together(harm, stated, effort):
    found = derive_asking(branching(harm), EMBEDDING, effort=effort, **OWN)
    assert conditions(found) == dict.fromkeys(stated, OTHERS)
    harmless = {"V ≤ 50000", "H ≤ 50000"} - stated
    assert set(map(str, found.irrelevant_guards)) == harmless


def validation(harmless=(), outside=(), tensors=(), effort=NEAR):
    one = Validator(asking_runner(branching(nothing), effort, **OWN), GeneralTensors([*tensors]))
    one.consequences |= {condition_in(one): Consequence(Outcome.OTHERS) for one in outside}
    one.irrelevant |= {condition_in(one): None for one in harmless}
    return one


def test_sizes_anywhere_lie_on_either_side():
    one = validation([f"{V} ≤ 100", f"{H} ≤ 300"], [f"{H} ≤ 2000"])
    found = [one.sizes_inside() for _ in range(60)]
    assert {(sizes[V] > 100, sizes[H] > 300) for sizes in found} == {
        (True, True), (True, False), (False, True), (False, False),
    }  # fmt: skip
    assert all(sizes[H] <= 2000 for sizes in found)


COUNTED = tensor("w.*", H, times=V, looped=False)
LOOPED = tensor("w.*", H, times=V)


@pytest.mark.parametrize(("counted", "deeper"), [(COUNTED, DEPTH_FACTOR), (LOOPED, 1)])
def test_some_models_are_deeper_where_layers_were_counted(monkeypatch, counted, deeper):
    one, asked = validation(tensors=[counted], effort=Effort(held=8)), []
    monkeypatch.setattr(one, "sizes_inside", lambda deepest: asked.append(deepest) or OWN)
    monkeypatch.setattr(one, "trial", lambda sizes: None)
    one.hold_near()
    assert asked == [6 * times for times in (1, deeper, 1, 1, 1, deeper, 1, 1)]


NEAREST = 64 * 7 * 1.4
"""No size that is 64 at first is drawn larger for a near model."""


def row(vocab_size):
    return [("row", (vocab_size,))]


def test_a_formula_of_which_no_letter_would_be_left_is_none():
    def unseen(shapes):
        return [("bias", (7,))] if max(shapes[0][1]) > NEAREST else []

    with pytest.raises(DerivationError, match="not as derived at vocab_size = "):
        derive(toy(row, unseen, vocab_size=64))


@pytest.mark.parametrize(("number", "is_derived"), [(4, True), (5, False)])
def test_no_more_letters_are_fixed_than_may_be(number, is_derived):
    """Each of so many sizes decides unheard; one more does not."""
    names = [f"{letter}_size" for letter in "abcde"[:number]]

    def make(width, **sizes):
        return [("w", (width,)), *((name, (size,)) for name, size in sizes.items())]

    def unseen(shapes):
        wide = any(shape[0] > NEAREST for _, shape in shapes[1:])
        return [("bias", (7,))] if wide else []

    constructor = toy(make, unseen, **dict.fromkeys(("width", *names), 64))
    if is_derived:
        assert len(derive(constructor).fixed) == number
        return
    with pytest.raises(DerivationError, match="not as derived at "):
        derive(constructor)


def test_a_refusal_inside_the_conditions_is_one():
    def program(ask, vocab_size):
        if vocab_size != 64:
            raise ValueError("other\nthan 64")
        return row(vocab_size)

    with pytest.raises(DerivationError, match=r"refuses sizes .* ValueError: other than 64"):
        derive_asking(program, tensor("row", V), vocab_size=64)
