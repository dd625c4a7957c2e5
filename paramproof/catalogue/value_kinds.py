"""Kinds and sorts of JSON values.

A field that is not a size may have another value than the entry's if models with other values of
that sort had the same tensors. One value stands for its sort.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import NoneType
from typing import Any, TypeGuard

ACTIVATIONS = frozenset(
    {
        "gelu",
        "gelu_10",
        "gelu_accurate",
        "gelu_fast",
        "gelu_new",
        "gelu_python",
        "gelu_python_tanh",
        "gelu_pytorch_tanh",
        "hardswish",
        "laplace",
        "leaky_relu",
        "linear",
        "mish",
        "quick_gelu",
        "relu",
        "relu2",
        "relu6",
        "sigmoid",
        "silu",
        "sqrtsoftplus",
        "swish",
        "tanh",
    }
)
"""Activations of transformers that have no parameters, unlike prelu and xielu."""

ROPE_TYPES = ("default", "linear", "dynamic", "yarn", "llama3", "longrope", "mrope")
"""Ways to stretch rotary positions; each is a sort of its own, such as ``rope_yarn``."""

LONGROPE = "rope_longrope"

FACTORS = ("short_factor", "long_factor")
"""The lists of this type, with a number for each pair of rotated positions."""

TEXT = "text"
"""The sort of any text, for a field that may have each text that the code compares."""

ALIKE = "alike"
"""The sort of a list of numbers with as many as the type's own list has."""

ROPE_NEEDS: dict[str, frozenset[str]] = {
    "linear": frozenset({"factor"}),
    "dynamic": frozenset({"factor"}),
    "yarn": frozenset({"factor"}),
    "llama3": frozenset({"factor", "low_freq_factor", "high_freq_factor"}),
    "longrope": frozenset(FACTORS),
}
"""The parameters without which transformers refuses a type of rotary positions."""

LAYERS_WITH_YARN = frozenset({"rope_default", "rope_linear", "rope_yarn"})
"""Sorts of rotary positions that kinds of layers may have if YaRN stretches some of them."""

ROPE_LAYERS = frozenset({"full_attention", "sliding_attention"})
"""Kinds of layers that have rotary positions of their own."""

ORIGINAL_LENGTH = "original_max_position_embeddings"
"""The length before stretching. A file may have it beside the kinds of layers too."""

ROTARY_FACTOR = "partial_rotary_factor"
"""The share of a head that is rotated, which restricts the possible sizes."""

IMAGE_TOKEN = "<image>"
"""A token that occurs in the vocabularies of configurations."""

ROTARY_BASES = frozenset({"rope_theta", "rotary_emb_base", "rope_local_base_freq"})
"""Names of the base of rotary positions. It must be above 1: models divide by its logarithm."""


KINDS: Mapping[type, str] = {
    NoneType: "null",
    bool: "flag",
    int: "int",
    float: "float",
    str: "text",
    dict: "object",
}
"""The kind of a JSON value that is not a list, by its type."""


KIND_NAMES: Mapping[str, str] = {
    "int": "an int",
    "float": "a float",
    "text": "text",
    "flag": "true or false",
    "null": "null",
    **dict.fromkeys(("ints", "numbers", "texts", "list"), "a list"),
    "object": "an object",
}
"""What errors call the kinds that ``kind_of`` returns."""


def sort_of(value: object) -> str:
    """Return the sort of a JSON value, or "" for a value that stands only for itself.

    Numbers: ``zero`` is the int and ``nothing`` the float 0. ``whole`` is an int above 0, ``share``
    a float below 1, ``number`` another float, and ``negative`` any number below 0.

    Lists: ``wholes`` has ints, ``reals`` numbers, ``names`` strings, and ``empty`` nothing.

    A field may also accept any ``text``, and lists ``alike`` its own; no value is of these sorts.

    Objects: ``rope_…`` are parameters of rotary positions, ``rope_layers`` those of several kinds
    of layers, ``rope_layers_yarn`` the same if YaRN stretches some of them, ``quantization`` a
    storage format, ``bare`` an object without keys, and ``vocabulary`` tokens with their ids.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int | float):
        return _sort_of_number(value)
    if isinstance(value, str):
        return "activation" if value in ACTIVATIONS else ""
    if value in ([], {}):
        return "bare" if value == {} else "empty"
    if isinstance(value, list):
        return _sort_of_list(value)
    if isinstance(value, dict) and isinstance(value.get("quant_method"), str):
        return "quantization"
    if isinstance(value, dict) and IMAGE_TOKEN in value:
        numbers = all(type(number) is int and number >= 0 for number in value.values())
        return "vocabulary" if numbers else ""
    return _sort_of_rope(value) if isinstance(value, dict) else ""


def is_numbers(value: object) -> TypeGuard[list[int | float]]:
    return isinstance(value, list) and value != [] and {*map(type, value)} <= {int, float}


def _sort_of_list(value: list[Any]) -> str:
    if all(type(one) is int and one >= 0 for one in value):
        return "wholes"
    if all(type(one) in (int, float) and one >= 0 for one in value):
        return "reals"
    return "names" if all(isinstance(one, str) for one in value) else ""


def _sort_of_number(value: float) -> str:
    if not -math.inf < value < math.inf:  # Some ints have no float.
        return ""
    if value < 0:
        return "negative"
    if isinstance(value, int):
        return "whole" if value else "zero"
    if not value:
        return "nothing"
    return "share" if value < 1 else "number"


def _sort_of_rope(value: dict[str, Any]) -> str:
    if value.keys() & ROPE_LAYERS:
        return _sort_of_rope_layers(value)
    kind = value.get("rope_type", value.get("type", "default"))
    if kind not in ROPE_TYPES or not ROPE_NEEDS.get(kind, frozenset()) <= value.keys():
        return ""
    return f"rope_{kind}"


def _sort_of_rope_layers(value: dict[str, Any]) -> str:
    # A kind of layers without parameters is refused where the model has such layers.
    inner = {_sort_of_rope(one) if isinstance(one, dict) else "" for one in rope_objects(value)}
    if value.keys() == ROPE_LAYERS and inner <= {"rope_default", "rope_linear"}:
        return "rope_layers"
    is_whole = value.keys() - {ORIGINAL_LENGTH} == ROPE_LAYERS
    return "rope_layers_yarn" if is_whole and inner <= LAYERS_WITH_YARN else ""


def rope_objects(value: Mapping[str, Any]) -> list[Any]:
    """Return the parameters of rotary positions for each kind of layers, or for all of them."""
    return [value[one] for one in sorted(value.keys() & ROPE_LAYERS)] or [value]


def kind_of(value: object) -> str:
    """Return the kind of a JSON value, including the kind of a list's items."""
    if isinstance(value, list):
        inside = {kind_of(one) for one in value}
        if inside <= {"int", "float"}:
            return "numbers" if "float" in inside else "ints"
        return "texts" if inside == {"text"} else "list"
    return KINDS.get(type(value), "")


def default_layers(rule: Mapping[str, Any], long: int) -> list[Any]:
    """Return the list of ``long`` layers that a configuration class creates by a rule.

    The rule gives the first layers (``head``), the ones that repeat after them (``repeats``), and
    the last one (``last``).
    """
    head, repeats, last = rule.get("head", []), rule["repeats"], rule.get("last", [])
    found = [*head, *(repeats[i % len(repeats)] for i in range(max(long - len(head), 0)))][:long]
    return [*found[:-1], *last] if last and found else found


def decode_infinity(value: Any) -> Any:
    """Return a JSON value with infinity as a number; some files have it as an object."""
    if isinstance(value, list):
        return [*map(decode_infinity, value)]
    if isinstance(value, dict):
        for tag in ("Infinity", "-Infinity"):
            if value == {"__float__": tag}:
                return float(tag)
        return {key: decode_infinity(one) for key, one in value.items()}
    return value


def encode_infinity(value: Any) -> Any:
    """Return a JSON value with infinity as an object: JSON itself has no number for it."""
    if isinstance(value, list):
        return [*map(encode_infinity, value)]
    if isinstance(value, dict):
        return {key: encode_infinity(one) for key, one in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return {"__float__": "Infinity" if value > 0 else "-Infinity"}
    return value


def equal(one: object, other: object) -> bool:
    """Return whether two JSON values are equal: 1 is not true, but 1.0 equals 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    return one == other
