"""Lists with a kind for each layer: the number of each kind counts, not the order."""

from copy import deepcopy
from random import Random

import pytest

from paramproof.catalogue.entries import entry
from paramproof.formulas.errors import NotInCatalogue, Refusal
from tests.answers import SERVED, read

ULTRA = "Nemotron-3-Ultra-550B-A55B-BF16"


def served(name):
    return deepcopy(next(one["config"] for one in read(SERVED) if name in one["source"]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "key"), [(ULTRA, "layers_block_type")])
def test_the_order_does_not_matter(name, key, seed):
    config = served(name)
    mixed = deepcopy(config)
    Random(seed).shuffle(mixed[key])
    assert mixed[key] != config[key]
    assert entry(mixed).count == entry(config).count


def test_each_kind_has_a_count_of_its_own():
    config = served(ULTRA)
    first = entry(config).count
    for kind, more in (("mamba", 421_645_056), ("moe", 10_942_947_328), ("attention", 138_420_224)):
        counts = []
        for number in (1, 2):
            longer = deepcopy(config)
            longer["layers_block_type"] += [kind] * number
            counts.append(entry(longer).count)
        assert counts == [first + more, first + 2 * more]


def test_a_kind_may_be_absent():
    config = served(ULTRA)
    config["layers_block_type"] = ["mamba"] * 3
    rest = entry(config).count - 3 * 421_645_056
    config["layers_block_type"] = ["attention", "moe"]
    assert entry(config).count - 138_420_224 - 10_942_947_328 == rest == 2_147_491_840


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
