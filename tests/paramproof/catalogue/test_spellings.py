"""Values that a file writes in another way, and values that are as good as the default."""

import pytest

from paramproof.catalogue import entry
from paramproof.formulas.errors import NotInCatalogue

LONGFORMER = {"model_type": "longformer", "num_hidden_layers": 3}
DEBERTA = {
    "model_type": "deberta-v2",
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "position_biased_input": False,
}


def test_a_joined_text_is_the_list_of_its_items():
    joined = entry({**DEBERTA, "pos_att_type": "p2c|c2p"})
    assert joined == entry({**DEBERTA, "pos_att_type": ["p2c", "c2p"]})


def test_the_items_of_a_joined_text_may_have_any_order():
    first = entry({**DEBERTA, "pos_att_type": "p2c|c2p"})
    for other in ("c2p|p2c", ["c2p", "p2c"]):
        assert entry({**DEBERTA, "pos_att_type": other}) == first
    with pytest.raises(NotInCatalogue, match="deberta-v2"):
        entry({**DEBERTA, "pos_att_type": ["p2c", 3]})


@pytest.mark.parametrize("text", ["p2c", "p2c,c2p", ""])
def test_another_text_is_refused(text):
    with pytest.raises(NotInCatalogue):
        entry({**DEBERTA, "pos_att_type": text})


def test_a_size_may_be_repeated_for_every_layer():
    repeated = entry({**LONGFORMER, "attention_window": [256, 256, 256]})
    assert repeated == entry({**LONGFORMER, "attention_window": 256})


def test_the_number_of_layers_may_be_the_default():
    repeated = entry({"model_type": "longformer", "attention_window": [512] * 12})
    assert repeated.count == entry({"model_type": "longformer"}).count


@pytest.mark.parametrize("window", [[256, 256], [256, 256, 512], []])
def test_another_list_of_sizes_is_refused(window):
    with pytest.raises(NotInCatalogue, match="attention_window="):
        entry({**LONGFORMER, "attention_window": window})


def test_a_float_of_the_default_s_sort_is_as_good_as_the_default():
    config = {"model_type": "wav2vec2", "conv_bias": True}
    assert entry({**config, "mask_time_prob": 0.075}).count == entry(config).count


@pytest.mark.parametrize("share", [0.0, 0])
def test_a_number_of_another_sort_is_refused(share):
    with pytest.raises(NotInCatalogue, match="mask_time_prob"):
        entry({"model_type": "wav2vec2", "mask_time_prob": share})


def test_sizes_select_between_variants_with_the_same_values():
    """The sizes are ELECTRA's: large models project no embeddings, small ones do."""
    sizes = {"model_type": "electra", "hidden_size": 256, "num_attention_heads": 4}
    equal, other = (entry({**sizes, "embedding_size": width}) for width in (256, 128))
    names = [{one.path for one in found.derivation.tensors} for found in (equal, other)]
    assert names[1] - names[0] == {
        "embeddings_project.weight",
        "embeddings_project.bias",
    }


def test_a_float_of_0_is_accepted_where_an_int_of_0_and_other_floats_are():
    config = {"model_type": "nemotron", "num_key_value_heads": 8}
    assert entry({**config, "hidden_dropout": 0.0}) == entry(config)


def test_a_pair_of_equal_sides_is_one_size():
    assert entry({"model_type": "vit", "image_size": [96, 96]}) == entry(
        {"model_type": "vit", "image_size": 96}
    )
    with pytest.raises(NotInCatalogue, match="image_size="):
        entry({"model_type": "vit", "image_size": [96, 64]})


def test_one_size_may_stand_for_two():
    both = entry({"model_type": "pvt_v2", "image_size": [192, 192]})
    assert entry({"model_type": "pvt_v2", "image_size": 192}).sizes == both.sizes
    with pytest.raises(NotInCatalogue, match=r"image_size=\[192\] is not a list of 2 sizes"):
        entry({"model_type": "pvt_v2", "image_size": [192]})
    with pytest.raises(NotInCatalogue, match="patch_stride=4 is not a list of 2 sizes"):
        entry({"model_type": "hiera", "patch_stride": 4})


def test_a_list_of_kinds_may_be_given_by_positions():
    lfm2 = {"model_type": "lfm2", "num_hidden_layers": 5}
    kinds = ["conv", "full_attention", "conv", "conv", "full_attention"]
    due = entry({**lfm2, "layer_types": kinds})
    assert entry({**lfm2, "full_attn_idxs": [1, 4]}).count == due.count
    # The class asks each layer whether its number is in the list.
    assert entry({**lfm2, "full_attn_idxs": [4, 1, 17]}).count == due.count
    # It looks at the positions only if there is no list of kinds.
    assert entry({**lfm2, "layer_types": kinds, "full_attn_idxs": [0]}).count == due.count
    for wrong in ([1.5], "1,4", {"a": 1}):
        with pytest.raises(NotInCatalogue, match="is not a list of positions of layers"):
            entry({**lfm2, "full_attn_idxs": wrong})
