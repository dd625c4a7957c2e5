"""Sizes that get lost on the way: found again, read from values and called that, or refused."""

import pytest

from tests.frameworks.derive.deriving import conditions, constructor, count, derived

pytestmark = [
    pytest.mark.framework("torch"),
    # Where there are more heads than the model is wide.
    pytest.mark.filterwarnings("ignore:Initializing zero-element tensors"),
]

READ = "the shape is fitted in 2 of 2 tensor groups"

PROVED = {
    "through_numpy": "H²·A + H·A",
    "through_int": "⌊H/A⌋·(H + 1)",
    "through_a_float": "2·H² + H·⌊H/2⌋ + 2·H + ⌊H/2⌋",
    "through_a_float_of_numpy": "⌊H/2⌋·(H + 1)",
    "through_a_global": "H² + H",
    "through_infinity": "H² + H",
    "through_len": "L²·(H + 1)",
    "through_another_int": "⌊3·H/A⌋·(H + 1)",
    "through_a_decimal": "H·int(H × 0.29) + H + int(H × 0.29) + 1",
    "through_two_roundings": "H·int(H × (1 ÷ A)) + H + int(H × (1 ÷ A)) + 1",
    "through_a_root": "int(sqrt(H))·(H + 1)",
    "through_a_root_of_a_square": "int(sqrt(H²))·(H + 1)",
    "through_bits": "bits(H)·(H + 1)",
    "through_xor": "xor(H, 1)·(H + 1)",
    "by_powers": "power(2, L)·(H + 1)",
    "past_a_dtype": "L·(H·⌊H/A⌋ + ⌊H/A⌋)",
}

AT_OTHER_SIZES = {
    "through_len": {"hidden_size": 3, "layers": 11},
    "through_another_int": {"hidden_size": 31, "heads": 5},
    "through_a_decimal": {"hidden_size": 100},
    "through_two_roundings": {"hidden_size": 49, "heads": 49},
    "through_a_root": {"hidden_size": 99},
    "through_a_root_of_a_square": {"hidden_size": 99},
    "through_bits": {"hidden_size": 1023},
    "through_xor": {"hidden_size": 1023},
    "by_powers": {"hidden_size": 5, "depth": 11},
    "past_a_dtype": {"hidden_size": 31, "heads": 4, "layers": 7},
}
"""Where floats round, or digits turn."""

READ_FROM_VALUES = {
    "through_a_product_of_an_array": "H²·A + H·A",
    "through_an_array": "A·(H + 1)",
    "through_json": "H²·A + H·A",
    "through_a_string": "2·A·(H + 1)",
}

DOUBTED = {
    "through_a_cache": "A was looked up in a dict or a set (lost.py:",
    "through_a_table": "H was looked up in a dict or a set (lost.py:",
    "past_a_table": "H was looked up in a dict or a set (lost.py:",
}

NOT_EXPLAINED = {
    "through_text_and_a_root": "weight of (4, 16); bias of (4)",
    "through_text_and_bits": "weight of (4, 8); bias of (4)",
    "through_text_and_xor": "weight of (9, 8); bias of (9)",
}


@pytest.mark.parametrize(("name", "formula"), PROVED.items())
def test_followed(name, formula):
    found = derived(f"lost:{name}")
    assert (str(found.formula), found.reasons) == (formula, ())


@pytest.mark.parametrize(("name", "formula"), READ_FROM_VALUES.items())
def test_read_from_values_and_called_that(name, formula):
    found = derived(f"lost:{name}")
    assert str(found.formula) == formula
    assert found.reasons[0] == READ
    assert not any(tensor.traced for tensor in found.tensors)


@pytest.mark.parametrize(("name", "doubt"), DOUBTED.items())
def test_doubted(name, doubt):
    """Every shape is traced, and still nothing is proved."""
    found = derived(f"lost:{name}")
    assert all(tensor.traced for tensor in found.tensors)
    assert len(found.reasons) == 1
    assert found.reasons[0].startswith(doubt)


@pytest.mark.parametrize(("name", "sizes"), AT_OTHER_SIZES.items())
def test_what_is_followed_is_right_at_other_sizes(name, sizes):
    found = derived(f"lost:{name}")
    letters = {letter: sizes[field] for letter, field in found.fields.items()}
    assert found.is_proved_at(letters)
    assert found.count(letters) == count(f"lost:{name}", **sizes)


def test_a_power_that_no_tensor_is_as_wide_as_fixes_its_letter():
    found = derived("lost:by_a_power")
    assert (str(found.formula), found.fixed) == ("power(H, L)·(H + 1)", ("L",))
    assert found.count({"H": 11, "L": 3}) == count("lost:by_a_power", hidden_size=11)


@pytest.mark.parametrize(("name", "tensors"), NOT_EXPLAINED.items())
def test_not_derived(name, tensors):
    from paramproof.derivation.trace_runner import DerivationError, FailureCause

    with pytest.raises(DerivationError) as caught:
        derived(f"lost:{name}")
    assert str(caught.value) == f"lost:{name}: not explained: {tensors}"
    assert caught.value.cause is FailureCause.NOT_EXPLAINED


def test_rather_fixed_than_refused():
    """With this option, sizes that change an unexplained length are fixed."""
    from paramproof.derivation.pipeline import Effort, derive

    found = derive(constructor("lost:through_text_and_a_root"), effort=Effort(rather_fixed=True))
    assert (str(found.formula), found.fixed) == ("68", ("H",))
    assert found.reasons == ("H did not vary",)


def test_rather_fixed_with_a_single_block():
    """The wide blocks of larger models are none of its own, and the root wants a letter fixed."""
    from paramproof.derivation.pipeline import Effort, derive

    made = constructor("lost:through_a_root_beside_one_block")
    found = derive(made, effort=Effort(rather_fixed=True))
    assert (str(found.formula), found.fixed) == ("H²·bl − H² + H·bl + 6·H + 7", ("st",))
    assert found.count({"H": 5, "bl": 4, "st": 16}) == count(
        "lost:through_a_root_beside_one_block", hidden_size=5, blocks=4
    )


def test_as_many_fixed_as_are_to_blame():
    from paramproof.derivation.pipeline import Effort, derive
    from paramproof.derivation.trace_runner import DerivationError, FailureCause

    made = constructor("lost:refused_where_nothing_remembers")
    with pytest.raises(DerivationError, match="refuses sizes inside the conditions") as caught:
        derive(made)
    assert caught.value.cause is FailureCause.REFUSED
    found = derive(made, effort=Effort(rather_fixed=True))
    assert (str(found.formula), len(found.fixed)) == ("H² + H", 5)
    assert found.reasons[0].endswith(" did not vary")


def test_fixed_where_letters_move_together_only():
    """Neither of two moves alone, as both are as long, and a name is made of both."""
    found = derived("lost:named_by_two")
    assert (str(found.formula), found.fixed) == ("H² + H", ("se",))


def test_a_table_asks_about_what_it_has():
    """At 8, which is in the table, the formula holds at 8 only; at 10 it has no condition."""
    found = derived("lost:through_a_table")
    assert conditions(found) == {"H = 8": "other tensors are created"}
    assert not conditions(derived("lost:past_a_table"))


def test_the_larger_of_two():
    found = derived("lost:through_max")
    assert conditions(found) == {"A ≤ H": "other tensors are created"}
    other = derived("lost:through_max", heads=20)
    assert conditions(other) == {"A > H": "other tensors are created"}
    assert str(other.formula) == "A·(H + 1)"


def test_how_many_digits_a_size_has_is_a_caveat():
    """A string gives a number that is the same at every size that was tried: beyond it is wrong."""
    found = derived("lost:through_digits")
    (doubt,) = found.reasons
    assert doubt.startswith("a number that sizes decide was compared (lost.py:")
    assert found.count({"H": 10_000}) != count("lost:through_digits", hidden_size=10_000)


def test_an_index_into_a_list_is_a_condition():
    found = derived("lost:through_a_list")
    assert conditions(found) == {"H2 < 1000": "other tensors are created"}
    assert found.is_proved


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("asked_of_a_number", {"A divides H"}),
        ("asked_of_two_numbers", {"A divides H", "A divides wi"}),
    ],
)
def test_a_number_that_was_asked_about_is_a_size(name, stated):
    """It is recognised by its values, so the formula has a caveat and is not proved."""
    found = derived(f"lost:{name}")
    assert conditions(found).keys() == stated
    read = {f"read from values: what was asked whether {one}" for one in stated}
    said, others = set(found.reasons) & read, set(found.reasons) - read
    assert said == read
    assert others
    assert all("(lost.py:" in one for one in others)
    assert found.fixed == ()


def test_a_number_that_was_asked_about_and_no_size_explains():
    found = derived("lost:asked_of_a_strange_number")
    assert (found.fixed, conditions(found).keys()) == (("H",), {"A ≤ 9"})
    assert not found.is_proved


def test_an_int_that_must_be_python_s_own():
    found = derived("lost:past_days")
    assert str(found.formula) == "L·(H·⌊H/A⌋ + ⌊H/A⌋)"
    assert found.reasons[0] == "the count is fitted in 2 tensor groups"
    assert found.reasons[1].startswith("sizes were not followed: TypeError: unsupported type for ")
    assert "(lost.py:" in found.reasons[1]
    assert all(tensor.traced for tensor in found.tensors)


@pytest.mark.parametrize(
    ("name", "divisor"), [("every_second_column", 2), ("every_third_column", 3)]
)
def test_a_divisor_is_found_by_trying_sizes(name, divisor):
    """PyTorch refuses other sizes where nothing tells why, so the formula is fitted."""
    found = derived(f"lost:{name}")
    assert [*conditions(found)] == [f"{divisor} divides H"]
    assert found.fixed == ()
    assert found.status == "fitted"
    assert f"H is a multiple of {divisor} in all models that could be built" in found.reasons[-1]
    assert found.count({**found.sizes, "H": 600}) == count(f"lost:{name}", hidden_size=600)
