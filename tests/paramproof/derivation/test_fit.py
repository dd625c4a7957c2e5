"""Formulas that are fitted to models of plain ints, and the conditions that are tried for them."""

import pytest

from paramproof.derivation.fit import equalities, relations
from paramproof.derivation.pipeline import DerivationError, Effort, derive
from paramproof.formulas.condition import condition_in
from tests.paramproof.derivation.toys import conditions, toy

pytestmark = pytest.mark.usefixtures("clock")

NEAR = Effort(far=False)
SIZES = {"hidden_size": 12, "heads": 3, "vocab_size": 100, "layers": 2}
OTHERS = "other tensors are created"


def decoder(hidden_size, heads, vocab_size, layers):
    width = hidden_size // heads
    blocks = [(f"layers.{n}.qkv", (hidden_size, 3, heads, width)) for n in range(layers)]
    return [("embedding", (vocab_size, hidden_size)), *blocks, ("norm", (2 * hidden_size,))]


def only_if(condition):
    def make(**sizes):
        if not condition_in(condition).is_met(sizes):
            raise ValueError("refused")
        return decoder(**sizes)

    return make


def longer_if(condition):
    def make(**sizes):
        model = decoder(**sizes)
        return [*model, ("more", (7,))] if condition_in(condition).is_met(sizes) else model

    return make


FLOORED = "3·L·H·A·⌊H/A⌋ + H·(V + 2)"
REFUSED = "the constructor refuses: ValueError: refused"


@pytest.mark.parametrize(
    ("make", "formula", "stated"),
    [
        (decoder, FLOORED, {}),
        (only_if("heads divides hidden_size"), "3·L·H² + H·(V + 2)", {"A divides H": REFUSED}),
        (only_if("hidden_size ≥ heads"), FLOORED, {"H ≥ A": REFUSED}),
        (longer_if("hidden_size > vocab_size"), FLOORED, {"V ≥ H": OTHERS}),
        (only_if("2 divides hidden_size"), FLOORED, {"2 divides H": REFUSED}),
        (only_if("hidden_size ≠ 1"), FLOORED, {"H ≠ 1": REFUSED}),
    ],
)
def test_conditions_are_found_by_trying_relations(make, formula, stated):
    found = derive(toy(make, **SIZES), effort=NEAR)
    assert (str(found.formula), conditions(found), found.fixed) == (formula, stated, ())
    assert not found.is_proved


def test_a_relation_that_only_changes_lengths():
    """All models have the same groups; the formula shows that one has another length."""

    def make(hidden_size, heads):
        return [("w", (hidden_size if hidden_size % heads else 2 * hidden_size, heads))]

    found = derive(toy(make, hidden_size=12, heads=3), effort=NEAR)
    assert (str(found.formula), conditions(found)) == ("2·H·A", {"A divides H": OTHERS})


def test_kinds_of_layers():
    def make(hidden_size, layers, dense):
        kinds = ("dense" if n < dense else "sparse" for n in range(layers))
        return [(f"layers.{n}.{kind}", (hidden_size,)) for n, kind in enumerate(kinds)]

    found = derive(toy(make, hidden_size=12, layers=5, dense=2), effort=NEAR)
    times = {one.path: str(one.times) for one in found.tensors}
    assert times == {"layers.*.dense": "de", "layers.*.sparse": "L − de"}
    assert list(conditions(found)) == ["L > de"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (only_if("hidden_size < 1"), "toy is not made: ValueError: refused"),
        (lambda **_: [], "toy has no parameters"),
        (longer_if("vocab_size = 100"), "toy: at other sizes other tensors were made, and it was"),
        (lambda hidden_size, **_: [("own", (hidden_size**4 + 1,))], r"own of \(20737\)"),
    ],
)
def test_no_formula(make, said):
    with pytest.raises(DerivationError, match=said):
        derive(toy(make, **SIZES), effort=NEAR)


def test_relations():
    found = list(map(str, relations({"a": 3, "b": 12, "c": 36})))
    # Neighbours come first.
    assert found[:3] == ["a divides b", "b divides c", "a divides c"]
    assert found[-3:] == ["b ≥ a", "c ≥ b", "c ≥ a"]
    assert {"4 divides b", "3 divides a", "6 divides c"} < {*found}
    equal = equalities({"a": 3, "b": 12, "c": 36, "d": 3})
    assert list(map(str, equal)) == ["c = a·b", "a = d", "c = b·d"]
