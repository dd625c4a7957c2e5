"""Lists with a kind for each layer: the number of each kind counts, not the order."""

import json
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest

from paramproof.catalogue.entries import entry
from paramproof.formulas.errors import NotInCatalogue, Refusal

SERVED = Path(__file__).parents[2] / "catalogue" / "served.jsonl"


def served(name):
    """Return the configuration of a model as inference providers serve it."""
    lines = map(json.loads, SERVED.read_text("utf-8").splitlines())
    return next(one["config"] for one in lines if name in one["source"])


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("DeepSeek-V4-Pro_config", 1_572_997_179_491),
        ("DeepSeek-V4-Flash_config", 284_332_230_231),
        ("Nemotron-3-Ultra-550B-A55B-BF16", 549_308_968_960),
        ("Nemotron-3-Nano-30B-A3B-BF16", 31_577_937_344),
        ("Nemotron-H-56B-Base-8K", 56_324_350_464),
        ("zai-org--GLM-5.2_config", 743_377_000_704),
        ("GLM-5.2-NVFP4", 743_377_000_704),
        ("Llama-4-Maverick", 401_167_027_200),
        ("Gemma-4-31B-IT-NVFP4", 31_273_086_512),
        ("gemma-4-26B-A4B", 25_805_933_872),
        ("Kimi-K2.5-NVFP4", 1_026_879_353_328),
        ("Kimi-K2-Instruct_config", 1_026_408_209_408),
        ("MiMo-7B", 7_622_619_136),
    ],
)
def test_served_models_are_counted(name, count):
    """Each count was compared with the model of transformers or mlx-lm, tensor by tensor."""
    assert entry(served(name)).count == count


def test_few_served_models_are_refused():
    lines = map(json.loads, SERVED.read_text("utf-8").splitlines())
    refused = [one["source"] for one in lines if not is_counted(one["config"])]
    assert len(refused) == 5


def is_counted(config):
    """Return whether a configuration has a count."""
    try:
        return entry(config).count > 0
    except ValueError:
        return False


OWN = [*["linear_attention"] * 3, "full_attention"] * 8
"""The layers of Qwen3.5 at its own sizes, every fourth with full attention."""


@pytest.mark.parametrize("interval", [1, 2, 4])
@pytest.mark.parametrize("layers", [OWN, OWN[::-1]])
def test_a_list_that_is_given_decides_over_the_interval(interval, layers):
    """Its own list, too: without one, the class computes the list from the interval."""
    config = {"model_type": "qwen3_5_text", "full_attention_interval": interval}
    listed = {"model_type": "qwen3_5_text", "layer_types": layers}
    assert entry(config | listed).count == entry(listed).count
    assert (entry(config).count == entry(listed).count) is (interval == 4)


@pytest.mark.parametrize(
    ("parts", "count"),
    [
        ({}, 5_077_177_856),
        ({"vision_config": None, "audio_config": None}, 5_077_177_856),
        ({"vision_config": {}}, 5_246_311_936),
        ({"audio_config": {"model_type": "gemma4_audio"}}, 5_385_541_408),
        ({"vision_config": {}, "audio_config": {}}, 5_554_675_488),
    ],
)
def test_optional_parts_are_counted_if_given(parts, count):
    """Transformers builds the same from these keys."""
    assert entry({"model_type": "gemma4", **parts}).count == count


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("name", "key"), [("Nemotron-3-Ultra-550B-A55B-BF16", "layers_block_type")]
)
def test_the_order_does_not_matter(name, key, seed):
    config = served(name)
    mixed = deepcopy(config)
    Random(seed).shuffle(mixed[key])
    assert mixed[key] != config[key]
    assert entry(mixed).count == entry(config).count


def test_each_kind_has_a_count_of_its_own():
    """Each further layer of a kind adds the same number of parameters."""
    config = served("Nemotron-3-Ultra-550B-A55B-BF16")
    first = entry(config).count
    for kind, more in (("mamba", 421_645_056), ("moe", 10_942_947_328), ("attention", 138_420_224)):
        counts = []
        for number in (1, 2):
            longer = deepcopy(config)
            longer["layers_block_type"] += [kind] * number
            counts.append(entry(longer).count)
        assert counts == [first + more, first + 2 * more]


def test_a_kind_may_be_absent():
    config = served("Nemotron-3-Ultra-550B-A55B-BF16")
    config["layers_block_type"] = ["mamba"] * 3
    rest = entry(config).count - 3 * 421_645_056
    config["layers_block_type"] = ["attention", "moe"]
    assert entry(config).count - 138_420_224 - 10_942_947_328 == rest == 2_147_491_840


def test_a_text_gives_the_same_list():
    config = served("Nemotron-H-56B-Base-8K")
    kinds = {"M": "mamba", "-": "mlp", "*": "attention", "E": "moe"}
    spelt = {key: value for key, value in config.items() if key != "hybrid_override_pattern"}
    spelt["layers_block_type"] = [kinds[one] for one in config["hybrid_override_pattern"]]
    assert entry(spelt).count == entry(config).count


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hybrid_override_pattern": "MXM"}, "may contain only"),
        ({"hybrid_override_pattern": 7}, "may contain only"),
        ({"hybrid_override_pattern": ""}, "may contain only"),
        ({"layers_block_type": ["mamba"]}, "give different lists"),
        ({"layers_block_type": []}, "give different lists"),
    ],
)
def test_other_lists_are_refused_in_one_line(change, said):
    config = {**served("Nemotron-H-56B-Base-8K"), **change}
    with pytest.raises(NotInCatalogue, match=said) as caught:
        entry(config)
    assert "\n" not in str(caught.value)


def test_an_unknown_kind_is_refused():
    config = served("Nemotron-3-Ultra-550B-A55B-BF16")
    with pytest.raises(NotInCatalogue, match="layers_block_type="):
        entry({**config, "layers_block_type": ["mamba", "odd"]})


def test_a_list_must_have_an_item_per_layer():
    config = served("zai-org--GLM-5.2_config")
    has = r"has 78 layers, but num_hidden_layers is 77"
    with pytest.raises(NotInCatalogue, match=has) as caught:
        entry({**config, "num_hidden_layers": 77})
    assert caught.value.refusal is Refusal.OTHER_VALUE


def test_a_list_of_numbers_is_cut_to_the_layers():
    """DeepSeek-V4-Pro's has 62 ratios for 61 layers."""
    config = served("DeepSeek-V4-Pro_config")
    assert (len(config["compress_ratios"]), config["num_hidden_layers"]) == (62, 61)
    shorter = {**config, "compress_ratios": config["compress_ratios"][:61]}
    assert entry(shorter).count == entry(config).count
    with pytest.raises(NotInCatalogue, match=r"has 60 layers"):
        entry({**config, "compress_ratios": config["compress_ratios"][:60]})


def test_a_number_of_first_layers_is_the_list_that_it_means():
    """Kimi Linear's first layers are dense; ``mlp_layer_types`` may say so layer by layer."""
    config = {"model_type": "kimi_linear", "num_hidden_layers": 4}
    for number in (0, 1, 3, 4, 9):
        layers = ["dense"] * min(number, 4) + ["sparse"] * max(4 - number, 0)
        listed = entry(config | {"mlp_layer_types": layers}).count
        assert entry(config | {"first_k_dense_replace": number}).count == listed
    assert entry(config | {"first_k_dense_replace": 1}).count == entry(config).count
    for wrong in (-1, True, [1], 2.0):
        with pytest.raises(NotInCatalogue, match="is not a number of layers"):
            entry(config | {"first_k_dense_replace": wrong})
    # The class looks at the number only if there is no list, whatever the list says.
    for layers in (["sparse"] * 4, ["sparse", "dense", "sparse", "dense"]):
        listed = config | {"mlp_layer_types": layers}
        assert entry(listed | {"first_k_dense_replace": 3}).count == entry(listed).count


def test_more_first_layers_than_the_model_has():
    """Cohere's class makes a list that is too long, which transformers refuses."""
    config = {"model_type": "cohere2_moe", "num_hidden_layers": 4, "first_k_dense_replace": 4}
    assert entry(config).count
    with pytest.raises(NotInCatalogue, match="but the model has 4 layers"):
        entry(config | {"first_k_dense_replace": 5})


def test_an_unknown_type_is_read_as_the_class_that_it_names():
    config = served("Kimi-K2-Instruct_config")
    assert entry(config).read_as == {"kimi_k2": "deepseek_v3"}
    assert entry({**config, "model_type": "deepseek_v3"}).read_as == {}
    with pytest.raises(NotInCatalogue, match="in its architectures, does not have head_size"):
        entry({**config, "head_size": 64})
    del config["q_lora_rank"]
    with pytest.raises(NotInCatalogue, match="in its architectures, needs q_lora_rank") as error:
        entry(config)
    assert error.value.key == "model_type"
    with pytest.raises(NotInCatalogue, match="there is no formula for the model type 'kimi_k2'"):
        entry({**config, "architectures": ["KimiForCausalLM"]})


def test_an_unknown_part_is_read_as_the_class_that_it_names():
    """Kimi-K2.5's text part has the type ``kimi_k2`` and names DeepSeek-V3's class."""
    config = served("Kimi-K2.5_config")
    text = config["text_config"]
    assert text["model_type"] == "kimi_k2"
    found, own = (
        entry({**config, "text_config": {**text, "model_type": kind}})
        for kind in ("kimi_k2", "deepseek_v3")
    )
    assert found.read_as == {"kimi_k2": "deepseek_v3"}
    assert own.read_as == {}
    assert found.count == own.count
    for wrong, said in (
        ({**text, "architectures": ["KimiForCausalLM"]}, "is not supported, only deepseek_v3"),
        ({**text, "model_type": "llama"}, "is not supported, only deepseek_v3"),
        ({**text, "q_lora_rank": None}, "text_config.q_lora_rank"),
    ):
        with pytest.raises(NotInCatalogue, match=said):
            entry({**config, "text_config": wrong})
    del text["kv_lora_rank"]
    with pytest.raises(
        NotInCatalogue, match=r"in its architectures, needs text_config\.kv_lora_rank"
    ):
        entry(config)


def test_a_variant_may_have_a_list_of_its_own():
    """The last 20 layers of Gemma 4 E2B have no keys and values: their places decide."""
    layers = [*["sliding_attention"] * 4, "full_attention"] * 7
    config = {
        "model_type": "gemma4_text",
        "hidden_size": 1536,
        "intermediate_size": 6144,
        "num_hidden_layers": 35,
        "num_key_value_heads": 1,
        "num_kv_shared_layers": 20,
        "use_double_wide_mlp": True,
        "global_head_dim": 512,
        "layer_types": layers,
    }
    assert entry(config).count == 4_628_569_344
    for other in (layers[1:] + layers[:1], layers[5:] + layers[:5][::-1]):
        with pytest.raises(NotInCatalogue):
            entry({**config, "layer_types": other})
