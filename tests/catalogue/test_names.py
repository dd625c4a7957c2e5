"""The names of classes in the catalogue are those of the programs, and of transformers."""

import json

import pytest

from paramproof.catalogue.names import has_class, has_type, programs, type_with_class

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from sweep.programs import NAMES, names


def test_the_file_has_the_names_of_the_installed_release():
    classes = {name: [*programs().file(name)["models"]] for name in programs().types}
    assert json.loads(NAMES.read_text("utf-8")) == names(classes)


def test_types_and_classes_of_transformers():
    assert has_type("bert")
    assert not has_type("kimi_k2")
    assert has_class("bert", "BertForMultipleChoice")
    assert has_class("bert", "BertModel")
    assert not has_class("bert", "GPT2Model")
    assert not has_class("kimi_k2", "BertModel")
    assert type_with_class("BertForMultipleChoice") == "bert"
    assert type_with_class("GPT2LMHeadModel") == "gpt2"
    assert type_with_class("NobodysModel") is None
