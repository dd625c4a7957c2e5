"""A configuration's count by its entry: no framework, the published number, or one line."""

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
    """DeepSeek-V3's is 58·256 below its checkpoint's: the routers' biases, which are buffers."""
    assert entry(config).count == parameters


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        ({"model_type": "mt5", "num_hidden_layers": 7}, 169_759_104),
        ({"model_type": "t5", "num_hidden_layers": 7}, 63_653_376),
    ],
    ids=str,
)
def test_a_name_that_counts_when_defaults_are_computed(config, parameters):
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
def test_a_key_of_which_the_entry_does_not_know_the_effect(config):
    """Each was counted once as if the key did nothing."""
    with pytest.raises(NotInCatalogue) as raised:
        entry(config)
    assert raised.value.key == list(config)[-1]


def test_private_keys_that_decide_nothing():
    config = {"model_type": "mimi", "_num_labels": 3, "_attn_implementation": "eager"}
    assert entry(config).count == entry({"model_type": "mimi"}).count


def test_another_class_takes_the_place_of_the_one_that_is_named():
    labelled = HATEBERT | {"id2label": {"0": "a", "1": "b", "2": "c"}}
    base, head = entry(labelled, "BertModel"), entry(labelled, "BertForSequenceClassification")
    assert head.count - base.count == 3 * (768 + 1)


def test_the_name_that_a_class_had_at_first():
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
def test_the_usual_class_is_meant_where_none_is_named(model_type, name):
    assert usual_class(read_type(model_type)) == name
    found = entry({"model_type": model_type})
    assert (found.derivation.name, found.is_class_named) == (name, False)
    assert entry({"model_type": model_type, "architectures": [name]}).is_class_named


def test_what_is_absent_is_filled_in_as_transformers_does():
    """Heads of keys and the width of a head are computed, null or not there at all."""
    plain = without(LLAMA_3_1_8B, "num_key_value_heads")
    explicit = LLAMA_3_1_8B | {"num_key_value_heads": 32, "head_dim": 128}
    assert entry(plain).count == entry(plain | {"head_dim": None}).count == entry(explicit).count


def test_a_flag_that_decides_is_another_variant():
    tied = entry(LLAMA_3_1_8B | {"tie_word_embeddings": True})
    assert entry(LLAMA_3_1_8B).count - tied.count == 128256 * 4096
    biased = entry(LLAMA_3_1_8B | {"attention_bias": True})
    assert biased.count - entry(LLAMA_3_1_8B).count == 32 * (2 * 4096 + 2 * 1024)


def test_a_size_that_is_null_by_default_may_be_given():
    narrow = entry(MIXTRAL_8X7B | {"head_dim": 64})
    assert entry(MIXTRAL_8X7B).count - narrow.count == 32 * 64 * 4096 * (2 * 32 + 2 * 8)


def test_the_flat_file_of_a_model_of_text_and_images():
    """As Qwen2-VL-2B is published: what is of the text stands beside what is of the whole."""
    text = {"hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28}
    text |= {"num_attention_heads": 12, "num_key_value_heads": 2, "vocab_size": 151936}
    text |= {"rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
    whole = {"model_type": "qwen2_vl", "tie_word_embeddings": True}
    whole |= {"architectures": ["Qwen2VLForConditionalGeneration"]}
    whole |= {"vision_config": {"hidden_size": 1536}}
    assert entry({**whole, **text}).count == entry({**whole, "text_config": text}).count
    assert entry({**whole, **text}).count == 2_208_985_600


def test_a_value_without_which_there_is_no_model():
    """DBRX has as many as its checkpoint; of what its configuration class has none is made."""
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
    with pytest.raises(NotInCatalogue) as error:
        entry(lacking)
    assert (
        error.value.reason == "dbrx: attn_config.rope_theta is absent, but the entry has 500000.0"
    )
    other = config | {"attn_config": attention | {"rope_theta": 10_000}}
    assert entry(other).count == 131_596_523_520
    for wrong in (None, 1, "much"):
        other = config | {"attn_config": attention | {"rope_theta": wrong}}
        with pytest.raises(NotInCatalogue, match=r"rope_theta=.*, but the entry has 500000"):
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
def test_what_a_configuration_computes_is_as_it_would_be(config, computed, other):
    """Given otherwise, transformers would take that: the type's own value, too."""
    assert entry(config | computed).count == entry(config).count
    for wrong in (other, None):
        with pytest.raises(NotInCatalogue):
            entry(config | dict.fromkeys(computed, wrong))


def test_a_size_that_is_computed_says_what_it_would_be():
    with pytest.raises(NotInCatalogue) as error:
        entry({"model_type": "mamba", "hidden_size": 1024, "intermediate_size": 1536})
    assert error.value.reason == "mamba: intermediate_size=1536, but its sizes make it 2048"


def test_a_size_of_which_more_is_kept_than_the_field_says():
    """Bailing's head_dim is written over once the width of its linear heads is known."""
    config = {"model_type": "bailing_hybrid", "qk_rope_head_dim": 32}
    assert entry(config).sizes["K"] == 128


def test_null_is_not_what_is_absent():
    """Qwen2 takes the width of its heads from elsewhere unless it is there, whatever it is."""
    config = {"model_type": "qwen2", "head_dim": None}
    with pytest.raises(NotInCatalogue, match="head_dim=None, but the entry has no value"):
        entry(config)


@pytest.mark.parametrize("model_type", ["chameleon", "emu3"])
def test_any_vocabulary_will_do_where_there_is_one(model_type):
    one = entry({"model_type": model_type, "vocabulary_map": {"<image>": 3, "<s>": 0}})
    other = entry({"model_type": model_type, "vocabulary_map": {"<image>": 4}})
    assert one.count == other.count
    with pytest.raises(NotInCatalogue, match="vocabulary_map is absent"):
        entry({"model_type": model_type})
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
        ({"num_attention_heads": 30, "head_dim": 128}, ""),
    ],
)
def test_what_an_entry_is_not_of_is_refused_in_one_line(keys, key):
    with pytest.raises(NotInCatalogue) as caught:
        entry(LLAMA_3_1_8B | keys)
    assert (caught.value.key, caught.value.install) == (key, "")
    assert caught.value.model_type == keys.get("model_type", "llama")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("labels", [{"a": "b"}, [1, 2], {}, "two"])
def test_labels_that_are_none(labels):
    with pytest.raises(InvalidInput) as caught:
        entry(LLAMA_3_1_8B | {"id2label": labels})
    assert caught.value.key == "id2label"


@pytest.mark.parametrize("size", [True, "4096", 4096.0, -1, 10**9 + 1])
def test_a_size_that_is_none_anywhere(size):
    with pytest.raises(InvalidInput) as caught:
        entry(LLAMA_3_1_8B | {"hidden_size": size})
    assert caught.value.key == "hidden_size"


@pytest.mark.parametrize("config", [{}, {"model_type": 3}, {"model_type": None}])
def test_a_configuration_of_no_type_is_refused(config):
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


def test_the_formulas_are_those_that_people_wrote():
    """Of the hand-written families, at their own sizes."""
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


def test_sizes_that_a_formula_is_fixed_at():
    """Of CANINE's hash functions no other number was derived: another one is outside."""
    assert entry({"model_type": "canine", "num_hidden_layers": 3}).count
    with pytest.raises(NotInCatalogue, match="CanineModel: the formula holds at nhf = 8"):
        entry({"model_type": "canine", "num_hash_functions": 4})
