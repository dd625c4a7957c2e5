"""Inventory and closed form are the same polynomial, which obeys the laws of tests/laws.py."""

from contextlib import nullcontext

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES, EncoderLetters, closed_form, inventory
from tests.laws import CASES, FAMILY_LAWS
from tests.strategies import specs

SYMBOLS = {
    name: family.letters(*sympy.symbols(" ".join(family.letters._fields), integer=True))
    for name, family in FAMILIES.items()
}


def test_equal_as_symbols(family):
    letters = SYMBOLS[family]
    assert sympy.expand(inventory(letters).total() - closed_form(letters)) == 0


A, F, H, L, P, T, V = sympy.symbols("A F H L P T V", integer=True)
WIDE = {"F": 4 * H}
LITERATURE = [
    ("encoder", "layers.*", WIDE, 12 * H**2 + 13 * H),
    ("gpt", "layers.*", WIDE, 12 * H**2 + 13 * H),
    ("encoder-decoder", "encoder.layers.*", WIDE | {"bias": 1}, 12 * H**2 + 13 * H),
    ("encoder-decoder", "decoder.layers.*", WIDE | {"bias": 1}, 16 * H**2 + 19 * H),
    # Every query head has its own keys.
    ("llama", "layers.*", {"G": A, "K": H / A, "F": 8 * H / 3}, 12 * H**2 + 2 * H),
    (
        "encoder",
        "",
        {"pooler": 1, "mlm": 0, "untied": 0, "nsp": 0},
        (V + P + T) * H + 2 * H + L * (4 * H**2 + 9 * H + 2 * H * F + F) + H**2 + H,
    ),
]


@pytest.mark.parametrize(("family", "component", "letters", "count"), LITERATURE)
def test_the_counts_of_the_literature(family, component, letters, count):
    named = inventory(SYMBOLS[family]._replace(**letters))
    assert sympy.expand(named.total(component) - count) == 0


@given(data=st.data())
def test_ints_are_exact_at_any_size(family, data):
    fields = FAMILIES[family].letters._fields
    sizes = [st.integers(1, 10**30) if len(name) == 1 else st.just(1) for name in fields]
    letters = FAMILIES[family].letters(*data.draw(st.tuples(*sizes)))
    exact = closed_form(FAMILIES[family].letters(*map(sympy.Integer, letters)))
    assert closed_form(letters) == inventory(letters).total() == int(exact)


@given(data=st.data())
def test_a_sweep_counts_the_same(family, data):
    drawn = data.draw(st.lists(specs(family), min_size=1, max_size=20))
    columns = zip(*(spec.letters() for spec in drawn), strict=True)
    sweep = FAMILIES[family].letters(*(np.array(column, dtype="int64") for column in columns))
    expected = [closed_form(spec.letters()) for spec in drawn]
    assert all(type(number) is int for number in expected)
    assert closed_form(sweep).tolist() == inventory(sweep).total().tolist() == expected
    assert closed_form(sweep).dtype == "int64"


def test_a_sweep_overflows_where_documented():
    """int64 ends at 9.2e18, as paramproof.formulas.spec documents."""
    large = EncoderLetters(*(np.array([10**7], dtype="int64") for _ in range(7)))
    small = EncoderLetters(*(np.array([10**5], dtype="int64") for _ in range(7)))
    assert closed_form(large)[0] != closed_form(EncoderLetters(*[10**7] * 7))
    assert closed_form(small)[0] == closed_form(EncoderLetters(*[10**5] * 7))


def test_every_family_has_laws():
    assert list(FAMILY_LAWS) == list(FAMILIES)


WRONG = {
    "num_hidden_layers": lambda s: s.num_hidden_layers**2,
    "num_encoder_layers": lambda s: s.num_encoder_layers**2,
    "num_decoder_layers": lambda s: s.num_decoder_layers**2,
    "vocab_size": lambda s: s.vocab_size * (s.hidden_size + 1),
    "target_vocab_size": lambda s: s.target_vocab_size * s.hidden_size * 3,
    "max_position_embeddings": lambda s: s.max_position_embeddings * (s.hidden_size + 1),
    "type_vocab_size": lambda s: 2 * s.hidden_size,
    "num_attention_heads": lambda s: s.hidden_size // s.num_attention_heads,
    "num_key_value_heads": lambda s: s.num_hidden_layers * s.num_key_value_heads * s.hidden_size,
    "head_dim": lambda s: s.head_dim**2,
    "hidden_size": lambda s: s.hidden_size**3,
    "intermediate_size": lambda s: s.intermediate_size**2,
    "attention_bias": lambda s: s.attention_bias * s.hidden_size,
}


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize(("family", "field"), CASES)
def test_a_law_holds_of_the_formula_and_not_of_a_wrong_one(family, field, is_right):
    count = (lambda spec: closed_form(spec.letters())) if is_right else WRONG[field]

    @given(spec=specs(family))
    def hold(spec):
        FAMILY_LAWS[family][field](count, spec)

    with nullcontext() if is_right else pytest.raises(AssertionError):
        hold()
