"""The names of keys and classes in the catalogue are those of transformers."""

import json

import pytest

from paramproof.catalogue.names import (
    NAMES,
    has_class,
    has_type,
    kinds_to_give,
    refused_kinds,
    type_keys,
    type_with_class,
)

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models are built with each kind of value"),
]

pytest.importorskip("transformers")

from sweep.names import (
    PART,
    VALUES,
    WHOLE,
    Sample,
    read_names,
)

WRITTEN = json.loads(NAMES.read_text("utf-8"))


def test_the_file_has_the_names_of_the_installed_release():
    found = read_names()
    assert found["transformers"] == WRITTEN["transformers"]
    assert found["keys"] == WRITTEN["keys"]
    assert found["kinds"] == WRITTEN["kinds"]
    assert found["types"].keys() == WRITTEN["types"].keys()
    changed = {
        one: (said, WRITTEN["types"][one])
        for one, said in found["types"].items()
        if said != WRITTEN["types"][one]
    }
    assert changed == {}


def test_types_and_classes_of_transformers():
    assert has_type("bert")
    assert not has_type("kimi_k2")
    assert has_class("bert", "BertForMultipleChoice")
    assert has_class("bert", "BertModel")
    assert not has_class("bert", "GPT2Model")
    assert not has_class("kimi_k2", "BertModel")
    assert "output_attentions" in type_keys("bert")
    assert type_with_class("BertForMultipleChoice") == "bert"
    assert type_with_class("GPT2LMHeadModel") == "gpt2"
    assert type_with_class("NobodysModel") is None


def test_kinds_that_transformers_refuses_in_any_type():
    """An older type, one with parts, and one with a constructor of its own refuse them too."""
    others = (
        Sample("gpt2", "GPT2Model", {"n_layer": 1}),
        Sample("vit", "ViTModel", {"num_hidden_layers": 1}),
        Sample("t5", "T5Model", {"num_layers": 1}),
    )
    for one in others:
        built = [
            (name, value)
            for name, kinds in refused_kinds().items()
            for kind in kinds
            for value in VALUES[kind]
            if one.accepts(name, value)
        ]
        assert built == [], one.model_type


def test_kinds_of_a_part_are_those_of_its_configuration():
    """The whole replaces a part's implementation of attention, so any value is built."""
    assert "int" in refused_kinds()["_attn_implementation"]
    assert "_attn_implementation" not in refused_kinds(in_part=True)
    assert all(one.accepts("_attn_implementation", 2) for one in PART)
    assert not any(one.accepts("num_labels", None) for one in PART)


def test_kinds_that_an_error_recommends():
    assert kinds_to_give("_attn_implementation") == ["null", "text", "object"]
    assert kinds_to_give("num_labels") == ["int"]
    assert kinds_to_give("use_return_dict") == []
    for name in refused_kinds():
        for kind in kinds_to_give(name):
            assert any(WHOLE[0].accepts(name, value) for value in VALUES[kind]), (name, kind)
