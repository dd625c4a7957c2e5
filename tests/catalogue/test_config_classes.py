"""The configuration class of an entry makes the parts of other types that the entry has."""

import pytest

pytestmark = pytest.mark.framework("transformers")

transformers = pytest.importorskip("transformers")

from paramproof.catalogue.files import entry_names, model_types, type_of
from sweep.fields import variants
from sweep.fields.variants import Change, candidate_changes, held_changes
from sweep.library.model_types import config_class_of, other_parts

PIXTRAL = "llava+mistral+pixtral"


def test_every_entry_with_other_parts_is_listed():
    assert set(entry_names()) - set(model_types()) == other_parts().keys()


@pytest.mark.parametrize("name", other_parts())
def test_parts_have_the_types_in_the_name(name):
    config = config_class_of(name)()
    assert config.model_type == type_of(name)
    assert [getattr(config, part).model_type for part in sorted(other_parts()[name])] == (
        name.split("+")[1:]
    )


def test_the_keys_of_a_part_are_kept():
    make = config_class_of(PIXTRAL)
    config = make(text_config={"hidden_size": 24}, vision_config=None)
    assert (config.text_config.model_type, config.text_config.hidden_size) == ("mistral", 24)
    assert config.vision_config.model_type == "pixtral"
    assert make(text_config={"model_type": "gemma"}).text_config.model_type == "gemma"
    assert make(text_config=transformers.GemmaConfig()).text_config.model_type == "gemma"


def test_the_usual_parts_need_no_class():
    assert config_class_of("llava") is transformers.LlavaConfig


def test_changes_of_a_type_and_of_its_other_parts_are_tried_together(monkeypatch):
    known = {
        "llava": [Change({"a": 1})],
        PIXTRAL: [Change({"b": 2})],
        "mistral": [Change({"c": 3}, ("d",))],
        "clip_vision_model": [Change({"e": 4})],
    }
    monkeypatch.setattr(variants, "HELD_CHANGES", known)
    found = [(dict(one.where), one.sized) for one in held_changes(PIXTRAL)]
    inside = {"text_config.c": 3}
    assert found == [
        ({"a": 1}, ()),
        ({"b": 2}, ()),
        (inside, ("text_config.d",)),
        ({"a": 1, **inside}, ("text_config.d",)),
        ({"b": 2, **inside}, ("text_config.d",)),
    ]
    assert [one.where for one in held_changes("llava")] == [{"a": 1}]


def test_a_held_change_is_tried_once(monkeypatch):
    monkeypatch.setattr(variants, "HELD_CHANGES", {"internvl": [Change({"tie_x": False})]})
    start = transformers.InternVLConfig()
    start.tie_x = True
    found = [where for where, _ in candidate_changes("internvl", start, {"tie_x": [False]})]
    assert found == [{"tie_x": False}]
