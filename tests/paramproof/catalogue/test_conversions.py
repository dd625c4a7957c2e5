"""Names in a file are mapped to names in memory as transformers' own mappings do it."""

import pytest

from paramproof.catalogue.conversions import conversions_of

VISION = "vision_tower.encoder.blocks.3"


def in_memory(class_name, stored, known=()):
    """Return the names in memory of stored ones, in a model with ``known`` names, or any."""
    loaded = conversions_of(class_name).load(stored, lambda name: not known or name in known)
    return [one.name for one in loaded]


@pytest.mark.parametrize(
    ("class_name", "stored", "name"),
    [
        ("BertModel", "LayerNorm.gamma", "LayerNorm.weight"),
        (
            "MixtralForCausalLM",
            "model.layers.1.block_sparse_moe.gate.weight",
            "model.layers.1.mlp.gate.weight",
        ),
        (
            "MixtralForCausalLM",
            "model.layers.1.block_sparse_moe.experts.2.w3.weight",
            "model.layers.1.mlp.experts.gate_up_proj",
        ),
        (
            "Inkling2TextModel",
            "attn_res.attn_queries.4",
            "layers.5.attention_input.query",
        ),
    ],
)
def test_a_single_name_is_converted(class_name, stored, name):
    assert in_memory(class_name, [stored], {name}) == [name]


def test_a_name_stays_if_the_model_does_not_have_the_converted_one():
    """A model may have a tensor whose own name a pattern matches, as in ``from_pretrained``."""
    own = "model.layers.1.mlp.experts.0.w1.weight"
    assert in_memory("MixtralForCausalLM", [own], {own}) == [own]
    (one,) = conversions_of("MixtralForCausalLM").load([own], {own}.__contains__)
    assert one.converter is None


def test_an_expert_has_its_number_and_its_part():
    names = [f"model.layers.12.mlp.experts.{n}.{part}.weight" for n, part in ((3, "w1"), (0, "w3"))]
    fused = "model.layers.12.mlp.experts.gate_up_proj"
    loaded = conversions_of("MixtralForCausalLM").load(names, {fused}.__contains__)
    assert [(one.name, one.source, one.number) for one in loaded] == [(fused, 0, 3), (fused, 1, 0)]


def test_a_group_of_renamings_applies_as_a_whole():
    """``norm0`` becomes ``norm1`` and ``norm1`` ``norm2``; without ``norm0`` the names are new."""
    old = [f"{VISION}.norm0.weight", f"{VISION}.norm1.weight"]
    new = [f"{VISION}.norm1.weight", f"{VISION}.norm2.weight"]
    names = ["vision_tower.layers.3.norm1.weight", "vision_tower.layers.3.norm2.weight"]
    assert in_memory("Kimi_K25Model", old) == names
    assert in_memory("Kimi_K25Model", new) == names


def test_a_mapping_of_a_part_applies_only_there():
    """LLaVA's tower is CLIP's, and has names that also occur outside the tower."""
    own = conversions_of("LlavaForConditionalGeneration")
    assert {one.scope for one in own.transforms} == {None, "", "vision_tower"}
    (scoped,) = {one.base for one in own.transforms if one.scope == "vision_tower"}
    assert scoped == "model"


def test_buffers_of_older_files_are_ignored():
    own = conversions_of("MixtralForCausalLM")
    assert own.is_ignored("model.layers.3.self_attn.rotary_emb.inv_freq")
    assert not own.is_ignored("model.layers.3.self_attn.q_proj.weight")


def test_a_class_without_an_entry_has_legacy_renamings():
    assert in_memory("Nobody", ["a.LayerNorm.beta"], {"a.LayerNorm.bias"}) == ["a.LayerNorm.bias"]
