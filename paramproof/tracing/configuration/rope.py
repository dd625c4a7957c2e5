"""Which rotary positions transformers refuses.

They make buffers alone, and classes change their dictionaries in loops, so no field has an
expression for them. Transformers' validator still runs, with one unknown dictionary at a time.
Instances of a class show what the class itself makes of its rotary positions.
"""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from huggingface_hub.errors import StrictDataclassError
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from paramproof.tracing.configuration.paths import ERRORS, Dict, Instance
from paramproof.tracing.configuration.terms import Value, choose, instead, term
from paramproof.tracing.configuration.values import Method, fields_of

if TYPE_CHECKING:
    from paramproof.tracing.configuration.program import ClassInterpreter

KEYS = "rope_parameters", "rope_scaling", "rope_theta", "partial_rotary_factor"
NAME, SCALING, THETA, SHARE = KEYS
LENGTH, LABELS = "max_position_embeddings", "_rope_type_labels"

FLAT = {NAME: {"rope_type": "default", THETA: 10_000.0}}
"""The rotary positions of a file that has the same for all layers."""


def validate(run: ClassInterpreter, made: Instance) -> None:
    """Run transformers' validator for the rotary positions of a file, or else of the class."""
    kind, is_field = made.kind, NAME in fields_of(made.kind)
    given, scaling, theta, share, labels = map(run.given_key, (*KEYS, LABELS))
    rope = choose(run.truth(scaling), scaling, given)
    if is_field:
        run.under(run.truth(labels), partial(run.check_type, LABELS, labels, list))
    usual = next(iter(entries_of(kind, FLAT)), {})
    share = choose(run.known(term("is", share, None)), usual.get(SHARE, 1.0), share)

    def check(given: Value) -> None:
        run.check_type(NAME, given, dict)
        one = Dict(run.path, None, given) if isinstance(given, dict) else Dict(run.path, given)
        others = {"rope_type": instead(run.lookup(one, "type"), "default"), THETA: theta}
        others |= {SHARE: share, f"original_{LENGTH}": run.attribute_of(made, LENGTH)}
        others |= {key: run.boxed(other) for key, other in usual.items() if key not in others}
        one.own |= {key: instead(run.lookup(one, key), other) for key, other in others.items()}
        if is_field:
            run.check_type("rope_type", one.own["rope_type"], term("one of", *types_of(kind)))
            run.check_type(THETA, one.own[THETA], int | float)
        made.own[NAME] = one
        try:
            for function in validators_of(kind):
                run.call(Method(made, function), [])
        finally:
            made.own[NAME] = run.rule(made)

    def of_file() -> None:
        run.check_type(NAME, rope, dict)
        run.call(each_rope, [made, rope, partial(check)])

    def of_class() -> None:
        for one in entries_of(kind, {THETA: None, SHARE: None}) or entries_of(kind, {}):
            check({k: v for k, v in one.items() if v is not None})

    if is_by_layer(kind):
        # A class replaces null by its own, and leaves an empty dictionary.
        sides = (partial(run.call, each_layer, [made, one]) for one in (rope_of(kind, {}), rope))
        run.both_sides(run.known(term("is", rope, None)), *sides)
    run.both_sides(run.truth(rope), of_file, of_class)


# The interpreter runs these two.


def each_rope(config: Any, rope: Any, check: Any) -> None:
    """Check rotary positions, or else those of each kind of layer that has any."""
    for one in [rope[key] for key in config.nested_rope_parameter_keys(rope)] or [rope]:
        if one is not None:
            check(one)


def each_layer(config: Any, rope: Any) -> None:
    """Refuse a kind of layer without rotary positions."""
    for kind in config.layer_types:
        if kind not in rope:
            raise KeyError(kind)


# Classes, and objects of them


def validators_of(kind: Any) -> list[Any]:
    """Return the validators of a class that read rotary positions, transformers' own first."""
    own = [getattr(kind, one.__name__) for one in kind.__class_validators__]
    reading = [one for one in own if NAME in one.__code__.co_names]
    return [*dict.fromkeys([kind.validate_rope, *reading])]


def rope_of(kind: Any, keys: Mapping[str, Any]) -> Any:
    """Return what a class makes of keys for rotary positions; nothing if it refuses them."""
    try:
        return getattr(kind(**copy.deepcopy(keys)), NAME, None) or {}
    except (*ERRORS, StrictDataclassError):
        return {}


def entries_of(kind: Any, keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rotary positions that a class makes of keys, of each kind of layer."""
    rope = rope_of(kind, keys)
    nested = [one for one in rope.values() if isinstance(one, dict)]
    return nested or [rope] * bool(rope)


@cache
def types_of(kind: Any) -> list[str]:
    """Return the types that the models of a class know, and other names that it has for them."""
    known = ["default", kind.default_rope_type, *ROPE_INIT_FUNCTIONS]
    others = [
        text
        for one in kind.__mro__
        if issubclass(one, PreTrainedConfig) and one is not PreTrainedConfig
        for function in filter(inspect.isfunction, vars(one).values())
        for text in function.__code__.co_consts
        if isinstance(text, str) and text.isidentifier()
        for entry in entries_of(kind, {NAME: {"rope_type": text, THETA: 1.0}})
        if entry.get("rope_type") in known
    ]
    return [*dict.fromkeys([*known, *others])]


@cache
def is_by_layer(kind: Any) -> bool:
    """Return whether models look rotary positions up by layer, and the class does not add any."""
    is_flat = entries_of(kind, FLAT) == [rope_of(kind, FLAT)]
    if not is_flat or hasattr(kind, LABELS) or not {NAME, "layer_types"} <= fields_of(kind):
        return False
    models = importlib.import_module(kind.__module__.replace("configuration_", "modeling_"))
    return f"{NAME}[layer_type]" in inspect.getsource(models)
