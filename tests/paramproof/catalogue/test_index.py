"""The index of the catalogue lists every type's classes, and whoever writes a file updates it."""

import json
from copy import deepcopy

import pytest

from paramproof.catalogue import model_types, read_type, type_of_class
from paramproof.catalogue.files import entry_names, own_classes
from sweep import store

INDEX = json.loads(store.INDEX.read_text("utf-8"))

BERT = store.read_entry("bert")

NAMES = list(BERT["classes"])


@pytest.fixture
def folder(monkeypatch, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setattr(store, "DATA", data)
    monkeypatch.setattr(store, "INDEX", tmp_path / "index.json")
    return data


def index():
    return json.loads(store.INDEX.read_text("utf-8"))


def test_every_class_is_found_in_its_own_type():
    """GPT-SW3 is built from GPT-2's classes, and has none of its own."""
    assert {name: own_classes(read_type(name)) for name in entry_names()} == INDEX
    pairs = [(name, one) for one in model_types() for name in INDEX[one]]
    elsewhere = {own: there for name, own in pairs if (there := type_of_class(name)) != own}
    assert elsewhere == {}
    assert INDEX["gpt-sw3"] == INDEX["mlcd"] == []


def test_writing_a_file_updates_the_index(folder):
    store.write_entry("bert", BERT)
    assert store.read_entry("bert") == BERT
    assert index() == {"bert": NAMES}
    store.write_entry("align", {**BERT, "model_type": "align", "classes_of": "bert"})
    assert list(index().items()) == [("align", []), ("bert", NAMES)]


def test_the_layout_of_a_file_does_not_matter(folder):
    store.write_entry("bert", BERT)
    path = folder / "bert.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))), "utf-8")
    before = index()
    store.write_entry("bert", store.read_entry("bert"))
    assert (store.read_entry("bert"), index()) == (BERT, before)


def test_a_type_whose_variants_are_all_withdrawn_has_no_file(folder):
    store.write_entry("bert", BERT)
    withdrawn = deepcopy(BERT)
    for one in withdrawn["classes"].values():
        for variant in (one, *one.get("also", ())):
            assert store.read_entry("bert") is not None
            variant["withdrawn"] = True
            store.write_entry("bert", withdrawn)
    assert store.read_entry("bert") is None
    assert index() == {}
