"""Letters for sizes: all different, by custom, and those that a file has already; A·K as H."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.algebra.letters import letters_for, with_experts_per_token
from paramproof.algebra.symbols import folded, symbols
from paramproof.formulas import EncoderLetters, closed_form
from paramproof.formulas.expression import letter, text
from paramproof.formulas.models import size_names
from tests.cases import letters_of
from tests.derivations import MIXTURE

FIELDS = st.text("abcdeHL_.[]0123", min_size=1, max_size=12) | st.sampled_from(
    [name for size in size_names() for name in size.names]
)


@given(st.lists(FIELDS, unique=True, max_size=40))
def test_letters_are_different(fields):
    letters = letters_for(fields)
    assert list(letters) == fields
    assert len(set(letters.values())) == len(fields)


LETTERS = {
    "bins[0].n_bins bins[1].n_bins": "nb_bins0 nb_bins1",
    "hidden_size n_embd text_config.hidden_size mlp_expansion depths[1]": "H H2 H_text me de_1",
    "dim width d_model embed_dim dim[12] vision_config.text.dim": "H H2 H3 H4 H_12 H_vision_text",
    # Beside a width of the feed-forward network, hidden_dim is the model's. DistilBERT calls its
    # feed-forward width so, beside its own dim.
    "hidden_dim mlp_dim depth": "H F L",
    "hidden_dim intermediate_dim": "H F",
    "dim hidden_dim": "H F",
    "a.hidden_dim b.hidden_dim b.mlp_dim": "F_a H_b F_b",
}


@pytest.mark.parametrize("fields", LETTERS)
def test_letters_by_custom(fields):
    assert " ".join(letters_for(fields.split()).values()) == LETTERS[fields]


def test_known_letters_are_kept_and_given_to_no_other_field():
    known = {"hidden_size": "X", "mlp_expansion": "me", "vocab_size": "V"}
    fields = ["model_embed", "hidden_size", "n_embd"]
    found = letters_for(fields, known)
    assert found == {"model_embed": "me2", "hidden_size": "X", "n_embd": "H"}
    assert list(found) == fields


KNOWN = replace(
    MIXTURE,
    sizes={**MIXTURE.sizes, "nept": 2},
    fields={**MIXTURE.fields, "nept": "num_experts_per_tok"},
)


def test_a_letter_for_experts_per_token_is_added():
    found = with_experts_per_token(MIXTURE, {"num_experts_per_tok": 3, "hidden_size": 9})
    assert found == replace(KNOWN, sizes={**MIXTURE.sizes, "nept": 3}, inert=("nept",))


def test_a_number_of_experts_that_is_known_or_none_adds_no_letter():
    """Known under another name, too: the type knows both."""
    assert with_experts_per_token(KNOWN, {"num_experts_per_tok": 3, "moe_topk": 4}) == KNOWN
    keys = {"num_experts_per_tok": None, "moe_topk": True, "top_k": 0, "index_topk": 8}
    assert with_experts_per_token(MIXTURE, keys) == MIXTURE


def test_a_part_of_a_configuration_has_its_own():
    found = with_experts_per_token(KNOWN, {"text_config": {"top_k": 5, "more": {"moe_k": 1}}})
    assert found.sizes == {**KNOWN.sizes, "tk_text": 5, "mk_text_more": 1}
    assert found.fields["tk_text"] == "text_config.top_k"


L, A, K, V = map(letter, "LAKV")


def test_heads_and_their_size_are_folded_into_the_hidden_size():
    assert text(folded(4 * L * A**2 * K**2 - 2 * A * K)) == "4·L·H² − 2·H"
    assert text(folded(A**2 * K)) == "H·A"
    assert text(folded(A * K**3)) == "H·K²"
    assert text(folded(V * K)) == "V·K"
    assert folded(7) == 7
    assert folded(closed_form(letters_of("encoder"))) == closed_form(symbols(EncoderLetters))
