"""Configurations are counted by their entry without a framework, or refused in one line."""

import subprocess
import sys

import pytest

from paramproof.catalogue import entry, read_type
from paramproof.catalogue.entries import usual_class
from paramproof.formulas import EncoderLetters, GPTLetters, LlamaLetters
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from tests.configs import without
from tests.found_configs import HATEBERT, SMOLLM
from tests.public_configs import DEEPSEEK_V3, LLAMA_3_1_8B, MIXTRAL_8X7B


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (HATEBERT | {"architectures": ["BertForMaskedLM"]}, 109_514_298),
        (SMOLLM, 134_515_008),
        (LLAMA_3_1_8B, 8_030_261_248),
        (MIXTRAL_8X7B, 46_702_792_704),
        (DEEPSEEK_V3, 671_026_404_352),
    ],
    ids=lambda one: one["model_type"] if isinstance(one, dict) else "",
)
def test_the_count_of_a_public_configuration(config, parameters):
    """DeepSeek-V3's count is 58·256 below its checkpoint's, as the routers' biases are buffers."""
    assert entry(config).count == parameters


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        ({"model_type": "mt5", "num_hidden_layers": 7}, 169_759_104),
        ({"model_type": "t5", "num_hidden_layers": 7}, 63_653_376),
    ],
    ids=str,
)
def test_a_late_alias_applies_after_the_defaults(config, parameters):
    """The decoder keeps the number of layers of the class, as transformers builds it."""
    found = entry(config)
    assert found.count == parameters
    assert "num_layers" not in found.assumed


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "ernie4_5_moe", "num_hidden_layers": 56, "moe_layer_end_index": 27},
        {"model_type": "longcat_flash", "num_hidden_layers": 64},
        {"model_type": "mimi", "_frame_rate": 0.5},
        {"model_type": "switch_transformers", "num_hidden_layers": 7},
    ],
    ids=str,
)
def test_a_key_with_an_unknown_effect_is_refused(config):
    """Each was once counted as if the key had no effect."""
    with pytest.raises(NotInCatalogue) as raised:
        entry(config)
    assert raised.value.key == list(config)[-1]


def test_irrelevant_private_keys_are_ignored():
    config = {"model_type": "mimi", "_num_labels": 3, "_attn_implementation": "eager"}
    assert entry(config).count == entry({"model_type": "mimi"}).count


def test_an_argument_overrides_the_class_that_is_named():
    labelled = HATEBERT | {"id2label": {"0": "a", "1": "b", "2": "c"}}
    base, head = entry(labelled, "BertModel"), entry(labelled, "BertForSequenceClassification")
    assert head.count - base.count == 3 * (768 + 1)


def test_an_older_spelling_of_a_class_is_found():
    first = entry(LLAMA_3_1_8B | {"architectures": ["LLaMAForCausalLM"]})
    assert first.derivation.name == "LlamaForCausalLM"
    assert first.count == entry(LLAMA_3_1_8B).count


@pytest.mark.parametrize(
    ("model_type", "name"),
    [
        ("bert", "BertModel"),
        ("gpt2", "GPT2LMHeadModel"),
        ("qwen3", "Qwen3ForCausalLM"),
        ("t5", "T5ForConditionalGeneration"),
        ("whisper", "WhisperForConditionalGeneration"),
        ("llava", "LlavaForConditionalGeneration"),
        ("vit", "ViTModel"),
        ("clip", "CLIPModel"),
    ],
)
def test_the_usual_class_is_the_default(model_type, name):
    assert usual_class(read_type(model_type)) == name
    found = entry({"model_type": model_type})
    assert (found.derivation.name, found.is_class_named) == (name, False)
    assert entry({"model_type": model_type, "architectures": [name]}).is_class_named


def test_absent_sizes_have_the_defaults_of_transformers():
    """Key-value heads and the head width may be computed, null or absent."""
    plain = without(LLAMA_3_1_8B, "num_key_value_heads")
    explicit = LLAMA_3_1_8B | {"num_key_value_heads": 32, "head_dim": 128}
    assert entry(plain).count == entry(plain | {"head_dim": None}).count == entry(explicit).count


def test_a_selecting_flag_changes_the_variant():
    tied = entry(LLAMA_3_1_8B | {"tie_word_embeddings": True})
    assert entry(LLAMA_3_1_8B).count - tied.count == 128256 * 4096
    biased = entry(LLAMA_3_1_8B | {"attention_bias": True})
    assert biased.count - entry(LLAMA_3_1_8B).count == 32 * (2 * 4096 + 2 * 1024)


def test_a_size_may_replace_a_null_default():
    narrow = entry(MIXTRAL_8X7B | {"head_dim": 64})
    assert entry(MIXTRAL_8X7B).count - narrow.count == 32 * 64 * 4096 * (2 * 32 + 2 * 8)


def test_a_flat_file_of_a_vision_language_model():
    """Qwen2-VL-2B is published like this, with the text model's keys at top level."""
    text = {"hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28}
    text |= {"num_attention_heads": 12, "num_key_value_heads": 2, "vocab_size": 151936}
    text |= {"rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
    whole = {"model_type": "qwen2_vl", "tie_word_embeddings": True}
    whole |= {"architectures": ["Qwen2VLForConditionalGeneration"]}
    whole |= {"vision_config": {"hidden_size": 1536}}
    assert entry({**whole, **text}).count == entry({**whole, "text_config": text}).count
    assert entry({**whole, **text}).count == 2_208_985_600


def test_a_required_value_must_be_given():
    """DBRX counts as many as its checkpoint; its default configuration builds no model."""
    attention = {"clip_qkv": 8, "kv_n_heads": 8, "rope_theta": 500_000, "model_type": ""}
    config = {
        "model_type": "dbrx",
        "architectures": ["DbrxForCausalLM"],
        "d_model": 6144,
        "n_heads": 48,
        "n_layers": 40,
        "vocab_size": 100_352,
        "attn_config": attention,
        "ffn_config": {"ffn_hidden_size": 10_752, "moe_num_experts": 16, "moe_top_k": 4},
    }
    assert entry(config).count == 131_596_523_520

    lacking = config | {"attn_config": without(attention, "rope_theta")}
    assert entry(lacking).count == 131_596_523_520
    other = config | {"attn_config": attention | {"rope_theta": 10_000}}
    assert entry(other).count == 131_596_523_520
    for wrong in (None, 1, "much"):
        other = config | {"attn_config": attention | {"rope_theta": wrong}}
        with pytest.raises(NotInCatalogue, match=r"rope_theta=.* is not supported, only 500000"):
            entry(other)


@pytest.mark.parametrize(
    ("config", "computed", "other"),
    [
        ({"model_type": "mamba", "hidden_size": 100, "expand": 3}, {"intermediate_size": 300}, 200),
        ({"model_type": "cohere2", "num_attention_heads": 16}, {"head_dim": 512}, 128),
        ({"model_type": "mobilebert", "intra_bottleneck_size": 64}, {"true_hidden_size": 64}, 128),
        ({"model_type": "mobilebert", "use_bottleneck": False}, {"true_hidden_size": 512}, 128),
        ({"model_type": "deberta", "hidden_size": 96}, {"pooler_hidden_size": 96}, 768),
        ({"model_type": "bailing_hybrid", "head_dim": 96}, {"linear_head_dim": 96}, 128),
        ({"model_type": "t5", "feed_forward_proj": "gated-gelu"}, {"is_gated_act": True}, False),
    ],
    ids=lambda one: one["model_type"] if isinstance(one, dict) and "model_type" in one else "",
)
def test_a_computed_field_must_have_its_computed_value(config, computed, other):
    """Transformers would use any other value, even the type's own."""
    assert entry(config | computed).count == entry(config).count
    for wrong in (other, None):
        with pytest.raises(NotInCatalogue):
            entry(config | dict.fromkeys(computed, wrong))


def test_a_refused_size_is_shown_with_its_computed_value():
    with pytest.raises(NotInCatalogue) as error:
        entry({"model_type": "mamba", "hidden_size": 1024, "intermediate_size": 1536})
    assert error.value.reason == "mamba: intermediate_size=1536, but its sizes make it 2048"


def test_an_overwritten_field_keeps_the_size_of_the_model():
    """Bailing overwrites its head_dim once it knows the width of its linear heads."""
    config = {"model_type": "bailing_hybrid", "qk_rope_head_dim": 32}
    assert entry(config).sizes["K"] == 128


def test_null_differs_from_absent():
    """Qwen2 computes the width of its heads only if the key is absent."""
    config = {"model_type": "qwen2", "head_dim": None}
    with pytest.raises(NotInCatalogue, match="head_dim=None is not supported: leave it out"):
        entry(config)


@pytest.mark.parametrize("model_type", ["chameleon", "emu3"])
def test_any_vocabulary_is_accepted(model_type):
    one = entry({"model_type": model_type, "vocabulary_map": {"<image>": 3, "<s>": 0}})
    other = entry({"model_type": model_type, "vocabulary_map": {"<image>": 4}})
    assert one.count == other.count
    with pytest.raises(NotInCatalogue, match="vocabulary_map="):
        entry({"model_type": model_type, "vocabulary_map": {"<image>": "4"}})


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"hidden_act": "xielu"}, "hidden_act"),
        ({"hidden_size": 0}, "hidden_size"),
        ({"hidden_size": None}, "hidden_size"),
        ({"hidden_size": [4096]}, "hidden_size"),
        ({"rope_scaling": {"type": "odd", "factor": 2.0}}, "rope_scaling"),
        ({"pad_token_id": 128256}, "pad_token_id"),
        ({"per_layer_config": {"0": {"hidden_size": 8}}}, "per_layer_config"),
        ({"model_type": "lama", "architectures": None}, "model_type"),
        ({"architectures": ["LlamaForCats"]}, "architectures"),
        ({"num_attention_heads": 30, "head_dim": 128}, "num_attention_heads"),
    ],
)
def test_unsupported_configurations_are_refused_in_one_line(keys, key):
    with pytest.raises(NotInCatalogue) as caught:
        entry(LLAMA_3_1_8B | keys)
    assert (caught.value.key, caught.value.install) == (key, "")
    assert caught.value.model_type == keys.get("model_type", "llama")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("labels", [{"a": "b"}, [1, 2], {}, "two"])
def test_malformed_labels_are_refused(labels):
    with pytest.raises(InvalidInput) as caught:
        entry(LLAMA_3_1_8B | {"id2label": labels})
    assert caught.value.key == "id2label"


@pytest.mark.parametrize("size", [True, "4096", 4096.0, -1, 10**9 + 1])
def test_an_impossible_size_is_refused(size):
    with pytest.raises(InvalidInput) as caught:
        entry(LLAMA_3_1_8B | {"hidden_size": size})
    assert caught.value.key == "hidden_size"


@pytest.mark.parametrize("config", [{}, {"model_type": 3}, {"model_type": None}])
def test_a_configuration_without_a_type_is_refused(config):
    with pytest.raises(InvalidInput) as caught:
        entry(config)
    assert caught.value.key == "model_type"


def test_no_framework_is_imported():
    code = (
        "import sys; from paramproof.catalogue import entry;"
        "entry({'model_type': 'llama'}).count;"
        "print(sorted({'torch', 'transformers', 'numpy', 'jax'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_formulas_equal_the_hand_written_ones():
    """Compares the hand-written families at their own sizes."""
    from paramproof.formulas import closed_form

    bert, gpt2, llama = (entry({"model_type": one}) for one in ("bert", "gpt2", "llama"))
    written = EncoderLetters(**_sizes(bert, EncoderLetters), pooler=1)
    assert bert.count == closed_form(written)
    written = GPTLetters(**_sizes(gpt2, GPTLetters) | {"F": 4 * 768})
    assert gpt2.count == closed_form(written)
    written = LlamaLetters(**_sizes(llama, LlamaLetters), untied=1)
    assert llama.count == closed_form(written)


def _sizes(found, letters):
    return {name: size for name, size in found.sizes.items() if name in letters._fields}


def test_other_values_of_a_fixed_size_are_refused():
    """The formula of CANINE was derived for one number of hash functions only."""
    assert entry({"model_type": "canine", "num_hidden_layers": 3}).count
    with pytest.raises(NotInCatalogue, match="CanineModel: the formula holds at nhf = 8"):
        entry({"model_type": "canine", "num_hash_functions": 4})


@pytest.mark.parametrize("experts", [8, None])
def test_a_size_of_another_variant_has_no_effect(experts):
    """Gemma 4 looks at the number of experts only where there are some."""
    plain = entry({"model_type": "gemma4_text"})
    assert entry({"model_type": "gemma4_text", "top_k_experts": experts}).count == plain.count


def test_a_size_of_another_variant_must_be_a_size():
    with pytest.raises(NotInCatalogue, match=r"top_k_experts=0.5 is not supported"):
        entry({"model_type": "gemma4_text", "top_k_experts": 0.5})


@pytest.mark.parametrize("width", [128, 256])
def test_what_transformers_refuses_is_said_of_each_formula(width):
    """ELECTRA has one formula for equal widths, and one for others."""
    keys = {"model_type": "electra", "hidden_size": 256, "embedding_size": width}
    assert entry(keys).count
    with pytest.raises(NotInCatalogue, match="holds where H ≥ A; transformers refuses other"):
        entry({**keys, "num_attention_heads": 300})


def test_an_absent_list_has_the_usual_length():
    """Swin2SR has six stages, and a variant for another way of upsampling has four."""
    lists = {"depths": [6] * 4, "num_heads": [6] * 4}
    other = {"model_type": "swin2sr", "upsampler": "pixelshuffledirect"}
    assert entry(other | lists).sizes.keys() < entry({"model_type": "swin2sr"}).sizes.keys()
    with pytest.raises(NotInCatalogue, match="upsampler='pixelshuffledirect'"):
        entry(other)


RWKV7 = {
    "vocab_size": 65_536,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "head_dim": 64,
    "num_hidden_layers": 12,
    "a_low_rank_dim": 64,
    "v_low_rank_dim": 32,
    "gate_low_rank_dim": 128,
    "decay_low_rank_dim": 64,
}


@pytest.mark.parametrize(
    ("model_type", "sizes", "key", "value"),
    [
        ("dbrx", {}, "attn_config", {"rope_theta": 500_000.0}),
        ("rwkv7", RWKV7, "norm_eps", 1e-5),
        ("emu3", {}, "vocabulary_map", {"<image>": 151_859}),
        ("t5gemma2_encoder", {}, "text_config", {"dropout_rate": 0.0}),
    ],
)
def test_a_key_that_cannot_change_the_count_is_not_required(model_type, sizes, key, value):
    """Neither a rotary base, an epsilon, a rate nor the ids of tokens."""
    keys = {"model_type": model_type, **sizes}
    assert entry(keys).count == entry(keys | {key: value}).count


def test_the_list_of_layers_of_a_type_without_a_default_is_required():
    with pytest.raises(NotInCatalogue) as error:
        entry({"model_type": "lfm2_moe"})
    assert error.value.key == "layer_types"


@pytest.mark.parametrize(
    ("class_name", "count"),
    # num_parameters() of the models that transformers builds.
    [("LlamaModel", 131_076_096), ("LlamaForCausalLM", 262_148_096)],
)
def test_a_llama_may_have_no_layers(class_name, count):
    assert entry({"model_type": "llama", "num_hidden_layers": 0}, class_name).count == count
    with pytest.raises(NotInCatalogue):
        entry({"model_type": "llama", "hidden_size": 0}, class_name)
