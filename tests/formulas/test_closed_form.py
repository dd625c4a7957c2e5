"""Inventory and closed form are the same polynomial: for symbols, ints of any size, arrays."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES, EncoderLetters, closed_form, inventory
from tests.strategies import specs

SYMBOLS = {
    name: family.letters(*sympy.symbols(" ".join(family.letters._fields), integer=True))
    for name, family in FAMILIES.items()
}
HEADS_ARE_NO_MATTER = ["encoder", "encoder-decoder", "gpt"]


def test_equal_as_symbols(family):
    letters = SYMBOLS[family]
    assert sympy.expand(inventory(letters).total() - closed_form(letters)) == 0


def test_an_encoder_has_the_count_of_the_literature():
    """N as in the literature, for an encoder with a pooler and nothing else."""
    L, H, F, V, P, T = sympy.symbols("L H F V P T", integer=True)
    encoder = closed_form(EncoderLetters(L=L, H=H, A=0, F=F, V=V, P=P, T=T))
    expected = (V + P + T) * H + 2 * H + L * (4 * H**2 + 9 * H + 2 * H * F + F) + H**2 + H
    assert sympy.expand(encoder - expected) == 0


@pytest.mark.parametrize("name", ["encoder", "gpt"])
def test_a_layer_has_the_count_of_the_literature(name):
    """12H² + 13H if F is 4H, whether the norms come before or after."""
    letters = SYMBOLS[name]
    layer = inventory(letters).total("layers.*").subs(letters.F, 4 * letters.H)
    assert sympy.expand(layer - (12 * letters.H**2 + 13 * letters.H)) == 0


def test_a_llama_layer_has_the_count_of_the_literature():
    """12H² + 2H if F is two thirds of 4H and every query head has its own keys."""
    letters = SYMBOLS["llama"]
    layer = inventory(letters).total("layers.*")
    H = letters.H
    plain = layer.subs({letters.G: letters.A, letters.K: H / letters.A, letters.F: 8 * H / 3})
    assert sympy.expand(plain - (12 * H**2 + 2 * H)) == 0


def test_grouped_queries_need_fewer_keys_and_values():
    letters = SYMBOLS["llama"]
    named = inventory(letters)
    ungrouped = inventory(letters._replace(G=letters.A)).total("layers.*.attention")
    saved = 2 * letters.H * letters.K * (letters.A - letters.G)
    assert sympy.expand(ungrouped - named.total("layers.*.attention") - saved) == 0
    halved = named.total("layers.*.attention").subs(letters.G, 0)
    assert sympy.expand(ungrouped - 2 * halved) == 0


def test_a_decoder_layer_has_one_more_attention_and_norm_than_an_encoder_layer():
    letters = SYMBOLS["encoder-decoder"]
    named = inventory(letters)
    more = named.total("decoder.layers.*") - named.total("encoder.layers.*")
    attention = named.total("encoder.layers.*.attention")
    assert sympy.expand(more - attention - 2 * letters.H) == 0


@pytest.mark.parametrize("name", HEADS_ARE_NO_MATTER)
def test_the_number_of_heads_does_not_occur(name):
    assert SYMBOLS[name].A not in inventory(SYMBOLS[name]).total().free_symbols


def test_every_component_is_a_polynomial_in_its_own_letters():
    letters = SYMBOLS["encoder"]
    named = inventory(letters)
    assert names(named.total("layers.*.attention")) == ["H"]
    assert names(named.total("pooler")) == ["H", "pooler"]
    letters = SYMBOLS["llama"]
    attention = inventory(letters).total("layers.*.attention")
    assert names(attention) == ["A", "G", "H", "K"]


def names(expression):
    """Return an expression's letters as text: pytest cannot sort symbols to show differences."""
    return sorted(str(symbol) for symbol in expression.free_symbols)


@given(data=st.data())
def test_equal_as_ints(family, data):
    letters = data.draw(specs(family)).letters()
    assert inventory(letters).total() == closed_form(letters)
    assert type(closed_form(letters)) is int


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
    assert closed_form(sweep).tolist() == inventory(sweep).total().tolist() == expected
    assert closed_form(sweep).dtype == "int64"


def test_a_sweep_overflows_where_documented():
    """int64 ends at 9.2e18, as paramproof.formulas.spec documents."""
    large = EncoderLetters(*(np.array([10**7], dtype="int64") for _ in range(7)))
    small = EncoderLetters(*(np.array([10**5], dtype="int64") for _ in range(7)))
    assert closed_form(large)[0] != closed_form(EncoderLetters(*[10**7] * 7))
    assert closed_form(small)[0] == closed_form(EncoderLetters(*[10**5] * 7))
