"""Dotted paths: their prefixes, their layers, and several paths written as one."""

import pytest

from paramproof.formulas.path import (
    MAX_BRACES,
    at_layer,
    beginnings,
    has_layer,
    in_braces,
    layer_of,
    leaf,
    lies_in,
    parent,
    shared_path,
    stack_of,
    starred,
    without_braces,
)

QUERY = "layers.*.attention.query.kernel"


@pytest.mark.parametrize("component", ["", "layers", "layers.*", "layers.*.attention", QUERY])
def test_a_path_is_inside_each_of_its_prefixes(component):
    assert lies_in(QUERY, component)


@pytest.mark.parametrize("component", ["layer", "layers.*.att", "attention", f"{QUERY}.bias"])
def test_a_path_is_inside_nothing_else(component):
    assert not lies_in(QUERY, component)


def test_parent_and_leaf_make_up_the_path():
    assert (parent("pooler.kernel"), leaf("pooler.kernel")) == ("pooler", "kernel")
    assert (parent("layers.*.norm"), leaf("layers.*.norm")) == ("layers.*", "norm")
    assert (parent("pooler"), leaf("pooler")) == ("", "pooler")


def test_prefixes_are_all_components_from_the_outermost():
    assert beginnings("layers.*.norm.scale") == (
        "layers",
        "layers.*",
        "layers.*.norm",
        "layers.*.norm.scale",
    )


@pytest.mark.parametrize(
    ("path", "has", "stack"),
    [
        (QUERY, True, "layers"),
        ("decoder.layers.*.norm.scale", True, "decoder.layers"),
        ("layers.0.norm.scale", False, None),
        ("pooler.kernel", False, None),
        ("pooler.kernel*", False, None),
        # A layer is chosen, so no component spans all layers.
        ("layers.*", True, None),
    ],
)
def test_a_star_matches_a_layer(path, has, stack):
    assert has_layer(path) is has
    assert stack_of(path) == stack


def test_at_layer_and_starred_are_inverse():
    assert at_layer(QUERY, 11) == "layers.11.attention.query.kernel"
    assert starred(at_layer(QUERY, 11)) == QUERY
    assert at_layer("pooler.kernel", 3) == starred("pooler.kernel") == "pooler.kernel"


def test_only_a_number_is_a_layer():
    assert starred("ln_1.h.0.mlp2") == "ln_1.h.*.mlp2"
    assert layer_of("ln_1.h.12.mlp2.0") == 12
    assert layer_of("ln_1.h.*") is None


def test_braces_are_several_paths():
    assert without_braces("a.{b,c,d}") == ("a.b", "a.c", "a.d")
    assert without_braces("a.{b,c}.bias") == ("a.b.bias", "a.c.bias")
    assert without_braces("a.b") == ("a.b",)
    most = ".".join(["{a,b}"] * MAX_BRACES)
    assert len(without_braces(most)) == 2**MAX_BRACES
    assert without_braces(f"{most}.{{a,b}}") == (f"{most}.{{a,b}}",)
    assert without_braces("{a,b}.{c,d}.e") == ("a.c.e", "a.d.e", "b.c.e", "b.d.e")


def test_several_names_are_joined_in_braces():
    assert in_braces(["query", "key"]) == "{query,key}"
    assert in_braces(["query"]) == "query"


@pytest.mark.parametrize(
    ("paths", "shared"),
    [
        (["a.query.bias"], "a.query.bias"),
        (["a.query.bias", "a.key.bias"], "a.{query,key}.bias"),
        (["layers.0.norm", "layers.12.norm"], "layers.*.norm"),
        (["layers.3.norm", "layers.3.norm"], "layers.3.norm"),
        (["layers.0.norm", "layers.x.norm"], "layers.{0,x}.norm"),
        (["b.kernel", "a.bias"], "{b,a}.{kernel,bias}"),
    ],
)
def test_a_shared_path_shows_where_paths_differ(paths, shared):
    assert shared_path(paths) == shared


def test_paths_of_unequal_depth_share_none():
    with pytest.raises(ValueError, match="zip"):
        shared_path(["a.b", "a.b.c"])
