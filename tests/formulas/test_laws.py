"""The laws of tests/laws.py on both derivations."""

import pytest
from hypothesis import given

from builders.strategies import encoder_specs
from formulas import closed_form, inventory
from tests.laws import LAWS

DERIVATIONS = {
    "closed form": lambda spec: closed_form(spec.letters()),
    "inventory": lambda spec: inventory(spec.letters()).total(),
}


@pytest.mark.parametrize("field", LAWS)
@pytest.mark.parametrize("derivation", DERIVATIONS)
@given(spec=encoder_specs())
def test_law(field, derivation, spec):
    LAWS[field](DERIVATIONS[derivation], spec)


WRONG = {
    "num_hidden_layers": lambda s: s.num_hidden_layers**2,
    "vocab_size": lambda s: s.vocab_size * (s.hidden_size + 1),
    "max_position_embeddings": lambda s: s.max_position_embeddings * s.hidden_size * 2,
    "type_vocab_size": lambda s: 2 * s.hidden_size,
    "num_attention_heads": lambda s: s.hidden_size // s.num_attention_heads,
    "hidden_size": lambda s: s.hidden_size**3,
}


@pytest.mark.parametrize("field", LAWS)
def test_a_law_can_be_broken(field):
    @given(spec=encoder_specs())
    def hold(spec):
        LAWS[field](WRONG[field], spec)

    with pytest.raises(AssertionError):
        hold()
