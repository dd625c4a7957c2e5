"""Accepted values and variants that differ from transformers are withdrawn."""

from copy import deepcopy

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models are built at random sizes"),
]

pytest.importorskip("transformers")

from transformers import SamVisionConfig

from paramproof.catalogue.files import parse_type
from sweep.entries.repair import EntryRepair, fields_behind_sizes
from sweep.entries.type_sweep import _replaced_ties
from sweep.failure import Reason
from sweep.library.model import build
from sweep.library.seed_values import missing_sizes
from sweep.store import pack_accepted, read_entry

BERT = read_entry("bert")


BASE = {key: value for key, value in BERT["classes"]["BertModel"].items() if key != "also"}


def base_alone(change):
    data = {**deepcopy(BERT), "classes": {"BertModel": deepcopy(BASE)}}
    change(data)
    repair = EntryRepair(data)
    repair.run(range(8))
    return repair


def test_an_intact_file_stays_unchanged():
    repair = base_alone(lambda data: None)
    assert not repair.dropped
    assert not repair.failed
    assert repair.data["classes"]["BertModel"] == BASE


def test_a_value_that_changes_tensors_is_dropped():
    def change(data):
        data["classes"]["BertModel"]["decides"] = []
        data["free"]["flag"] += " add_cross_attention"

    repair = base_alone(change)
    assert repair.dropped == ["add_cross_attention=True"]
    assert not repair.failed
    file = parse_type(repair.data)
    assert "add_cross_attention" not in file.free
    assert "add_cross_attention" in file.refused


def test_a_wrong_rule_for_lists_is_dropped_as_a_whole():
    """It is dropped once, not for each list that is drawn by it."""

    def change(data):
        rule = {"long": "L", "any of": ["gelu"]}
        data["layers"] = {"hidden_act": rule, "elsewhere": rule}

    repair = base_alone(change)
    assert len(repair.dropped) == 1
    assert repair.dropped[0].startswith("hidden_act=['gelu'")
    assert not repair.failed
    assert repair.data["layers"].keys() == {"elsewhere"}


def test_a_wrong_class_is_withdrawn():
    def change(data):
        data["classes"]["BertModel"]["tensors"]["pooler.dense.bias"] = "F"

    repair = base_alone(change)
    (said,) = repair.failed.values()
    assert said.reason is Reason.NOT_AS_BUILT
    assert said.why.startswith("pooler.dense.bias of ")
    assert repair.data["classes"]["BertModel"]["withdrawn"]


def test_fields_are_packed_by_their_sorts():
    assert pack_accepted({"b": {"null", "flag"}, "a": {"flag", "null"}, "c": set()}) == {
        "flag null": "a b"
    }


def test_missing_sizes_are_found():
    """Nemotron's defaults lack the number of key-value heads, and LLaMA's nothing."""
    from transformers import LlamaConfig, LlamaModel, NemotronConfig, NemotronModel

    start = NemotronConfig(num_hidden_layers=1)
    with pytest.raises(TypeError):
        build(NemotronModel, start)
    assert missing_sizes("nemotron", start, {}, NemotronModel) == {"num_key_value_heads": 48}
    assert missing_sizes("llama", LlamaConfig(num_hidden_layers=1), {}, LlamaModel) == {}


def test_a_tie_to_a_missing_head_stays_in_the_part():
    """Another class has the head, and shares only the rest of the model."""
    old, new = {"emb": ["head"], "out": ["bias"]}, {"emb": ["head"], "more": ["other"]}
    has = {"under": "model", "ties": {"model.out": ["model.bias"], "own": ["too"]}}
    assert _replaced_ties(has, old, new) == {"own": ["too"], "model.more": ["model.other"]}
    has["ties"]["model.emb"] = ["model.head"]
    assert _replaced_ties(has, old, new)["model.emb"] == ["model.head"]
    by_layer = {"more": [[], ["other"]]}
    assert _replaced_ties(has, old, by_layer)["model.more"] == [[], ["model.other"]]


def test_a_field_behind_an_absent_size_is_dropped():
    """SAM's absent ``mlp_dim`` is ``mlp_ratio`` times the width."""
    data = deepcopy(read_entry("sam_vision_model"))
    assert fields_behind_sizes(parse_type(data), SamVisionConfig) == set()
    data["free"] = {**data["free"], "number": "mlp_ratio"}
    data["refused"] = data["refused"].replace("mlp_ratio", "")
    assert fields_behind_sizes(parse_type(data), SamVisionConfig) == {"mlp_ratio"}

    repair = EntryRepair(data)
    repair.run([0])
    file = parse_type(repair.data)
    assert "mlp_ratio" not in file.free
    assert "mlp_ratio" in file.refused
