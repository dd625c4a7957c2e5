"""One table maps Hugging Face's names for models and checkpoints; each names a real tensor."""

import pytest

from paramproof.builders.huggingface import names_of
from paramproof.builders.names import Storage
from paramproof.formulas import FAMILIES, inventory
from paramproof.formulas.layout import LAYOUTS

HUGGING_FACE = ["encoder", "gpt", "llama"]


def all_paths(family):
    letters = FAMILIES[family].letters
    return {tensor.path for tensor in inventory(letters(*(1 for _ in letters._fields)))}


@pytest.mark.parametrize("family", HUGGING_FACE)
def test_every_name_maps_to_canonical_tensors(family):
    """The only unknown tensors may be biases of modules, which LLaMA does not have."""
    stored = names_of(family).table.values()
    unknown = {part for storage in stored for part in storage.parts} - all_paths(family)
    assert all(family == "llama" and part.endswith(".bias") for part in unknown)
    assert {name for storage in stored for name in storage.layout} <= LAYOUTS.keys()


@pytest.mark.parametrize("family", HUGGING_FACE)
def test_every_tensor_has_a_name(family):
    stored = names_of(family).table.values()
    assert all_paths(family) <= {part for storage in stored for part in storage.parts}


def test_gpt2_stores_query_key_and_value_side_by_side():
    assert names_of("gpt").table["h.*.attn.c_attn.bias"] == Storage(
        tuple(f"layers.*.attention.{name}.bias" for name in ("query", "key", "value"))
    )


def test_a_family_without_a_hugging_face_model_has_no_names():
    names = names_of("encoder-decoder")
    assert (names.table, names.prefixes, names.buffers) == ({}, (), frozenset())
