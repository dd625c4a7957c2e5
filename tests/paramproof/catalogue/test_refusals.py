"""A refusal names the key, its value and what would be right."""

import pytest

from paramproof.catalogue import entry, refusals
from paramproof.catalogue.entries import with_key
from paramproof.catalogue.names import programs
from paramproof.catalogue.program import Refused
from paramproof.catalogue.refusals import refusal
from paramproof.formulas.errors import InvalidInput, NotInCatalogue

RANGE = "is not possible: it must be between 1 and 1,000,000,000"

REFUSED = {
    "indivisible": (
        {"hidden_size": 100, "num_attention_heads": 3},
        "num_attention_heads=3 is not supported: it must be a divisor of hidden_size, which is 100",
    ),
    "indivisible by a default": (
        {"num_attention_heads": 7},
        "num_attention_heads=7 is not supported: "
        "it must be a divisor of hidden_size, which is 4096",
    ),
    "not in a list": (
        {"hidden_act": "xielux"},
        "hidden_act='xielux' is not supported: it must be one of gelu, ",
    ),
    "an item that is not in a list": (
        {"num_hidden_layers": 1, "layer_types": ["x"]},
        "layer_types=['x'] is not supported: it must be one of full_attention, ",
    ),
    "beyond another size": (
        {"pad_token_id": 32000},
        "pad_token_id=32000 is not supported: it must be less than vocab_size, which is 32000",
    ),
    "no width, and only what is computed of it is 0": (
        {"hidden_size": 0, "num_attention_heads": 8, "num_key_value_heads": 8},
        f"hidden_size=0 {RANGE}",
    ),
    "too small": (
        {"initializer_range": -1.0},
        "initializer_range=-1.0 is not supported: it must be at least 0.0",
    ),
    "negative": ({"hidden_size": -1}, f"hidden_size=-1 {RANGE}"),
    "no heads": ({"num_attention_heads": 0}, f"num_attention_heads=0 {RANGE}"),
    "no width": ({"hidden_size": 0}, f"hidden_size=0 {RANGE}"),
    "no width of a head": ({"head_dim": 0}, f"head_dim=0 {RANGE}"),
    "negative heads": ({"num_attention_heads": -4}, f"num_attention_heads=-4 {RANGE}"),
    "huge": ({"vocab_size": 10**26}, f"vocab_size={10**26} {RANGE}"),
    "a text": (
        {"hidden_size": "abc"},
        "hidden_size='abc' is not possible: it must be int",
    ),
    "null": ({"vocab_size": None}, "vocab_size=null is not possible: it must be int"),
    "too many layers": (
        {"num_hidden_layers": 10**9},
        "num_hidden_layers=1000000000 is too large for paramproof, "
        "which computes lists of at most 1,000,000 items",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    keys, says = REFUSED[name]
    with pytest.raises((InvalidInput, NotInCatalogue)) as caught:
        entry({"model_type": "llama", **keys})
    assert says in str(caught.value)
    assert caught.value.key in keys


@pytest.mark.parametrize(
    "keys",
    [
        {"model_type": "bart", "hidden_size": 10**10},
        {"model_type": "t5", "head_dim": 0},
        {"model_type": "resnet", "hidden_sizes": [10**12, 2, 2, 2]},
    ],
)
def test_sizes_have_bounds_under_any_name_and_in_lists(keys):
    with pytest.raises(InvalidInput, match=RANGE) as caught:
        entry(keys)
    assert caught.value.key in keys


def test_a_refused_file_may_have_a_dot_in_a_key():
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "llama", "hidden_size": 64, "hidden_size.x": 1, "hidden_act": "x"})
    assert caught.value.key == "hidden_act"


def test_labels_are_not_dropped_one_by_one(monkeypatch):
    dropped = []
    monkeypatch.setattr(refusals, "_is_counted", lambda *given: dropped.append(given))
    with pytest.raises(NotInCatalogue):
        entry({"model_type": "vit", "hidden_act": "x", "id2label": dict.fromkeys(range(1000))})
    assert len(dropped) < 20


def test_no_layers_are_a_model():
    assert entry({"model_type": "llama", "num_hidden_layers": 0}).count


def test_a_key_of_a_part_is_named_by_its_path():
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "llava", "text_config": {"model_type": "llama", "hidden_act": "x"}})
    assert caught.value.key == "text_config.hidden_act"
    assert "text_config.hidden_act='x' is not supported: it must be one of " in str(caught.value)


def test_a_part_of_an_unknown_type_is_refused():
    with pytest.raises(NotInCatalogue, match=r"text_config\.model_type='nonesuch'") as caught:
        entry({"model_type": "llava", "text_config": {"model_type": "nonesuch"}})
    assert caught.value.key == "text_config.model_type"


def test_transformers_refuses_what_its_class_refuses():
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "llama", "hidden_act": "xielux"})
    assert caught.value.is_refused
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "nonesuch"})
    assert not caught.value.is_refused


def test_a_limit_of_paramproof_is_no_refusal_of_transformers():
    keys = {"model_type": "llama"}
    error = refusal(Refused("must be even", {}, kind="limit"), "LlamaModel", keys)
    assert str(error) == "llama: there is no formula of LlamaModel for this file"
    assert not error.is_refused
    error = refusal(Refused("raised by LlamaModel.__init__", {}, kind="raised"), "LlamaModel", keys)
    assert "refuses this file: raised by LlamaModel.__init__" in str(error)
    assert error.is_refused


def test_two_equal_sizes():
    """Either may be changed: the one that is named is told in which direction."""
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "gemma", "vocab_size": 40, "pad_token_id": 40})
    size = {
        "vocab_size": "it must be more than pad_token_id, which is 40",
        "pad_token_id": "it must be less than vocab_size, which is 40",
    }
    assert str(caught.value).endswith(size[caught.value.key])


def test_required_key():
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "internlm2", "num_hidden_layers": 2})
    assert str(caught.value) == "internlm2: hidden_size is absent and has no default"
    assert caught.value.key == "hidden_size"
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "dbrx", "attn_config": {"kv_n_heads": 8}, "n_layers": 2})
    assert str(caught.value) == "dbrx: attn_config.rope_theta is absent and has no default"


def test_null_in_place_of_a_computed_size():
    with pytest.raises(NotInCatalogue) as caught:
        entry({"model_type": "mamba", "intermediate_size": None})
    assert str(caught.value) == "mamba: intermediate_size=null is not supported: leave it out"


def test_class_without_a_program():
    with pytest.raises(Refused, match="there is no program of NonesuchModel") as caught:
        programs().configuration({"model_type": "llama"}).count("NonesuchModel")
    assert caught.value.kind == "limit"


def test_library_of_refusal():
    """A type of mlx-lm is not refused by transformers."""
    keys = {"model_type": "internlm2"}
    error = refusal(
        Refused("raised by ModelArgs.__init__", {}, kind="raised"), "InternLM2ForCausalLM", keys
    )
    assert "InternLM2ForCausalLM of mlx-lm " in str(error)


def test_a_key_of_a_part_that_is_null():
    part = programs().configuration({"model_type": "llava"}).updated({"vision_config": None})
    assert with_key(part, "vision_config.hidden_size", 8)["vision_config"] == {"hidden_size": 8}
