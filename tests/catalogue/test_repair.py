"""What transformers does not build as a file says is taken back; what a type lacks is filled in."""

from copy import deepcopy

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from transformers import SamVisionConfig  # noqa: E402

from paramproof.catalogue.files import parse_type  # noqa: E402
from sweep.failure import Reason  # noqa: E402
from sweep.model import build  # noqa: E402
from sweep.repair import EntryRepair, pack_accepted  # noqa: E402
from sweep.seed_values import missing_sizes  # noqa: E402
from sweep.size_sources import fields_behind_sizes  # noqa: E402
from sweep.store import read_entry  # noqa: E402
from sweep.type_sweep import _replaced_ties  # noqa: E402

BERT = read_entry("bert")


BASE = {key: value for key, value in BERT["classes"]["BertModel"].items() if key != "also"}


def base_alone(change):
    """The file of BERT with its base model alone, at its own values, changed."""
    data = {**deepcopy(BERT), "classes": {"BertModel": deepcopy(BASE)}}
    change(data)
    mending = EntryRepair(data)
    mending.run(range(8))
    return mending


def test_what_holds_stays_as_it_is():
    mending = base_alone(lambda data: None)
    assert not mending.dropped
    assert not mending.failed
    assert mending.data["classes"]["BertModel"] == BASE


def test_a_value_that_decides_is_taken_back():
    def change(data):
        data["classes"]["BertModel"]["decides"] = []
        data["free"]["flag"] += " add_cross_attention"

    mending = base_alone(change)
    assert mending.dropped == ["add_cross_attention=True"]
    assert not mending.failed
    file = parse_type(mending.data, "bert")
    assert "add_cross_attention" not in file.free
    assert "add_cross_attention" in file.refused


def test_a_rule_of_lists_is_taken_back_whole():
    """Once, and not each list that is drawn by it."""

    def change(data):
        rule = {"long": "L", "any of": ["gelu"]}
        data["layers"] = {"hidden_act": rule, "elsewhere": rule}

    mending = base_alone(change)
    assert len(mending.dropped) == 1
    assert mending.dropped[0].startswith("hidden_act=['gelu'")
    assert not mending.failed
    assert mending.data["layers"].keys() == {"elsewhere"}


def test_a_class_that_is_wrong_is_withdrawn():
    def change(data):
        data["classes"]["BertModel"]["tensors"]["pooler.dense.bias"] = "F"

    mending = base_alone(change)
    (said,) = mending.failed.values()
    assert said.reason is Reason.NOT_AS_BUILT
    assert said.why.startswith("pooler.dense.bias of ")
    assert mending.data["classes"]["BertModel"]["withdrawn"]


def test_fields_stand_with_their_sorts():
    assert pack_accepted({"b": {"null", "flag"}, "a": {"flag", "null"}, "c": set()}) == {
        "flag null": "a b"
    }


def test_a_configuration_that_lacks_sizes():
    """Nemotron's own has no number of heads of keys, and LLaMA's lacks nothing."""
    from transformers import LlamaConfig, LlamaModel, NemotronConfig, NemotronModel

    start = NemotronConfig(num_hidden_layers=1)
    with pytest.raises(TypeError):
        build(NemotronModel, start)
    assert missing_sizes("nemotron", start, {}, NemotronModel) == {"num_key_value_heads": 48}
    assert missing_sizes("llama", LlamaConfig(num_hidden_layers=1), {}, LlamaModel) == {}


def test_a_tie_to_a_head_that_a_class_has_not():
    """Of a model with a head that another class has only the rest of."""
    old, new = {"emb": ["head"], "out": ["bias"]}, {"emb": ["head"], "more": ["other"]}
    has = {"under": "model", "ties": {"model.out": ["model.bias"], "own": ["too"]}}
    assert _replaced_ties(has, old, new) == {"own": ["too"], "model.more": ["model.other"]}
    has["ties"]["model.emb"] = ["model.head"]
    assert _replaced_ties(has, old, new)["model.emb"] == ["model.head"]
    by_layer = {"more": [[], ["other"]]}
    assert _replaced_ties(has, old, by_layer)["model.more"] == [[], ["model.other"]]


def test_a_field_that_fills_in_a_size_is_taken_back():
    """SAM's ``mlp_dim`` is, where it is absent, ``mlp_ratio`` times the width."""
    data = deepcopy(read_entry("sam_vision_model"))
    assert fields_behind_sizes(parse_type(data, "sam_vision_model"), SamVisionConfig) == set()
    data["free"] = {**data["free"], "number": "mlp_ratio"}
    data["refused"] = data["refused"].replace("mlp_ratio", "")
    assert fields_behind_sizes(parse_type(data, "sam_vision_model"), SamVisionConfig) == {
        "mlp_ratio"
    }

    mending = EntryRepair(data)
    mending.run([0])
    file = parse_type(mending.data, "sam_vision_model")
    assert "mlp_ratio" not in file.free
    assert "mlp_ratio" in file.refused
