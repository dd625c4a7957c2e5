"""Letters for sizes: all different, by custom, and those that a file has already."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from paramproof.algebra.letters import letters_for, with_experts_per_token
from paramproof.formulas.models import size_names
from tests.derivations import MIXTURE

FIELDS = st.text("abcdeHL_.[]0123", min_size=1, max_size=12) | st.sampled_from(
    [name for size in size_names() for name in size.names]
)


@given(st.lists(FIELDS, unique=True, max_size=40))
def test_letters_are_different(fields):
    letters = letters_for(fields)
    assert list(letters) == fields
    assert len(set(letters.values())) == len(fields)


def test_letters_by_custom():
    fields = ["hidden_size", "n_embd", "text_config.hidden_size", "mlp_expansion", "depths[1]"]
    assert list(letters_for(fields).values()) == ["H", "H2", "H_text", "me", "de_1"]


def test_known_letters_are_kept_and_given_to_no_other_field():
    known = {"hidden_size": "X", "mlp_expansion": "me", "vocab_size": "V"}
    fields = ["model_embed", "hidden_size", "n_embd"]
    found = letters_for(fields, known)
    assert found == {"model_embed": "me2", "hidden_size": "X", "n_embd": "H"}
    assert list(found) == fields


def test_letters_of_a_part_of_a_part_and_of_the_third_alike():
    fields = ["dim", "width", "d_model", "embed_dim", "dim[12]", "vision_config.text.dim"]
    found = list(letters_for(fields).values())
    assert found == ["H", "H2", "H3", "H4", "H_12", "H_vision_text"]


def test_a_hidden_dim_is_the_models_beside_a_feed_forward_one():
    assert letters_for(["hidden_dim", "mlp_dim", "depth"]) == {
        "hidden_dim": "H", "mlp_dim": "F", "depth": "L",
    }  # fmt: skip
    assert list(letters_for(["hidden_dim", "intermediate_dim"]).values()) == ["H", "F"]
    # DistilBERT calls its feed-forward width so, beside its own dim.
    assert letters_for(["dim", "hidden_dim"]) == {"dim": "H", "hidden_dim": "F"}
    parts = ["a.hidden_dim", "b.hidden_dim", "b.mlp_dim"]
    assert list(letters_for(parts).values()) == ["F_a", "H_b", "F_b"]


KNOWN = replace(
    MIXTURE,
    sizes={**MIXTURE.sizes, "nept": 2},
    fields={**MIXTURE.fields, "nept": "num_experts_per_tok"},
)


def test_a_letter_for_experts_per_token_is_added():
    found = with_experts_per_token(MIXTURE, {"num_experts_per_tok": 3, "hidden_size": 9})
    assert found.sizes == {**MIXTURE.sizes, "nept": 3}
    assert found.fields == {**MIXTURE.fields, "nept": "num_experts_per_tok"}
    assert found.inert == ("nept",)
    assert found.tensors == MIXTURE.tensors


def test_one_for_experts_that_is_there_is_kept():
    """Under another name too: the type knows both."""
    assert with_experts_per_token(KNOWN, {"num_experts_per_tok": 3, "moe_topk": 4}) == KNOWN


def test_a_part_of_a_configuration_has_its_own():
    found = with_experts_per_token(KNOWN, {"text_config": {"top_k": 5, "more": {"moe_k": 1}}})
    assert found.sizes == {**KNOWN.sizes, "tk_text": 5, "mk_text_more": 1}
    assert found.fields["tk_text"] == "text_config.top_k"


def test_what_is_no_number_of_experts_is_left():
    keys = {"num_experts_per_tok": None, "moe_topk": True, "top_k": 0, "index_topk": 8}
    assert with_experts_per_token(MIXTURE, keys) == MIXTURE
