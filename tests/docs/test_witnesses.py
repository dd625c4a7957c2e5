"""The stored results of other libraries agree with the catalogue, and with the causes."""

import pytest

from docs.writers.libraries import SETS, stored
from paramproof.catalogue import entry, model_types
from paramproof.catalogue.names import release, usual_class
from paramproof.formulas.notation import expression_in
from sweep.witnesses.__main__ import known
from sweep.witnesses.comparison import (
    Cause,
    Group,
    all_causes,
    by_name,
    by_size,
    causes_of,
    common_name,
    explain,
)
from sweep.witnesses.keras_hub import expected, pairs
from sweep.witnesses.mlx_configs import required
from tests.configs import LLAMA_3_1_8B

DATA = known()
MISTAKES = DATA["mlx-lm"]["mistakes"]


def test_the_data_are_of_this_catalogue_and_nothing_is_unexplained():
    assert {one["versions"]["transformers"] for one in DATA.values()} == {release()}
    types = DATA["mlx-lm"]["types"]
    assert types.keys() <= set(model_types())
    assert not types.keys() & required()["excluded"].keys()
    assert list(DATA["keras-hub"]["types"]) == list(pairs())
    for data in DATA.values():
        for one in data["types"].values():
            assert one["equal"] <= one["built"] == data["examples"]
            assert one["causes"] or one["equal"] == one["built"]
    files = DATA["mlx-lm"]["files"]
    assert all(one["ours"] == one["theirs"] for one in files if "causes" not in one)
    assert len(files) > 300


def test_every_cause_is_used_and_has_formulas():
    used = {name for one in DATA["mlx-lm"]["files"] for name in one.get("causes", ())}
    for data in DATA.values():
        for name, one in data["types"].items():
            assert one["causes"].keys() <= {cause.name for cause in causes_of(name)}
            used |= one["causes"].keys()
            for formulas in one["causes"].values():
                assert all(expression_in(formula).letters for formula in formulas)
    assert used == all_causes().keys()


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_counted_by_the_catalogue(name):
    """transformers' count is the entry's, and the formulas add up to mlx-lm's."""
    said = MISTAKES[name]
    config = said["config"]
    found = entry(config, usual_class(config["model_type"])).derivation
    tensors = found.parameters
    _, sizes, effects = explain(tensors, found.sizes, config, causes_of(config["model_type"]))
    assert {n: expression_in(one) for n, one in said["causes"].items()} == effects
    assert said["ours"] == sum(one.size.evaluate(found.sizes) for one in tensors)
    added = sum(one.evaluate(sizes) for one in effects.values())
    assert said["ours"] + added == said["theirs"] != said["ours"]
    assert all_causes()[name]["is_mistake"]


@pytest.mark.parametrize("name", DATA["keras-hub"]["presets"])
def test_published_counts_of_presets(name):
    presets = DATA["keras-hub"]["presets"][name]
    assert list(presets) == list(pairs()[name].presets)
    assert {preset: expected(name, preset) for preset in presets} == presets


@pytest.mark.parametrize("name", SETS)
def test_no_count_of_a_derived_constructor_differs(name):
    found = stored(name)
    assert [one["name"] for one in found if one.get("wrong")] == []
    assert sum(one.get("compared", 0) for one in found) > 500
    assert {one["status"] for one in found} <= {"proved", "fitted", "refused", "ended"}


def test_when_a_cause_applies():
    cause = Cause("", "", when={"a": "absent", "b": "given", "c": "positive", "d": False, "e": 3})
    assert cause.applies_to({"b": 0, "c": 1, "d": None, "e": 3})
    assert not cause.applies_to({"a": None, "b": 0, "c": 1, "d": None, "e": 3})
    assert not cause.applies_to({"b": None, "c": 1, "d": None, "e": 3})
    assert not cause.applies_to({"b": 0, "c": 0, "d": None, "e": 3})
    assert not cause.applies_to({"b": 0, "c": 1, "e": 3})
    assert not cause.applies_to({"b": 0, "c": 1, "d": False, "e": 4})
    part = Cause("", "", when={"text_config.a": "none"})
    assert part.applies_to({"text_config": {"a": None}})
    assert part.applies_to({"b": 1})
    assert not part.applies_to({"a": 1})
    read = Cause("", "", read={"a": ("first", "k", 3), "b": ("every", "x.n", 4)})
    assert read.read_sizes({}, 10) == {"a": 3, "b": 2}
    assert read.read_sizes({"k": 12, "x": {"n": 3}}, 10) == {"a": 10, "b": 3}


def test_the_effect_of_a_cause():
    llama = entry(LLAMA_3_1_8B).derivation
    tied = Cause("tied", "", removed=["^lm_head"])
    wide = Cause("wide", "", replaced={"F": "4·H"})
    bias = Cause("bias", "", vectors={"bias": "o_proj"}, added={"bias": "H", "new": "L"})
    made, sizes, effects = explain(llama.parameters, llama.sizes, {}, [tied, wide, bias])
    assert [*map(str, effects.values())] == ["−V·H", "L·(12·H² − 3·H·F)", "L·(H + 1) + H"]
    everything = llama.count(llama.sizes) + sum(one.evaluate(sizes) for one in effects.values())
    assert sum(one.size.evaluate(sizes) for one in made) == everything


def test_tensors_are_matched_by_name_or_by_size():
    for path in ("model.language_model.norm.weight", "transformer.ln_f.weight"):
        assert common_name(path) == "model.norm.weight"
    ours = "model.layers.*.mlp.experts.gate_up_proj"
    assert common_name("model.layers.*.mlp.switch_mlp.up_proj.weight") == ours
    llama = entry(LLAMA_3_1_8B).derivation
    head = [one for one in llama.tensors if one.path == "lm_head.weight"]
    size = 128256 * 4096
    same = {Group("lm_head.weight", (size,)): 1}
    assert by_name(head, llama.sizes, same) == by_size(head, llama.sizes, same) == {}
    parts = {Group("a", (size - 5,)): 1, Group("b", (2,)): 1, Group("c", (3,)): 1}
    assert by_size(head, llama.sizes, parts) == {}
    assert by_name(head, llama.sizes, parts)["lm_head.weight"] == (size, 0)
    more = {**parts, Group("d", (7,)): 2}
    assert by_size(head, llama.sizes, more) == {"of 7 entries": (0, 14)}
