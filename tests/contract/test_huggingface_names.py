"""One table maps Hugging Face's names for models and checkpoints; each names a real tensor."""

import pytest

from paramproof.builders.huggingface import names_of
from paramproof.builders.names import Storage
from paramproof.formulas import FAMILIES, inventory
from paramproof.formulas.layout import LAYOUTS


@pytest.mark.parametrize("family", ["encoder", "gpt", "llama"])
def test_names_map_to_canonical_tensors_and_each_of_these_has_one(family):
    """The only unknown tensors may be biases of modules, which LLaMA does not have."""
    letters = FAMILIES[family].letters
    paths = {tensor.path for tensor in inventory(letters(*(1 for _ in letters._fields)))}
    stored = names_of(family).table.values()
    named = {part for storage in stored for part in storage.parts}
    assert paths <= named
    assert all(family == "llama" and part.endswith(".bias") for part in named - paths)
    assert {name for storage in stored for name in storage.layout} <= LAYOUTS.keys()


def test_gpt2_stores_query_key_and_value_side_by_side():
    assert names_of("gpt").table["h.*.attn.c_attn.bias"] == Storage(
        tuple(f"layers.*.attention.{name}.bias" for name in ("query", "key", "value"))
    )


def test_a_family_without_a_hugging_face_model_has_no_names():
    names = names_of("encoder-decoder")
    assert (names.table, names.prefixes, names.buffers) == ({}, (), frozenset())
