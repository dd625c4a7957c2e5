"""Constructors in which a size is lost on its way to a shape. They need PyTorch."""

import builtins
import datetime
import functools
import json
import math

import numpy
import torch
from torch import nn

WIDTHS = {8: 24, 16: 80, 32: 64}


def through_numpy(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, int(numpy.prod([hidden_size, heads])))


def through_a_product_of_an_array(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, int(numpy.array([hidden_size, heads]).prod()))


def through_an_array(hidden_size=8, heads=2):
    return nn.Linear(*numpy.array([hidden_size, heads]).tolist())


def through_a_float_of_numpy(hidden_size=8):
    return nn.Linear(hidden_size, int(hidden_size * numpy.float64(0.5)))


def through_json(hidden_size=8, heads=2):
    config = json.loads(json.dumps({"hidden": hidden_size, "heads": heads}))
    return nn.Linear(config["hidden"], config["heads"] * config["hidden"])


def through_int(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, int(hidden_size / heads))


def through_another_int(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, builtins.int(hidden_size * 3 / heads))


def through_a_float(hidden_size=8):
    return nn.Linear(hidden_size, int(hidden_size * 2.5))


def through_a_decimal(hidden_size=16):
    """100 · 0.29 is 28.999999999999996."""
    return nn.Linear(hidden_size, int(hidden_size * 0.29) + 1)


def through_two_roundings(hidden_size=49, heads=7):
    """49 / 49 · 49 is 49, and 49 · (1 / 49) is not."""
    return nn.Linear(hidden_size, int(hidden_size * (1 / heads)) + 1)


def through_a_root(hidden_size=16):
    return nn.Linear(hidden_size, int(math.sqrt(hidden_size)))


def _through_text(size):
    """A plain number, which nobody knows to be a size any more."""
    return json.loads(json.dumps(size))


def through_text_and_a_root(hidden_size=16):
    return nn.Linear(hidden_size, math.isqrt(_through_text(hidden_size)))


def through_text_and_bits(hidden_size=8):
    return nn.Linear(hidden_size, _through_text(hidden_size).bit_length())


def through_text_and_xor(hidden_size=8):
    return nn.Linear(hidden_size, _through_text(hidden_size) ^ 1)


def through_a_root_beside_one_block(hidden_size=8, blocks=1, stride=16):
    """The first block is narrow and the others are wide, but by default there is only one."""
    model = nn.Module()
    widths = [hidden_size if index else 3 for index in range(blocks)]
    model.blocks = nn.ModuleList(nn.Linear(hidden_size, width) for width in widths)
    model.root = nn.Linear(hidden_size, math.isqrt(_through_text(stride)))
    return model


def through_a_root_of_a_square(hidden_size=16):
    return nn.Linear(hidden_size, int(math.sqrt(hidden_size * hidden_size)))


def through_a_global(hidden_size=8):
    global KEPT
    KEPT = hidden_size
    return _kept()


def _kept():
    return nn.Linear(KEPT, KEPT)


def through_len(hidden_size=8, layers=4):
    blocks = [None] * layers
    return nn.ModuleList(nn.Linear(hidden_size, len(blocks)) for _ in blocks)


def through_a_table(hidden_size=8):
    return nn.Linear(hidden_size, WIDTHS.get(hidden_size, 48))


def past_a_table(hidden_size=10):
    """A table compares with what has the same hash, and so with nothing here."""
    return nn.Linear(hidden_size, WIDTHS.get(hidden_size, 48))


def through_a_list(hidden_size=8, width=5):
    """A list takes an index without a question."""
    return nn.Linear(hidden_size, ([16] * 1000 + [32] * 1000)[width])


def through_a_string(hidden_size=8, heads=2):
    return nn.Linear(int(f"{hidden_size}"), int(str(heads)) * 2)


def named_by_two(hidden_size=8, first=3, second=3):
    """Neither moves alone, and the name of what is made has both."""
    if first != second:
        raise ValueError("they are as long as each other")
    return nn.ModuleDict({"x" * int(f"{first}"): nn.Linear(hidden_size, hidden_size)})


def refused_where_nothing_remembers(hidden_size=8, a=2, b=2, c=2, d=2, e=2):
    """Of five sizes nobody asks but where a model is made of plain ints."""
    if not hasattr(hidden_size, "expression") and (a, b, c, d, e) != (2, 2, 2, 2, 2):
        raise ValueError("these are twos")
    return nn.Linear(hidden_size, hidden_size)


def through_digits(hidden_size=12):
    """Wider from 10,000 on, which no size near is."""
    return nn.Linear(hidden_size, 7 if len(str(hidden_size)) < 5 else 8)


@functools.lru_cache
def _rounded(size):
    return (size + 7) // 8 * 8


def through_a_cache(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, _rounded(heads))


def through_max(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, max(hidden_size, heads))


def through_infinity(hidden_size=8):
    return nn.Linear(hidden_size, min(hidden_size, float("inf")))


def through_bits(hidden_size=8):
    return nn.Linear(hidden_size, hidden_size.bit_length())


def through_xor(hidden_size=8):
    return nn.Linear(hidden_size, hidden_size ^ 1)


def by_powers(hidden_size=8, depth=3):
    return nn.Linear(hidden_size, 2**depth)


def by_a_power(hidden_size=8, depth=3):
    return nn.Linear(hidden_size, hidden_size**depth)


def asked_of_a_number(hidden_size=12, heads=3):
    """The guard is 3 divides 12 and, at another width, 5 divides 35."""
    width = _through_text(hidden_size)
    if width % heads:
        raise ValueError("heads of no whole width")
    return nn.Linear(hidden_size, hidden_size)


def asked_of_two_numbers(hidden_size=12, wide=30, heads=3):
    for width in _through_text([hidden_size, wide]):
        if width % heads:
            raise ValueError("heads of no whole width")
    return nn.Linear(hidden_size, wide)


def asked_of_a_strange_number(hidden_size=12, heads=3):
    """Compare a number that is neither a sum nor a product of sizes."""
    if _through_text(hidden_size) ^ 5 < heads:
        raise ValueError("too many heads")
    return nn.Linear(hidden_size, hidden_size)


def past_a_dtype(hidden_size=12, heads=3, layers=2):
    """PyTorch takes Python's own int for a dtype, and no other."""
    blocks = nn.ModuleList(nn.Linear(hidden_size, hidden_size // heads) for _ in range(layers))
    blocks.register_buffer("step", torch.zeros((), dtype=int), persistent=False)
    return blocks


def past_days(hidden_size=12, heads=3, layers=2):
    """A timedelta takes nothing but an int or a float."""
    blocks = nn.ModuleList(nn.Linear(hidden_size, hidden_size // heads) for _ in range(layers))
    blocks.kept = datetime.timedelta(hidden_size)
    return blocks


def every_second_column(hidden_size=12, rows=5):
    """Sines and cosines in every second column each: of an odd width, one has fewer columns."""
    table = torch.zeros(rows, hidden_size)
    angles = torch.arange(0, hidden_size, step=2).float() * torch.ones(rows, 1)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)
    return nn.Linear(hidden_size, hidden_size)


def every_third_column(hidden_size=12):
    """As many values for the last of three columns as for the first."""
    table = torch.zeros(hidden_size)
    table[2::3] = torch.arange(0, hidden_size, step=3).float()
    return nn.Linear(hidden_size, hidden_size)
