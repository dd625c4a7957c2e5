"""Constructors that read what a loop collects, in ways that the other groups leave out."""

# ruff: noqa
import copy
import functools
import math
import numpy as np
from torch import nn
from tests.foolers.entries import depths, each, fooler, linears, widths, fails


@fooler("guard", dim=101, in_lengths=True)
def length_of_an_empty_range(dim=164, n=3):
    return nn.Linear(dim, len(range(100, dim)) + 1)


@fooler("guard", dim=101, in_lengths=True)
def length_of_a_list_that_is_not_there(dim=164, n=3):
    return nn.Linear(dim, len([0] * (dim - 100)) + 1)


@functools.cache
def _cached(size):
    return size < 4000


@functools.cache
def _cached_layer(size):
    return nn.Linear(size, size)


@fooler("caveat", dim=100)
def layer_of_a_cache(dim=16, n=3):
    """A cache gives the same layer again, with the same weights."""
    return nn.ModuleList([_cached_layer(dim), _cached_layer(100), *linears(dim, n, True)])


@fooler("guard", dim=100)
def layer_of_a_cache_twice(dim=16, n=3):
    one, other = _cached_layer(7), _cached_layer(8)
    layers = [one, _cached_layer(7) if dim > 99 else other]
    return nn.ModuleList([*layers, *linears(dim, n, True)])


@fooler("guard", n=101)
def setattr_counter(dim=16, n=3):
    holder = nn.Module()
    holder.seen = 0

    def biased(_):
        setattr(holder, "seen", getattr(holder, "seen") + 1)
        return holder.seen <= 100

    return each(dim, n, biased)


@fooler("caveat", n=301)
def names_that_repeat(dim=16, n=3):
    holder = nn.Module()
    for i in range(n):
        setattr(holder, f"layer{i % 300}", nn.Linear(dim, dim))
    return holder


@fooler("caveat", n=301, in_lengths=True)
def names_of_two_loops(dim=16, n=3):
    holder = nn.Module()
    for shift in (300, 0):
        for i in range(n):
            setattr(holder, f"layer{i + shift}", nn.Linear(dim, dim + shift))
    return holder


@fooler("caveat", n=101)
def index_after_the_loop(dim=16, n=3):
    for i in range(n):
        pass
    return linears(dim, n, i < 100)


@fooler("caveat", n=101)
def inner_index_outside(dim=16, n=3):
    for _ in range(2):
        for k in range(n):
            pass
    return linears(dim, n, k < 100)


@fooler("caveat", n=101)
def while_in_a_for(dim=16, n=3):
    layers = nn.ModuleList()
    for i in range(n):
        k = 0
        while k < i:
            k += 1
        layers.append(nn.Linear(dim, dim, bias=k < 100))
    return layers


@fooler("caveat", n=101)
def items_of_a_grown_dict(dim=16, n=3):
    known = {}
    for i in range(n):
        known[f"x{i}"] = i
    return nn.ModuleList([nn.Linear(dim, dim, bias=v < 100) for _, v in known.items()])


@fooler("caveat", n=101)
def zipped_with_a_generator(dim=16, n=3):
    flags = (i < 100 for i in range(1000))
    return nn.ModuleList([nn.Linear(dim, dim, bias=f) for _, f in zip(range(n), flags)])


@fooler("guard", n=101)
def enumerate_from_a_size(dim=16, n=3):
    return nn.ModuleList(
        [nn.Linear(dim, dim, bias=k < n + 100) for k, _ in enumerate(range(n), start=n)]
    )


@fooler("guard", n=101)
def range_downwards(dim=16, n=3):
    return nn.ModuleList([nn.Linear(dim, dim, bias=i < 100) for i in range(n - 1, -1, -1)])


@fooler("guard", n=101)
def extended_by_a_size(dim=16, n=3):
    marks = []
    marks.extend([0] * n)
    return linears(dim, n, len(marks) < 101)


@fooler("guard", n=101)
def iadd_by_a_size(dim=16, n=3):
    marks = []
    marks += [0] * n
    return linears(dim, n, len(marks) < 101)


@fooler("caveat", n=101)
def doubled_list(dim=16, n=3):
    marks = [0]
    for _ in range(n):
        marks = marks + [0]
    return linears(dim, n, len(marks) < 102)


@fooler("caveat", n=101)
def slice_assignment(dim=16, n=3):
    marks = []
    for _ in range(n):
        marks[len(marks) :] = [0]
    return linears(dim, n, len(marks) < 101)


@fooler("caveat", n=101)
def unpacked(dim=16, n=3):
    first, *rest = range(n)
    return linears(dim, n, len(rest) < 100)


def _many(*args):
    return len(args)


@fooler("caveat", n=101)
def try_counter(dim=16, n=3):
    layers, box = nn.ModuleList(), [100]
    for _ in range(n):
        box[0], _x = box[0] - 1, 0
        layers.append(nn.Linear(dim, dim, bias=box[0] >= 0))
    return layers


@fooler("guard", n=101)
def tuple_assigned_counter(dim=16, n=3):
    layers, a, b = nn.ModuleList(), 0, 1
    for _ in range(n):
        a, b = a + 1, b
        layers.append(nn.Linear(dim, dim, bias=a <= 100))
    return layers


@fooler("caveat", n=101)
def counter_in_a_tuple(dim=16, n=3):
    layers, state = nn.ModuleList(), (0, 0)
    for _ in range(n):
        state = (state[0] + 1, 0)
        layers.append(nn.Linear(dim, dim, bias=state[0] <= 100))
    return layers


@fooler("caveat", n=101)
def walrus_counter(dim=16, n=3):
    made = 0
    return nn.ModuleList([nn.Linear(dim, dim, bias=(made := made + 1) <= 100) for _ in range(n)])


@fooler("caveat", n=101)
def linked_list(dim=16, n=3):
    layers, chain = nn.ModuleList(), None
    for _ in range(n):
        chain = (chain,)
        deep, at = 0, chain
        while at is not None:
            at, deep = at[0], deep + 1
        layers.append(nn.Linear(dim, dim, bias=deep <= 100))
    return layers


@fooler("caveat", n=101)
def flag_of_a_dict(dim=16, n=3):
    layers, left = nn.ModuleList(), {"left": 100}
    for _ in range(n):
        left.update(left=left["left"] - 1)
        layers.append(nn.Linear(dim, dim, bias=left["left"] >= 0))
    return layers


@fooler("caveat", n=100)
def boolean_list_state(dim=16, n=3):
    layers, marks = nn.ModuleList(), [True] * 100 + [False]
    for _ in range(n):
        marks = marks[1:] + marks[:1]
        layers.append(nn.Linear(dim, dim, bias=marks[0]))
    return layers


@fooler("caveat", n=101)
def bytes_that_grow(dim=16, n=3):
    layers, marks = nn.ModuleList(), b""
    for _ in range(n):
        marks += b"x"
        layers.append(nn.Linear(dim, dim, bias=marks != b"x" * 101))
    return layers


widths(
    "guard",
    list_that_is_not_there_yet=(4001, lambda dim: not [0] * (dim - 4000)),
    equal_lists=(4000, lambda dim: [dim] != [4000]),
    cached=(4000, lambda dim: _cached(dim)),
)
widths(
    "caveat",
    past_the_end_of_a_range_over_sizes=(
        4001,
        lambda dim: fails(IndexError, lambda: range(dim)[4000]),
    ),
    root_of_a_negative=(4001, lambda dim: not fails(ValueError, lambda: math.sqrt(4000 - dim))),
    negative_shift=(4001, lambda dim: not fails(ValueError, lambda: 1 << (4000 - dim))),
    sorted_by_a_key=(
        4000,
        lambda dim: sorted([(4000, 1), (dim, 2)], key=lambda p: p[0])[0][1] == 2,
    ),
    int_methods_through_the_class=(4000, lambda dim: int.__lt__(int(dim), 4000) is True),
    str_methods_through_the_class=(10_000, lambda dim: str.__len__(str(dim)) < 5),
    equal_to_a_longer_list=(4000, lambda dim: [0] * dim != [0] * 4000),
)


depths(
    "guard",
    starred=(101, lambda n: len([*range(n)]) < 101),
    constant_index_into_runs=(101, lambda n: ([False] * n + [True] * 200)[100]),
)
depths(
    "caveat",
    negative_slice=(101, lambda n: ([False] * 100 + [True] * 100)[-n:][0]),
    nested_lists_summed=(101, lambda n: len(sum([[i] for i in range(n)], [])) < 101),
    array_of_a_loop=(101, lambda n: np.array([1 for _ in range(n)]).sum() < 101),
    star_args=(101, lambda n: _many(*range(n)) < 101),
    list_in_a_comparison=(101, lambda n: [i for i in range(n)] <= list(range(100))),
)


@fooler("caveat", n=71)
def last_name_of_a_walk(dim=16, n=3):
    last = None
    for last, _ in linears(dim, n, True).named_children():
        pass
    return nn.Linear(dim, dim, bias=last != "70")


@fooler("caveat", dim=4000, in_lengths=True)
def wrong_type_that_is_handled(dim=64, n=3):
    try:
        return nn.Linear(dim, _strict(dim, n))
    except TypeError:
        return nn.Linear(dim, n)


def _strict(dim, n):
    if dim >= 4000:
        raise TypeError("too wide")
    return n + 1


@fooler("guard", dim=4000, in_lengths=True)
def copied_twice(dim=64, n=3):
    pair = [1]
    first, second = copy.deepcopy([pair, pair])
    if dim >= 4000:
        first.append(2)
    return nn.Linear(dim, len(second))


@fooler("caveat", n=101)
def counter_of_a_walk(dim=16, n=3):
    layers, seen = linears(dim, n, True), 0
    for layer in layers.children():
        if seen >= 100:
            layer.bias = None
        seen = seen + 1
    return layers
