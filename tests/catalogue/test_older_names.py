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


def test_a_name_that_sets_a_flag_is_found():
    found = OlderNames(read_type("lfm2"))
    assert found.is_name_of("tie_embedding", "tie_word_embeddings")
    assert not found.is_name_of("tie_embedding", "block_auto_adjust_ff_dim")


LFM2 = {
    "model_type": "lfm2",
    "architectures": ["Lfm2ForCausalLM"],
    "num_hidden_layers": 2,
    "layer_types": ["conv", "full_attention"],
}


@pytest.mark.parametrize(
    ("keys", "verdict"),
    [
        ({"tie_embedding": False}, Verdict.EQUAL),
        ({"tie_embedding": True, "conv_bias": False}, Verdict.EQUAL),
        ({"tie_embedding": False, "tie_word_embeddings": True}, Verdict.NOT_COUNTED),
        ({"conv_bias": True}, Verdict.NOT_COUNTED),
    ],
)
def test_flags_of_lfm2(keys, verdict):
    """A false ``tie_embedding`` and a true ``conv_bias`` were counted as if they had no effect."""
    assert judge({**LFM2, **keys}).verdict is verdict


def test_a_flag_beside_a_list_of_layers():
    """A false ``mamba_conv_bias`` was counted like a true one."""
    config = {"model_type": "nemotron_h", "layers_block_type": ["mamba", "moe", "attention"]}
    assert judge(config).verdict is Verdict.EQUAL
    assert judge({**config, "mamba_conv_bias": False}).verdict is Verdict.NOT_COUNTED


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
