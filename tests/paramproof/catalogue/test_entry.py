"""What an entry tells beside the answers of cases.jsonl: its class, and what is absent."""

import pytest

from paramproof.catalogue import entry, model_types
from paramproof.catalogue.names import (
    classes_of,
    has_class,
    has_type,
    library_of,
    programs,
    type_of_class,
    type_with_class,
    versions_of,
)
from tests.answers import CASES, read
from tests.configs import LLAMA, without

SMALL = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}


def test_every_type_that_transformers_lacks_is_of_mlx_lm():
    others = [name for name in model_types() if not has_type(name)]
    assert {library_of(name) for name in others} == {"mlx-lm"}
    assert len(others) == 11
    assert library_of("llama") == "transformers"


def test_a_formula_of_mlx_lm_names_it():
    mimo = next(one for one in read(CASES) if one["config"].get("model_type") == "mimo")
    found = entry(mimo["config"])
    assert found.library == "mlx-lm"
    assert found.status == "fitted"
    assert {*found.derivation.evidence.versions} == {"mlx", "mlx-lm"}


def test_the_index_has_the_classes_of_each_file():
    """The base model is the first, and each class has a program."""
    for name in ("llama", "t5", "clip_text_model", "gpt2"):
        assert classes_of(name) == [*programs().file(name)["models"]]
        assert all(has_class(name, one) for one in classes_of(name))
    assert versions_of("llama").keys() == {"transformers"}


def test_a_class_of_several_types_is_that_of_the_type_with_the_most_classes():
    assert type_of_class("LlamaForCausalLM") == "llama"
    assert type_of_class("GPT2LMHeadModel") == "gpt2"
    assert type_with_class("LlamaPreTrainedModel") == "llama"
    assert type_of_class("LlamaPreTrainedModel") is None


@pytest.mark.parametrize("name", ["LLaMAForCausalLM", "Llama_ForCausalLM", "LlamaForCausalLM"])
def test_a_class_is_found_whatever_its_case_and_underscores(name):
    found = entry({"model_type": "llama", "architectures": [name]})
    assert (found.class_name, found.is_class_named) == ("LlamaForCausalLM", True)
    usual = entry({"model_type": "llama"})
    assert (usual.class_name, usual.is_class_named) == ("LlamaForCausalLM", False)


def test_sizes_that_the_count_depends_on_are_assumed():
    """No tensor has the heads of a LLaMA as a length, unless they differ from the queries'."""
    assert entry(SMALL).assumed == {"intermediate_size": 11008, "num_hidden_layers": 32}
    found = entry(without(LLAMA, "num_attention_heads") | {"num_key_value_heads": 8})
    assert found.assumed == {"num_attention_heads": 32}
    assert entry(LLAMA).assumed == {}


def test_a_size_that_is_computed_is_absent_and_not_assumed():
    found = entry({**SMALL, "intermediate_size": 9, "num_hidden_layers": 1})
    assert found.assumed == {}
    assert {"head_dim", "num_key_value_heads"} <= found.absent.keys()


def test_the_sizes_of_a_part_that_is_absent_are_assumed():
    assumed = entry({"model_type": "llava", "text_config": LLAMA}).assumed
    assert {one.partition(".")[0] for one in assumed} == {"vision_config"}
    assert assumed["vision_config.hidden_size"] == 1024


KIMI = {"model_type": "kimi_k2", "architectures": ["DeepseekV3ForCausalLM"]}


def test_a_type_that_transformers_lacks_is_read_as_that_of_its_class():
    sizes = {**entry({"model_type": "deepseek_v3"}).part.given, **KIMI}
    found = entry({key: value for key, value in sizes.items() if value is not None})
    assert found.read_as == {"kimi_k2": "deepseek_v3"}
    assert found.count == entry({"model_type": "deepseek_v3"}).count


def test_numbers_of_layers_are_ints_or_texts():
    layers = {number: {"head_dim": 512} for number in (5, 11, 17, 23, 29)}
    default = entry({"model_type": "gemma4_text"}).count
    assert entry({"model_type": "gemma4_text", "per_layer_config": layers}).count == default


def test_a_type_of_mlx_lm_has_no_values_of_layers():
    sizes = dict.fromkeys(("hidden_size", "num_hidden_layers", "intermediate_size"), 8)
    sizes |= dict.fromkeys(("vocab_size", "num_attention_heads", "num_key_value_heads"), 4)
    keys = {"model_type": "mimo", **sizes, "num_nextn_predict_layers": 1}
    assert entry({**keys, "per_layer_config": {"0": {}}}).unknown == ("per_layer_config",)
