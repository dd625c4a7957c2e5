"""Dotted paths: their prefixes, their layers, and several paths written as one."""

import pytest

from paramproof.formulas import path as paths
from paramproof.formulas.path import MAX_BRACES, lies_in, merged, shared_path, without_braces

QUERY = "layers.*.attention.query.kernel"
PREFIXES = ("layers", "layers.*", "layers.*.attention", "layers.*.attention.query", QUERY)


def test_a_path_is_inside_each_of_its_prefixes_and_nothing_else():
    assert paths.beginnings(QUERY) == PREFIXES
    assert all(lies_in(QUERY, component) for component in ("", *PREFIXES))
    for component in ("layer", "layers.*.att", "attention", f"{QUERY}.bias"):
        assert not lies_in(QUERY, component)


@pytest.mark.parametrize(
    ("path", "parent", "leaf", "has_layer", "stack_of"),
    [
        (QUERY, "layers.*.attention.query", "kernel", True, "layers"),
        ("decoder.layers.*.scale", "decoder.layers.*", "scale", True, "decoder.layers"),
        ("layers.0.scale", "layers.0", "scale", False, None),
        ("pooler", "", "pooler", False, None),
        ("pooler.kernel*", "pooler", "kernel*", False, None),
        # A layer is chosen, so no component spans all layers.
        ("layers.*", "layers", "*", True, None),
    ],
)
def test_the_parts_of_a_path(path, parent, leaf, has_layer, stack_of):
    assert (paths.parent(path), paths.leaf(path)) == (parent, leaf)
    assert (paths.has_layer(path), paths.stack_of(path)) == (has_layer, stack_of)


@pytest.mark.parametrize(
    ("path", "numbers", "placed", "first"),
    [
        (QUERY, [11], "layers.11.attention.query.kernel", 11),
        ("a.*.b.*.c.*", [1, 2], "a.1.b.2.c.2", 1),
        ("pooler.kernel", [3], "pooler.kernel", None),
        ("ln_1.h.*.mlp2.*", [12, 0], "ln_1.h.12.mlp2.0", 12),
    ],
)
def test_numbers_of_layers(path, numbers, placed, first):
    assert paths.at_layer(path, *numbers) == placed
    assert paths.starred(placed) == path
    assert (paths.layer_of(placed), paths.layer_of(path)) == (first, None)


MOST = ".".join(["{a,b}"] * MAX_BRACES)


@pytest.mark.parametrize(
    ("path", "several"),
    [
        ("a.{b,c,d}", ("a.b", "a.c", "a.d")),
        ("a.b", ("a.b",)),
        ("{a,b}.{c,d}.e", ("a.c.e", "a.d.e", "b.c.e", "b.d.e")),
        (f"{MOST}.{{a,b}}", (f"{MOST}.{{a,b}}",)),
    ],
)
def test_braces_are_several_paths(path, several):
    assert without_braces(path) == several
    assert len(without_braces(MOST)) == 2**MAX_BRACES


@pytest.mark.parametrize(
    ("several", "shared"),
    [
        (["a.query.bias"], "a.query.bias"),
        (["a.query.bias", "a.key.bias"], "a.{query,key}.bias"),
        (["layers.0.norm", "layers.12.norm"], "layers.*.norm"),
        (["layers.3.norm", "layers.3.norm"], "layers.3.norm"),
        (["layers.0.norm", "layers.x.norm"], "layers.{0,x}.norm"),
        (["b.kernel", "a.bias"], "{b,a}.{kernel,bias}"),
    ],
)
def test_a_shared_path_shows_where_paths_differ(several, shared):
    assert shared_path(several) == shared
    with pytest.raises(ValueError, match="zip"):
        shared_path([*several, "deep.er.and.deeper"])


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([], ""),
        (["abc", "abc"], "abc"),
        (["ac", "abc"], "abc"),
        (["bc", "abx"], "abxc"),
        (["ab", "cb", "xc"], "xcab"),
        # Earlier orders take precedence.
        (["ab", "ba"], "ab"),
        (["ab", "bac"], "acb"),
    ],
)
def test_each_name_follows_those_before_it(orders, expected):
    assert "".join(merged(orders)) == expected
