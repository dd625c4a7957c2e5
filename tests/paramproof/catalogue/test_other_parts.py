"""A type with parts of other types than its own configuration has is an entry of its own."""

import pytest

from paramproof.catalogue import entry, model_types
from paramproof.catalogue.files import entry_names, name_for
from paramproof.formulas.errors import NotInCatalogue
from paramproof.resolver.lookup import resolve

VISION = {
    "model_type": "siglip_vision_model",
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_attention_heads": 16,
    "num_hidden_layers": 27,
    "patch_size": 14,
    "projection_dim": 2304,
    "vision_use_head": False,
}

GEMMA_2 = {
    "model_type": "gemma2",
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_attention_heads": 8,
    "num_hidden_layers": 26,
    "num_key_value_heads": 4,
    "vocab_size": 257216,
}

PALIGEMMA_2 = {
    "model_type": "paligemma",
    "architectures": ["PaliGemmaForConditionalGeneration"],
    "hidden_size": 2304,
    "projection_dim": 2304,
    "vision_config": VISION,
    "text_config": GEMMA_2,
}


def test_paligemma_2_is_counted():
    """transformers builds a model with as many."""
    assert entry(PALIGEMMA_2).count == 3_032_242_416


def test_each_part_may_have_another_type():
    def found(**kinds):
        parts = {f"{part}_config": {"model_type": kind} for part, kind in kinds.items()}
        return name_for("llava", {"model_type": "llava", "hidden_size": 8, **parts})

    assert found() == found(text="llama", vision="clip_vision_model") == "llava"
    assert found(text="mistral") == found(text="mistral", vision="clip") == "llava+mistral"
    assert found(vision="pixtral", text="mistral") == "llava+mistral+pixtral"
    # The order is that of the parts, and not of their types.
    assert found(text="pixtral", vision="mistral") == "llava+mistral"


def test_a_part_that_is_absent_has_its_usual_type():
    usual = {name: one for name, one in PALIGEMMA_2.items() if name != "text_config"}
    unnamed = {**GEMMA_2}
    del unnamed["model_type"]
    for config in (usual, {**usual, "text_config": unnamed}):
        assert entry(config).name == "paligemma"


def test_a_part_without_an_entry_is_refused():
    config = {**PALIGEMMA_2, "text_config": {**GEMMA_2, "model_type": "llama"}}
    with pytest.raises(NotInCatalogue, match=r"text_config.model_type='llama'"):
        entry(config)


def test_an_entry_is_counted_by_its_name():
    keys = {"model_type": "paligemma", "text_config": {"model_type": "gemma2"}}
    model = resolve("paligemma+gemma2")
    assert model.loaded == entry(keys).count
    assert next(model.origin()).startswith("sizes: the defaults of paligemma+gemma2, class ")


def test_the_name_of_an_entry_is_no_model_type():
    name = "paligemma+gemma2"
    assert name in entry_names()
    assert name not in model_types()
    with pytest.raises(
        NotInCatalogue, match=r"there is no formula for the model type 'paligemma\+gemma2'"
    ):
        entry({**PALIGEMMA_2, "model_type": name})
