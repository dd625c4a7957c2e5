"""docs/second-opinion.md agrees with its data, and the data with the catalogue; without MLX."""

import re

import pytest

from docs.writers.blocks import AGAIN
from docs.writers.second_opinion_page import PAGE, known, render
from paramproof.catalogue import model_types, read_type
from paramproof.catalogue.entries import entry_in, usual_class
from paramproof.catalogue.names import release
from paramproof.formulas.parsing import expression_in
from sweep.second_opinion.causes import Cause, all_causes, causes_of
from sweep.second_opinion.configs import required
from sweep.second_opinion.explanation import explain
from sweep.second_opinion.names import common_name
from tests.public_configs import LLAMA_3_1_8B

DATA = known()
TEXT = PAGE.read_text("utf-8")
CAUSES = {one.name: one for one in all_causes()}


def test_page():
    assert render(DATA) == TEXT, AGAIN


def test_the_totals_of_the_page_add_up():
    """Each figure is counted here as a reader of the page would."""
    rows = re.findall(r"^\| ([a-z ]+?) \| ([\d,]+) \| ([\d,]+) \|$", TEXT, re.MULTILINE)
    said = {what: [int(one.replace(",", "")) for one in found] for what, *found in rows}
    everything = said.pop("all")
    assert list(map(sum, zip(*said.values(), strict=True))) == everything
    assert said["not explained"] == [0, 0]
    types = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| \d+ \| [^|]*\|$", TEXT, re.MULTILINE)
    types = [one for one in types if int(one[1]) == DATA["examples"]]
    assert sum(int(one[1]) for one in types) == everything[0] == DATA["examples"] * len(types)
    assert sum(int(one[2]) for one in types) == said["equal"][0]


def test_the_data_are_of_this_catalogue():
    assert DATA["versions"]["transformers"] == release(), AGAIN
    assert DATA["types"].keys() <= set(model_types())
    assert not DATA["types"].keys() & required()["excluded"].keys()


def test_every_cause_is_named_and_used():
    used = {name for one in DATA["types"].values() for name in one["causes"]}
    used |= {name for one in DATA["files"] for name in one.get("causes", ())}
    assert used == CAUSES.keys()
    for name in DATA["types"]:
        assert DATA["types"][name]["causes"].keys() <= {one.name for one in causes_of(name)}


def test_every_formula_is_an_expression():
    for one in DATA["types"].values():
        for formulas in one["causes"].values():
            for formula, number in formulas.items():
                assert expression_in(formula).letters
                assert number > 0


@pytest.mark.parametrize("name", DATA["mistakes"])
def test_a_mistake_is_counted_by_the_catalogue(name):
    """transformers' count is the entry's, and the formulas add up to mlx-lm's."""
    said = DATA["mistakes"][name]
    config = said["config"]
    file = read_type(config["model_type"])
    found = entry_in(file, config, usual_class(file))
    sizes = explain(found, config, causes_of(file.model_type)).sizes
    added = sum(expression_in(formula).evaluate(sizes) for formula in said["causes"].values())
    frozen = [one for one in found.derivation.tensors if one.role == "frozen"]
    assert said["ours"] == found.count + sum(one.size.evaluate(found.sizes) for one in frozen)
    assert said["ours"] + added == said["theirs"] != said["ours"]
    assert CAUSES[name].is_mistake


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


def test_the_effect_of_a_cause():
    file = read_type("llama")
    llama = entry_in(file, LLAMA_3_1_8B)
    tied = Cause("tied", "", removed=["^lm_head"])
    wide = Cause("wide", "", replaced={"F": "4·H"})
    bias = Cause("bias", "", vectors={"bias": "o_proj"}, added={"bias": "H", "new": "L"})
    said = explain(llama, LLAMA_3_1_8B, [tied, wide, bias])
    assert [str(one) for one in said.effects.values()] == [
        "−V·H",
        "L·(12·H² − 3·H·F)",
        "L·(H + 1) + H",
    ]
    everything = llama.count + sum(one.evaluate(said.sizes) for one in said.effects.values())
    assert sum(said.sums.values()) == everything
    packed = explain(llama, LLAMA_3_1_8B, [Cause("packed", "", packed=["o_proj"])])
    assert packed.sums["model.layers.*.self_attn.o_proj.weight"] == 32 * 4096 * 4096 // 4
    assert packed.sums["model.layers.*.self_attn.o_proj.weight_scale"] == 32


def test_numbers_that_only_mlx_lm_reads():
    cause = Cause("", "", read={"a": ("first", "k", 3), "b": ("every", "x.n", 4)})
    assert cause.read_sizes({}, 10) == {"a": 3, "b": 2}
    assert cause.read_sizes({"k": 12, "x": {"n": 3}}, 10) == {"a": 10, "b": 3}


def test_tensors_of_two_names():
    for path in ("model.language_model.norm.weight", "transformer.ln_f.weight"):
        assert common_name(path) == "model.norm.weight"
    ours = "model.layers.*.mlp.experts.gate_up_proj"
    assert common_name("model.layers.*.mlp.switch_mlp.up_proj.weight") == ours
    assert common_name("model.layers.*.mlp.experts.gate_up_proj") == ours
