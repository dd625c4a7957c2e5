"""Names in a file are mapped to names in memory as transformers' own mappings do it."""

import pytest

from paramproof.catalogue.conversions import conversions_of

VISION = "vision_tower.encoder.blocks.3"


OWN = "model.layers.1.mlp.experts.0.w1.weight"
NORMS = [f"vision_tower.layers.3.norm{number}.weight" for number in (1, 2)]


@pytest.mark.parametrize(
    ("class_name", "stored", "names"),
    [
        ("BertModel", ["LayerNorm.gamma"], ["LayerNorm.weight"]),
        ("Nobody", ["a.LayerNorm.beta"], ["a.LayerNorm.bias"]),
        (
            "MixtralForCausalLM",
            [
                "model.layers.1.block_sparse_moe.gate.weight",
                "model.layers.1.block_sparse_moe.experts.2.w3.weight",
            ],
            ["model.layers.1.mlp.gate.weight", "model.layers.1.mlp.experts.gate_up_proj"],
        ),
        ("Inkling2TextModel", ["attn_res.attn_queries.4"], ["layers.5.attention_input.query"]),
        # A model may have a tensor whose own name a pattern matches, as in ``from_pretrained``.
        ("MixtralForCausalLM", [OWN], [OWN]),
        # A group of renamings applies as a whole: ``norm0`` becomes ``norm1`` and ``norm1``
        # ``norm2``; without ``norm0`` the names are new.
        ("Kimi_K25Model", [f"{VISION}.norm{number}.weight" for number in (0, 1)], NORMS),
        ("Kimi_K25Model", [f"{VISION}.norm{number}.weight" for number in (1, 2)], NORMS),
    ],
)
def test_names_are_converted(class_name, stored, names):
    loaded = conversions_of(class_name).load(stored, {*names}.__contains__)
    assert [one.name for one in loaded] == names
    assert [one.converter for one in loaded if one.name == OWN] == [None] * (names == [OWN])


def test_an_expert_has_its_number_and_its_part():
    names = [f"model.layers.12.mlp.experts.{n}.{part}.weight" for n, part in ((3, "w1"), (0, "w3"))]
    fused = "model.layers.12.mlp.experts.gate_up_proj"
    loaded = conversions_of("MixtralForCausalLM").load(names, {fused}.__contains__)
    assert [(one.name, one.source, one.number) for one in loaded] == [(fused, 0, 3), (fused, 1, 0)]


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
