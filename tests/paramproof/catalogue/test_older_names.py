"""Older names of sizes and lists, some of them in an object that is no part."""

import pytest

from paramproof.catalogue.entries import entry
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from tests.configs import GLM, MINIMAX, minimax


@pytest.mark.parametrize(
    ("config", "other"),
    [
        ({**GLM, "num_experts": 8}, {**GLM, "n_routed_experts": 8}),
        ({**GLM, "num_experts": 256}, GLM),
        ({**GLM, "num_experts": 8, "n_routed_experts": 16}, {**GLM, "n_routed_experts": 8}),
        (
            minimax(moe_layer_freq=[0, 1, 1]),
            minimax(mlp_layer_types=["dense", "sparse", "sparse"]),
        ),
        (
            minimax(
                sparse_attention_config={
                    "sparse_attention_freq": [0, 1, 1],
                    "sparse_index_dim": 32,
                    "sparse_score_type": "max",
                }
            ),
            minimax(
                layer_types=["full_attention", "minimax_m3_sparse", "minimax_m3_sparse"],
                index_head_dim=32,
            ),
        ),
        ({**GLM, "layer_types": ["deepseek_sparse_attention"] * 4}, GLM),
        (minimax(sparse_attention_config=None), MINIMAX),
        (minimax(sparse_attention_config={}), MINIMAX),
    ],
)
def test_older_names_are_read_as_the_fields(config, other):
    assert entry(config).count == entry(other).count


def test_two_values_for_one_field_are_wrong():
    with pytest.raises(InvalidInput, match="name the same field"):
        entry(minimax(sparse_attention_config={"sparse_index_dim": 32}, index_head_dim=64))


@pytest.mark.parametrize(
    "config",
    [
        minimax(sparse_attention_config={"sparse_attention_freq": ["a"] * 3}),
        minimax(sparse_attention_config=3),
        minimax(sparse_attention_config={"sparse_index_dim": None}),
        minimax(moe_layer_freq=[0, 1], mlp_layer_types=["dense", "dense"]),
    ],
)
def test_contradictions_are_refused(config):
    with pytest.raises(NotInCatalogue):
        entry(config)


def test_the_usual_pattern_of_predicted_layers_is_accepted():
    config = {"model_type": "nemotron_h"}
    assert entry({**config, "mtp_hybrid_override_pattern": "*E"}).count == entry(config).count
