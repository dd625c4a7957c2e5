"""Experts per token that a configuration says, and a formula has no letter for."""

from dataclasses import replace

from paramproof.algebra.letters import with_experts_per_token
from tests.derivations import MIXTURE

KNOWN = replace(
    MIXTURE,
    sizes={**MIXTURE.sizes, "nept": 2},
    fields={**MIXTURE.fields, "nept": "num_experts_per_tok"},
)


def test_a_letter_is_added():
    found = with_experts_per_token(MIXTURE, {"num_experts_per_tok": 3, "hidden_size": 9})
    assert found.sizes == {**MIXTURE.sizes, "nept": 3}
    assert found.fields == {**MIXTURE.fields, "nept": "num_experts_per_tok"}
    assert found.inert == ("nept",)
    assert found.tensors == MIXTURE.tensors


def test_one_that_is_there_is_kept():
    """Under another name too: the type knows both."""
    assert with_experts_per_token(KNOWN, {"num_experts_per_tok": 3, "moe_topk": 4}) == KNOWN


def test_a_part_of_a_configuration_has_its_own():
    found = with_experts_per_token(KNOWN, {"text_config": {"top_k": 5, "more": {"moe_k": 1}}})
    assert found.sizes == {**KNOWN.sizes, "tk_text": 5, "mk_text_more": 1}
    assert found.fields["tk_text"] == "text_config.top_k"


def test_what_is_no_number_of_experts_is_left():
    keys = {"num_experts_per_tok": None, "moe_topk": True, "top_k": 0, "index_topk": 8}
    assert with_experts_per_token(MIXTURE, keys) == MIXTURE
