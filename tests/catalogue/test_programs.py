"""The programs of random configuration classes and model classes give what the classes give."""

import importlib.util
import itertools
import sys
import textwrap

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from paramproof.catalogue.program import Refused
from paramproof.tracing.configuration.models import trace_model
from paramproof.tracing.configuration.nodes import encoded
from paramproof.tracing.configuration.reader_terms import lowered, model_term
from paramproof.tracing.configuration.rules import rules_of
from paramproof.tracing.configuration.terms import Unknown, term, turns_in
from tests.paramproof.tracing.configuration import evaluation

numbers = itertools.count()
FIELDS = ["width", "height", "kinds", "scale", "area"]

CLASS = """
from huggingface_hub.dataclasses import strict
from torch import nn
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_utils import PreTrainedModel

@strict
class ToyConfig(PreTrainedConfig):
    model_type = "toy"
    attribute_map = {{"size": "width"}}

    width: int = 4
    height: int | None = None
    kinds: list[str] | None = None
    scale: float | int = 1.5
    area: int = 1

    def __post_init__(self, **kwargs):
        if self.height is None:
            self.height = self.width
{body}
        super().__post_init__(**kwargs)


class Layer(nn.Module):
    def __init__(self, config, i):
        super().__init__()
        self.a = nn.Linear(config.width, config.area, bias=i > 1)
        if {condition}:
            self.b = nn.Linear(config.area, {size})


class ToyModel(PreTrainedModel):
    config_class = ToyConfig

    def __init__(self, config):
        super().__init__(config)
        self.layers = nn.ModuleList([Layer(config, i) for i in range(config.width)])
        self.head = nn.Embedding(config.width, config.height) if {choice} else None
"""

names = st.sampled_from(["self.width", "self.height", "self.area", "2", "3"])
sums = st.recursive(
    names,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "//", "%"]), inner)
        | st.builds("({} if {} > 2 else {})".format, inner, inner, inner)
    ),
    max_leaves=4,
)
conditions = st.builds(
    "{} {} {}".format, sums, st.sampled_from(["<", "==", ">=", "!="]), sums
) | st.sampled_from(
    [
        "self.kinds is None",
        "isinstance(self.scale, int)",
        'self.kinds and "a" in self.kinds',
        "not self.area",
    ]
)
lists = st.sampled_from(
    [
        '["a" if i % 2 else "b" for i in range(self.width)]',
        '["a"] * self.height',
        "[one for one in (self.kinds or []) if one != 'b']",
        '["a"] * (self.area % 5) + ["b"]',
        "None",
    ]
)
assignments = st.one_of(
    st.builds("self.width = {}".format, sums),
    st.builds("self.area = {}".format, sums),
    st.builds("self.height = {}".format, sums),
    st.builds("self.kinds = {}".format, lists),
    st.builds("self.scale = {} / {}".format, sums, sums),
    st.just("raise ValueError"),
)


def block(statements):
    return textwrap.indent("\n".join(statements), "    ")


steps = st.recursive(
    assignments,
    lambda inner: st.builds(
        lambda test, one, other: f"if {test}:\n{block(one)}\nelse:\n{block(other)}",
        conditions,
        st.lists(inner, min_size=1, max_size=2),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=4,
)
sizes = st.integers(-1, 6) | st.just("x") | st.just(2.0) | st.booleans()
keys_of_toy = st.fixed_dictionaries(
    {},
    optional={
        "width": sizes,
        "size": st.integers(1, 5),
        "height": st.integers(0, 4) | st.none(),
        "kinds": st.lists(st.sampled_from("ab")) | st.none() | st.just([1]),
        "scale": st.sampled_from([1, 2.5, "x", None, False]),
        "area": st.integers(0, 5),
        "other": st.integers(),
    },
)


def module_of(source, path):
    """Import source text as a part of transformers, which alone is traced."""
    name = f"transformers.toy_{next(numbers)}"
    path = path / f"{name}.py"
    path.write_text(source, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def catalogue_of(path, config_class, model_class=None):
    models = {"ToyModel": model_term(trace_model(model_class))} if model_class else {}
    return evaluation.catalogue_of(path, rules_of(config_class), models)


@settings(max_examples=30, deadline=None)
@given(data=st.data(), body=st.lists(steps, min_size=1, max_size=3))
def test_fields_of_random_classes(data, body, tmp_path_factory):
    path = tmp_path_factory.mktemp("toy")
    text = textwrap.indent("\n".join(body), "        ")
    toy = module_of(CLASS.format(body=text, condition="True", size=1, choice="True"), path)
    try:
        catalogue = catalogue_of(path, toy.ToyConfig)
    except Unknown:
        return

    for _ in range(8):
        keys = data.draw(keys_of_toy)
        try:
            expected = toy.ToyConfig(**keys)
        except Exception as error:
            expected = error
        try:
            part = catalogue.configuration({"model_type": "toy", **keys})
        except Refused as error:
            if not isinstance(expected, Exception):
                raise AssertionError(body, keys) from error
        else:
            assert not isinstance(expected, Exception), (body, keys, expected)
            found = {name: part.field(name) for name in FIELDS}
            assert repr(found) == repr({name: getattr(expected, name) for name in FIELDS}), (
                body,
                keys,
            )
            assert part.get("other") == getattr(expected, "other", part.get("nothing"))


@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")
@settings(max_examples=15, deadline=None)
@given(data=st.data(), condition=conditions, size=sums, choice=conditions)
def test_tensors_of_random_classes(data, condition, size, choice, tmp_path_factory):
    path = tmp_path_factory.mktemp("toy")
    of_config = [one.replace("self.", "config.") for one in (condition, size, choice)]
    toy = module_of(
        CLASS.format(body="", **dict(zip(("condition", "size", "choice"), of_config, strict=True))),
        path,
    )
    try:
        catalogue = catalogue_of(path, toy.ToyConfig, toy.ToyModel)
    except Unknown:
        return

    for _ in range(8):
        keys = {k: abs(v) if type(v) is int else v for k, v in data.draw(keys_of_toy).items()}
        try:
            config = toy.ToyConfig(**keys)
        except Exception:
            continue
        try:
            with torch.device("meta"):
                expected = toy.ToyModel(config)
        except Exception as error:
            expected = error
        try:
            part = catalogue.configuration({"model_type": "toy", **keys})
            found = {one.path: one.shape for one in part.tensors("ToyModel")}
        except Refused as error:
            if not isinstance(expected, Exception):
                raise AssertionError(of_config, keys) from error
        else:
            assert not isinstance(expected, Exception), (of_config, keys, expected)
            shapes = {name: tuple(one.shape) for name, one in expected.named_parameters()}
            assert found == shapes, (of_config, keys)


def test_a_loop_over_a_part_of_the_loop_around_it_varies():
    first = term("slice", term("range", 0, term("key", "width"), 1), 0, term("turn", 0), 1)
    last = term("fold", 0, first, term("list", 1), term("list", term("item", 0)), 0)
    whole = term("comp", 0, term("list", 1, 2), last, True)
    assert {letter for _, letter in turns_in(lowered(last))} == {"i"}
    assert turns_in(lowered(whole)) == frozenset()
    rules = {"ToyConfig": {"fields": {"whole": lowered(whole)}, "keys": {}}}
    data = encoded({"configurations": rules, "models": {}}, {})
    varies = [node[0] for node in data["nodes"][data["varying"] :]]
    assert {*varies} == {"turn", "slice", "item", "list", "fold"}


def test_equal_numbers_of_other_types_differ():
    values = [0, 0.0, False, 1, 1.0, True]
    found = [lowered(term("list", one)) for one in values]
    rules = {"ToyConfig": {"fields": dict(zip("abcdef", found, strict=True)), "keys": {}}}
    nodes = encoded({"configurations": rules, "models": {}}, {})["nodes"]
    lists = [node[1] for node in nodes if isinstance(node, list)]
    read = [nodes[one] if type(one) is int else one for one in lists]
    assert [(type(one), one) for one in read] == [(type(one), one) for one in values]
