"""Older names are found in the code of configuration classes, and models have their sizes."""

import pytest

from paramproof.catalogue import entry, read_type

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from sweep.entries.older_names import OlderNames, with_older_names  # noqa: E402
from sweep.fields.saved_values import SavedValues  # noqa: E402
from sweep.fields.unread_fields import UnreadFields  # noqa: E402
from sweep.library.mismatch import find_mismatch  # noqa: E402
from sweep.samples.adversary import judge  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402
from sweep.store import read_entry  # noqa: E402
from tests.configs import GLM, minimax  # noqa: E402


def test_names_in_an_object_are_found():
    file = read_type("minimax_m3_vl")
    found = OlderNames(file)
    inner = "text_config.sparse_attention_config.sparse_index_dim"
    assert found.takes_object("text_config.sparse_attention_config")
    assert not found.takes_object("text_config.layer_types")
    assert found.is_name_of(inner, "text_config.index_head_dim")
    assert not found.is_name_of(inner, "text_config.index_n_heads")
    assert file.objects == {"text_config.sparse_attention_config"}


def test_a_name_that_sets_a_field_is_found():
    found = OlderNames(read_type("glm_moe_dsa"))
    assert found.is_name_of("num_experts", "n_routed_experts")
    # It has an effect on the list of layers, which no size alone has.
    assert not found.is_name_of("index_topk_freq", "n_routed_experts")
    assert found.layer_names("layer_types") == [
        "attention",
        "deepseek_sparse_attention",
        "qwen_sparse_attention",
    ]


def test_the_text_of_a_property_is_known():
    file = read_type("nemotron_h")
    saved = SavedValues(file, UnreadFields(file))
    assert ("mtp_hybrid_override_pattern", "*E") in list(saved.properties())
    assert saved.is_like_absent("mtp_hybrid_override_pattern")


@pytest.mark.parametrize(
    "config",
    [
        {**GLM, "num_experts": 8},
        {**GLM, "layer_types": ["deepseek_sparse_attention"] * 4},
        minimax(moe_layer_freq=[0, 1, 1]),
        minimax(sparse_attention_config={"sparse_attention_freq": [0, 1, 3]}),
        minimax(sparse_attention_config={"sparse_index_dim": 32, "sparse_num_index_heads": 2}),
        {"model_type": "nemotron_h", "mtp_hybrid_override_pattern": "*E"},
    ],
)
def test_models_have_these_sizes(config):
    found = entry(config)
    config_class = transformers.CONFIG_MAPPING[config["model_type"]]
    model_class = getattr(transformers, found.derivation.name)
    assert find_mismatch(found, config_class, model_class, config) is None


def test_positions_of_a_kind_are_found_again():
    """LFM2's class makes its list of kinds from the positions of those with attention."""
    data = read_entry("lfm2")
    rule = {"into": "layer_types", "inside": "full_attention", "outside": "conv"}
    assert data["spelt"] == {"full_attn_idxs": rule}
    without = {key: value for key, value in data.items() if key != "spelt"}
    assert with_older_names(without)["spelt"] == data["spelt"]
    config = {"model_type": "lfm2", "num_hidden_layers": 6, "full_attn_idxs": [5, 1, 1, 8]}
    assert judge(config).verdict is Verdict.EQUAL
