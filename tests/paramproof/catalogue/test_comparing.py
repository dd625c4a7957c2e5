"""What a type's file says otherwise after it was derived again, in letters."""

from copy import deepcopy

import pytest

from sweep.comparing import differences
from sweep.store import read

KNOWN = read("bert")


def changed(change):
    other = deepcopy(KNOWN)
    change(other)
    return list(differences(KNOWN, other))


def test_nothing_is_otherwise_where_only_versions_and_evidence_are():
    def change(data):
        data["versions"]["torch"] = "3.0.0"
        data["classes"]["BertModel"]["evidence"] = [1, 2, 3]

    assert changed(change) == []


def without_bias(data):
    del data["classes"]["BertModel"]["tensors"]["pooler.dense.bias"]


def wider(data):
    data["classes"]["BertModel"]["tensors"]["pooler.dense.weight"] = "H, 2·H"


def later_default(data):
    data["letters"]["V"] = "vocab_size = 30000"


def other_condition(data):
    data["classes"]["BertModel"]["conditions"] = {"A·2 divides H": "refused"}


def no_class(data):
    del data["classes"]["BertForPreTraining"]


def decides_too(data):
    data["classes"]["BertModel"]["decides"].append("is_decoder")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_bias, "BertModel[] = what it was + (−H)"),
        (without_bias, "BertModel[] − pooler.dense.bias 1 × H"),
        (wider, "BertModel[] = what it was + (H²)"),
        (wider, "BertModel[] + pooler.dense.weight 1 × H × 2·H"),
        (later_default, "letters V: 'vocab_size = 30522' was, 'vocab_size = 30000' is"),
        (
            other_condition,
            "BertModel[] conditions: {'A divides H': 'refused'} was, "
            "{'A·2 divides H': 'refused'} is",
        ),
        (no_class, "BertForPreTraining is gone"),
        (
            decides_too,
            "BertModel[] decides: ['add_cross_attention'] was, "
            "['add_cross_attention', 'is_decoder'] is",
        ),
    ],
)
def test_what_is_otherwise_is_said_as_algebra(change, said):
    assert said in changed(change)
