"""Heads that the built model ties although the configuration says that they are not tied."""

import pytest

from paramproof.catalogue import entry
from tests.configs import without
from tests.heads import FLAN_T5_BASE, FLAN_T5_SMALL, INTERNVL, MISTRAL_SMALL_3_1, MT5_SMALL
from tests.public_configs import LLAMA_3_1_8B

FIELD = "tie_word_embeddings"


@pytest.mark.parametrize(
    ("config", "built", "loaded"),
    [
        (FLAN_T5_SMALL, 60_511_616, 76_961_152),
        (FLAN_T5_BASE, 222_903_552, 247_577_856),
        (MT5_SMALL, 172_119_424, 300_176_768),
    ],
    ids=["flan-t5-small", "flan-t5-base", "mt5-small"],
)
def test_the_loaded_model_has_the_untied_head_too(config, built, loaded):
    found = entry(config)
    assert (found.count, found.loaded) == (built, loaded)
    assert [(head.path, str(head.size), head.field) for head in found.heads] == [
        ("lm_head.weight", "V·H", FIELD)
    ]


@pytest.mark.parametrize(
    "config",
    [
        without(FLAN_T5_SMALL, FIELD),
        FLAN_T5_SMALL | {FIELD: True},
        FLAN_T5_SMALL | {"architectures": ["T5EncoderModel"]},
        LLAMA_3_1_8B | {FIELD: False},
        LLAMA_3_1_8B | {FIELD: True},
    ],
    ids=["absent", "true", "no head", "untied when built", "tied when built"],
)
def test_the_loaded_model_equals_the_built_one(config):
    found = entry(config)
    assert found.heads == ()
    assert found.loaded == found.count


def test_a_field_of_a_part_declares_its_head_untied():
    found = entry(INTERNVL)
    assert [head.field for head in found.heads] == [f"text_config.{FIELD}"]
    assert found.loaded - found.count == 100 * 16


def test_a_part_whose_type_does_not_tie_declares_its_head_untied():
    """Mistral Small 3.1 has 24,011,361,280 parameters; its file does not name the field."""
    found = entry(MISTRAL_SMALL_3_1)
    assert [(head.field, head.is_given) for head in found.heads] == [
        (f"text_config.{FIELD}", False)
    ]
    assert (found.count, found.loaded) == (23_340_272_640, 24_011_361_280)


@pytest.mark.parametrize(
    "config",
    [
        without(MISTRAL_SMALL_3_1, "text_config"),
        MISTRAL_SMALL_3_1 | {FIELD: True},
        {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}},
    ],
    ids=["no part", "true for the whole", "a part that ties"],
)
def test_a_part_declares_nothing(config):
    assert entry(config).heads == ()


def test_a_field_at_top_level_overrides_that_of_a_part():
    assert entry(INTERNVL | {FIELD: True}).heads == ()


def test_agreeing_fields_untie_the_head_when_built():
    part = {"model_type": "mistral", FIELD: False}
    config = {"model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"]}
    config |= {"text_config": part}
    found = entry(config | {FIELD: False})
    assert found.heads == ()
    assert found.count == entry(config).loaded > entry(config).count
