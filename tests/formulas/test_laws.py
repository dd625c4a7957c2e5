"""The laws of tests/laws.py hold for inventory and closed form."""

import pytest
from hypothesis import given

from paramproof.formulas import FAMILIES, closed_form, inventory
from tests.laws import CASES, FAMILY_LAWS
from tests.strategies import specs

DERIVATIONS = {
    "closed form": lambda spec: closed_form(spec.letters()),
    "inventory": lambda spec: inventory(spec.letters()).total(),
}


def test_every_family_has_laws():
    assert list(FAMILY_LAWS) == list(FAMILIES)


@pytest.mark.parametrize(("family", "field"), CASES)
@pytest.mark.parametrize("derivation", DERIVATIONS)
def test_law(family, field, derivation):
    @given(spec=specs(family))
    def hold(spec):
        FAMILY_LAWS[family][field](DERIVATIONS[derivation], spec)

    hold()


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


@pytest.mark.parametrize(("family", "field"), CASES)
def test_a_law_can_be_broken(family, field):
    @given(spec=specs(family))
    def hold(spec):
        FAMILY_LAWS[family][field](WRONG[field], spec)

    with pytest.raises(AssertionError):
        hold()
