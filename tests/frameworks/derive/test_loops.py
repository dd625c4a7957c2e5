"""Loops over sizes: what they carry along, where they end, and which of their rounds do what."""

import pytest

from tests.frameworks.derive.deriving import conditions, count, derived

pytestmark = pytest.mark.framework("torch")

NUMBER = "the number of layers of some kind differs"
OTHERS = "other tensors are created"
COUNTED = "the count is fitted in {} tensor groups"

PROVED = {
    "below_zero": ("L·(H² + H) − 2·H² + 5·H", {"L ≥ 2": NUMBER}),
    "all_but_the_last": ("L·(H² + H) − H", {}),
    "exit_at": ("H²·de + H·de", {"de ≤ L": OTHERS}),
    "dense_first": ("L·H² + H·de", {"de ≤ L": OTHERS}),
    "by_runs": ("L·H² + H·de", {"de ≤ L": OTHERS}),
    "by_one_and_a_run": ("L·H² + H", {}),
    "by_a_run_and_one": ("L·H² + H", {}),
    "late_layers": ("L·H²", {"L ≤ 51": OTHERS}),
    "late_layer": ("L·H²", {"L < 51": OTHERS}),
    "seldom": ("L·H²", {"⌊L/50⌋ < 1": OTHERS}),
    "named_layers": ("L·H² + H", {"L ≥ 2": OTHERS, "L < 61": OTHERS}),
    "number_carried": ("L·(4·H + 4)", {"L ≤ 21": OTHERS}),
    "guarded": ("7·L·H + H²·⌊L/st⌋ − 7·H·⌊L/st⌋", {"H ≤ 20": OTHERS}),
    "nested": ("L·(H²·st + H·st)", {}),
    "by_list": ("L·(H² + H) + 3·H²·⌊L/2⌋ + 3·H·⌊L/2⌋", {}),
    "from_behind": ("L·(H² + H)", {}),
    "side_by_side": ("L·(H² + H)", {"ot ≥ L": OTHERS}),
}

FITTED = {
    "early_exit": ("L·(H² + H) − H²·⌊L/2⌋ − H·⌊L/2⌋", (COUNTED.format(2),)),
    "first_half": ("L·(H² + H) − H·⌊L/2⌋", ("the count is fitted in 1 tensor group",)),
    "in_a_thread": (
        "L·(3·H² + 3·H)",
        ("the shape is fitted in 2 of 2 tensor groups", COUNTED.format(2)),
    ),
}

CARRIED = {
    "doubling": ("1530·ch² + 30·ch", "st"),
    "growing": ("4·ch² + 20·ch + 30", "st"),
    "by_index": ("10·H² + 10·H", "L"),
}

NOT_DERIVED = {
    "triangle": "not explained: ",
}


@pytest.mark.parametrize(("name", "formula", "stated"), [(k, *v) for k, v in PROVED.items()])
def test_followed(name, formula, stated):
    found = derived(f"loops:{name}")
    assert (str(found.formula), found.reasons) == (formula, ())
    assert conditions(found) == stated
    assert all(tensor.looped for tensor in found.tensors)


@pytest.mark.parametrize(
    ("name", "beyond"),
    [
        ("below_zero", {"layers": 1}),
        ("exit_at", {"dense": 10}),
        ("guarded", {"hidden_size": 21, "step": 2}),
        ("late_layers", {"layers": 52}),
        ("named_layers", {"layers": 61}),
        ("late_layer", {"layers": 51}),
        ("seldom", {"layers": 50}),
        ("number_carried", {"layers": 23}),
        ("side_by_side", {"layers": 7}),
    ],
)
def test_beyond_the_conditions_nothing_is_counted(name, beyond):
    """The formula would be wrong there: of layers − 2 at 1 it would count −1."""
    found = derived(f"loops:{name}")
    sizes = {one: beyond.get(field, found.sizes[one]) for one, field in found.fields.items()}
    assert found.formula.evaluate(sizes) != count(f"loops:{name}", **beyond)
    with pytest.raises(ValueError, match="the formula holds where"):
        found.count(sizes)


@pytest.mark.parametrize("name", ["by_list", "from_behind"])
@pytest.mark.parametrize("layers", [1, 2, 9, 40])
def test_at_other_numbers_of_layers(name, layers):
    found = derived(f"loops:{name}")
    there = count(f"loops:{name}", hidden_size=3, layers=layers)
    assert found.count({"H": 3, "L": layers}) == there


def test_every_third_layer():
    found = derived("loops:every")
    assert str(found.formula) == "L·H² + H·(⌊(L − 1)/ev⌋ + 1)"
    assert found.is_proved
    for layers in range(1, 12):
        for every in (1, 2, 5, 20):
            sizes = {"hidden_size": 3, "layers": layers, "every": every}
            letters = {"H": 3, "L": layers, "ev": every}
            assert found.count(letters) == count("loops:every", **sizes)


@pytest.mark.parametrize(("name", "formula", "reasons"), [(k, *v) for k, v in FITTED.items()])
def test_read_from_counts_and_called_that(name, formula, reasons):
    found = derived(f"loops:{name}")
    assert (str(found.formula), found.reasons) == (formula, reasons)


def test_a_list_that_was_changed_says_nothing_of_how_many_there_are():
    found = derived("loops:by_changed_runs")
    assert found.reasons[0] == "L did not vary"
    assert found.fixed == ("L",)


@pytest.mark.parametrize(("name", "formula", "fixed"), [(k, *v) for k, v in CARRIED.items()])
def test_what_is_carried_from_round_to_round_fixes_their_number(name, formula, fixed):
    """Each round is another kind of tensor, so the number of rounds is that of this model."""
    found = derived(f"loops:{name}")
    assert (str(found.formula), found.reasons) == (formula, (f"{fixed} did not vary",))
    with pytest.raises(ValueError, match=f"the formula holds at {fixed} = 4"):
        found.count({**found.sizes, fixed: 5})


@pytest.mark.parametrize(
    ("name", "fixed"),
    [
        ("shared", {"layers"}),
        ("by_turns_at_first", {"layers"}),
    ],
)
def test_a_letter_is_fixed_where_the_formula_failed_and_that_is_said(name, fixed):
    found = derived(f"loops:{name}")
    assert {found.fields[one] for one in found.fixed} == fixed
    for one in found.fixed:
        said = f"{one} did not vary once the formula had failed: not as derived at H = "
        assert any(reason.startswith(said) for reason in found.reasons)
    assert found.count({**found.sizes, "H": 31}) == count(f"loops:{name}", hidden_size=31)
    with pytest.raises(ValueError, match="the formula holds at "):
        found.count({**found.sizes, found.fixed[0]: 3})


@pytest.mark.parametrize(("name", "said"), NOT_DERIVED.items())
def test_not_derived(name, said):
    from paramproof.derivation.pipeline import DerivationError

    with pytest.raises(DerivationError, match=f"^loops:{name}: {said}"):
        derived(f"loops:{name}")
