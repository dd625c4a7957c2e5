"""Sorts of values: those that were tried stand for the others of their sort."""

import json
import math

import pytest

from paramproof.catalogue.value_kinds import (
    decode_infinity,
    encode_infinity,
    equal,
    kind_of,
    rope_objects,
    sort_of,
)
from paramproof.catalogue.written_forms import by_layer

WITH_YARN = {
    "full_attention": {"type": "yarn", "factor": 8.0},
    "sliding_attention": {"rope_theta": 1e4},
}


@pytest.mark.parametrize(
    ("value", "sort"),
    [
        (None, "null"),
        (True, "flag"),
        (0, "zero"),
        (0.0, "nothing"),
        (3, "whole"),
        (0.1, "share"),
        (1.0, "number"),
        (-1, "negative"),
        (float("nan"), ""),
        (float("inf"), ""),
        ("gelu", "activation"),
        ("xielu", ""),
        ([], "empty"),
        ({}, "bare"),
        ([1, 2], "wholes"),
        (["a"], "names"),
        ([1, "a"], ""),
        ([[1]], ""),
        ({"rope_type": "default", "rope_theta": 1e6}, "rope_default"),
        ({"type": "yarn", "factor": 4.0}, "rope_yarn"),
        ({"type": "yarn"}, ""),
        ({"type": "odd", "factor": 4.0}, ""),
        (
            {
                "full_attention": {"type": "linear", "factor": 8.0},
                "sliding_attention": {"rope_theta": 1e4},
            },
            "rope_layers",
        ),
        (WITH_YARN, "rope_layers_yarn"),
        ({**WITH_YARN, "original_max_position_embeddings": 4096}, "rope_layers_yarn"),
        ({**WITH_YARN, "factor": 8.0}, ""),
        ({**WITH_YARN, "full_attention": {"type": "dynamic", "factor": 8.0}}, ""),
        ({**WITH_YARN, "full_attention": None}, ""),
        ({"full_attention": {"type": "yarn", "factor": 8.0}}, ""),
        ({"full_attention": {"rope_theta": 1e4}}, ""),
        ({"quant_method": "fp8"}, "quantization"),
        ({"<image>": 4, "a": 0}, "vocabulary"),
        ({"<image>": 4, "a": True}, ""),
        ({"<image>": -4}, ""),
    ],
)
def test_the_sort_of_a_value(value, sort):
    assert sort_of(value) == sort


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (False, False, True),
        ([1, True], [1, 1], False),
        ({"a": 0}, {"a": False}, False),
        ({"a": [0]}, {"a": [0.0]}, True),
        (None, False, False),
    ],
)
def test_equality_of_values(one, other, expected):
    assert equal(one, other) is equal(other, one) is expected


def test_each_kind_of_layer_has_rotary_parameters_of_its_own():
    plain, half = {"rope_theta": 1e4}, {"partial_rotary_factor": 0.5}
    assert rope_objects(half) == [half]
    layers = {"sliding_attention": plain, "full_attention": half}
    assert rope_objects({**layers, "original_max_position_embeddings": 8}) == [half, plain]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "flag"),
        (3, "int"),
        (0.5, "float"),
        ("a", "text"),
        ({}, "object"),
        ([], "ints"),
        ([1, 2], "ints"),
        ([1, 0.5], "numbers"),
        (["a"], "texts"),
        ([1, "a"], "list"),
        ((1, 2), ""),
    ],
)
def test_kinds_of_values(value, kind):
    assert kind_of(value) == kind


def test_infinity_is_an_object_in_a_file():
    value = {"limits": [0.0, math.inf], "low": -math.inf, "flag": True}
    written = encode_infinity(value)
    assert written["limits"] == [0.0, {"__float__": "Infinity"}]
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert decode_infinity(written) == value


@pytest.mark.parametrize("value", [[1, 0], [0, 0], [0, 3], [-1], [True], ["0"], {"0": {}}, None, 1])
def test_positions_are_sorted_and_inside(value):
    assert by_layer(value, "positions", 3) is None


def test_the_form_says_how_a_value_is_read():
    assert by_layer([0, 2], "positions", 3) == [True, False, True]
    assert by_layer({"1": {"a": 2}}, "overrides", 3) == [None, {"a": 2}, None]
    assert by_layer([0, 2], "", 3) == [0, 2]
