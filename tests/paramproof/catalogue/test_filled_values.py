"""Values that a class fills in for each layer are read as if a file did not give them."""

import pytest

from paramproof.catalogue.entries import entry
from paramproof.catalogue.filled_values import by_layer
from paramproof.formulas.errors import NotInCatalogue

GEMMA = {"model_type": "gemma4_text"}
OVERRIDES = {f"{one:02}": {"head_dim": 512} for one in range(5, 30, 6)}
RATIOS = {"model_type": "dac", "downsampling_ratios": [2, 4, 8, 8]}
LAYERS = [*["sliding_attention"] * 5, "full_attention"] * 5


@pytest.mark.parametrize(
    ("config", "more"),
    [
        ({"model_type": "lfm2", "num_hidden_layers": 4}, {"full_attn_idxs": [0, 1, 2, 3]}),
        ({"model_type": "llama4_text", "num_hidden_layers": 3}, {"moe_layers": [0, 1, 2]}),
        ({"model_type": "smollm3", "num_hidden_layers": 5}, {"no_rope_layers": [1, 1, 1, 0, 1]}),
        ({"model_type": "dinov2_with_registers", "num_hidden_layers": 4}, {"out_indices": [4]}),
        (RATIOS, {"upsampling_ratios": [8, 8, 4, 2]}),
        (GEMMA, {"per_layer_config": OVERRIDES}),
        (GEMMA, {"per_layer_config": {str(int(one)): OVERRIDES[one] for one in OVERRIDES}}),
        (GEMMA, {"per_layer_config": OVERRIDES, "layer_types": LAYERS}),
    ],
)
def test_a_file_may_give_what_the_class_fills_in(config, more):
    """Tests of transformers compare these counts with its models."""
    assert entry({**config, **more}).count == entry(config).count


@pytest.mark.parametrize(
    ("config", "more"),
    [
        # A pattern that starts with a fourth layer does not hold for three.
        ({"model_type": "olmo_hybrid", "num_hidden_layers": 3}, {"layer_types": ["linear"] * 3}),
        (
            {"model_type": "llama4_text", "num_hidden_layers": 2, "interleave_moe_layer_step": 2},
            {"moe_layers": [0, 1]},
        ),
        # The class overwrites head_dim, so a file that gives its own value means another model.
        ({"model_type": "bailing_hybrid"}, {"head_dim": 64, "linear_head_dim": 128}),
        # The class has the other list in reverse order.
        (RATIOS, {"upsampling_ratios": [8, 8, 4, 2], "downsampling_ratios": [8, 8, 4, 2]}),
        (RATIOS, {"upsampling_ratios": [2, 4, 8, 8]}),
        (GEMMA, {"per_layer_config": {}}),
        (GEMMA, {"per_layer_config": {"x": {"head_dim": 512}}}),
        (GEMMA, {"per_layer_config": {**OVERRIDES, "30": {"head_dim": 512}}}),
        (GEMMA, {"per_layer_config": {**OVERRIDES, "5": {"head_dim": 512}}}),
        (GEMMA, {"per_layer_config": OVERRIDES, "num_hidden_layers": 29}),
        (GEMMA, {"per_layer_config": OVERRIDES, "global_head_dim": 256}),
        (GEMMA, {"per_layer_config": OVERRIDES, "head_dim": 512}),
        (GEMMA, {"per_layer_config": OVERRIDES, "layer_types": ["full_attention"] * 30}),
    ],
)
def test_other_values_are_refused(config, more):
    with pytest.raises(NotInCatalogue):
        entry({**config, **more})


@pytest.mark.parametrize("value", [[1, 0], [0, 0], [0, 3], [-1], [True], ["0"], {"0": {}}, None, 1])
def test_positions_are_sorted_and_inside(value):
    assert by_layer(value, "positions", 3) is None


def test_the_form_says_how_a_value_is_read():
    assert by_layer([0, 2], "positions", 3) == [True, False, True]
    assert by_layer({"1": {"a": 2}}, "overrides", 3) == [None, {"a": 2}, None]
    assert by_layer([0, 2], "", 3) == [0, 2]
