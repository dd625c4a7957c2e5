"""Every file of the catalogue can be parsed and evaluated."""

import json
import zlib
from dataclasses import asdict
from importlib.resources import files

import pytest

from paramproof.catalogue import files as catalogue_files
from paramproof.catalogue import read_type
from paramproof.catalogue.derivations import derivation_of, variants
from paramproof.catalogue.entries import entry_in, own_sizes
from paramproof.catalogue.files import entry_names, parse_type, type_of_class
from paramproof.formulas.derivation import FITTED, PROVED
from paramproof.formulas.derivation_data import (
    all_tensors_data,
    derivation_from,
    parse_tensor,
    scope_data,
)
from paramproof.formulas.path import leaf

MOST_BYTES = 3_000_000

DATA = files("paramproof.catalogue").joinpath("data")


def derivations(name):
    file = read_type(name)
    for of_class in file.classes:
        for variant in variants(file, of_class):
            sizes = own_sizes(file, variant.data.get("absent", ()))
            yield derivation_of(file, variant, sizes), variant, sizes


OF_EVERY_TYPE = pytest.mark.shared("a case for each of 681 types")


@OF_EVERY_TYPE
@pytest.mark.parametrize("name", entry_names())
def test_every_variant_can_be_evaluated(name):
    """Letters belong to the file, and a derivation is the same after it was written as data."""
    for derivation, variant, _ in derivations(name):
        tensors = derivation.tensors
        assert tensors
        known = set(derivation.sizes)
        used = {one for t in tensors for e in (*t.shape, t.times) for one in e.letters}
        used |= {one for stated in derivation.conditions for one in stated.condition.letters}
        assert used <= known
        assert {*derivation.inert, *derivation.fixed} <= known
        assert variant.data["status"] == (PROVED if derivation.is_proved else FITTED)
        assert read_back(derivation) == derivation


def read_back(derivation):
    """Return a derivation after it was JSON. Not all have a count at the sizes of their type."""
    keys = ("name", "sizes", "fields")
    data = {key: getattr(derivation, key) for key in keys}
    data["evidence"] = asdict(derivation.evidence)
    data |= {**all_tensors_data(derivation.tensors), **scope_data(derivation)}
    return derivation_from(json.loads(json.dumps(data)))


NO_MODEL = (
    "aya_vision",
    "deepseek_ocr2",
    "lfm2_moe",
    "upernet+convnext",
    "upernet+swin",
)
"""Types whose defaults alone decide no model."""


@OF_EVERY_TYPE
@pytest.mark.parametrize("name", entry_names())
def test_every_class_counts_its_types_defaults(name):
    """Only the model type is needed, unless the class was withdrawn."""
    file = read_type(name)
    keys = {"model_type": file.model_type}
    for of_class, data in file.classes.items():
        if data.get("withdrawn") or name in NO_MODEL:
            with pytest.raises(ValueError, match=r"\S"):
                entry_in(file, keys, of_class)
        elif all(size.default for one, size in file.letters.items() if one not in lacking(data)):
            assert entry_in(file, keys, of_class).count > 0


def test_the_names_in_a_file():
    """Aliases name fields. Names in the code that validates configurations once were keys."""
    for name in entry_names():
        file = read_type(name)
        fields = {size.key for size in file.letters.values()}
        known = {*fields, *file.fields, *file.free, *file.texts, *file.unread, *file.refused}
        others = {*file.below, *file.computed, *file.layers}
        assert not file.aliases.keys() & fields, name
        assert {*file.aliases.values()} <= known | others, name
        assert {leaf(path) for path in known} & {"cause", "field", "validator"} == set(), name


def lacking(data):
    return data.get("absent", ())


def test_the_data_are_small_enough_for_a_wheel():
    """A wheel compresses each file."""
    sizes = {file.name: len(zlib.compress(file.read_bytes())) for file in DATA.iterdir()}
    assert sum(sizes.values()) < MOST_BYTES
    assert {name.removesuffix(".json") for name in sizes} == set(entry_names())


def file_of(model_type="bert"):
    return json.loads(DATA.joinpath(f"{model_type}.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"format": 2}, "its format is 2, not 1"),
        ({"surplus": 1}, "it does not have the keys of a model type"),
        ({"letters": None}, "its letters are not an object"),
    ],
)
def test_a_damaged_file_is_refused(damage, said):
    with pytest.raises(ValueError, match=f"^{said}$"):
        parse_type({**file_of(), **damage})


def test_a_file_under_another_name_is_refused(monkeypatch, tmp_path):
    (tmp_path / "bert.json").write_text(json.dumps(file_of("gpt2")), "utf-8")
    monkeypatch.setattr(catalogue_files, "FOLDER", tmp_path)
    with pytest.raises(
        ValueError, match=r"bert.json in the data of paramproof: it describes 'gpt2'"
    ):
        read_type.__wrapped__("bert")


def test_classes_that_contain_each_other_are_refused():
    data = file_of()
    data["classes"]["BertModel"]["contains"] = "BertForMaskedLM"
    with pytest.raises(ValueError, match="contains itself"):
        entry_in(parse_type(data), {}, "BertModel")


@pytest.mark.parametrize("written", ["L × H, [odd]", "L × × H", "H; A", "H [proved]", ""])
def test_a_damaged_tensor_is_refused(written):
    with pytest.raises(ValueError, match=r"\S"):
        parse_tensor("layers.*.weight", written)


def test_the_index_finds_the_type_of_a_class(monkeypatch, tmp_path):
    """No file of a type is read for it, whatever its layout."""
    monkeypatch.setattr(catalogue_files, "FOLDER", tmp_path)
    assert type_of_class("MixtralForCausalLM") == "mixtral"
    assert type_of_class("XLMRobertaForTokenClassification") == "xlm-roberta"
    # InternLM 3 has this class too, and its file comes first by name.
    assert type_of_class("LlamaForCausalLM") == "llama"
    for unknown in ("MixtralForCats", "layer_types", "tensors", '" or "', ""):
        assert type_of_class(unknown) is None
