"""Constructors in which a size may be lost on its way to a shape. They need PyTorch."""

import functools
import json
import math

import numpy
import torch
from torch import nn

from tests.frameworks.derive.deriving import FITTED, derives, refuses, unfollowed

WIDTHS = {8: 24, 16: 80, 32: 64}


@derives("H²·A + H·A")
def through_numpy(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, int(numpy.prod([hidden_size, heads])))


@derives(
    "⌊H/2⌋·(H + 1)",
    reasons=[FITTED, "a computed shape or condition: weight", *unfollowed("a call")],
)
def through_a_float_of_numpy(hidden_size=8):
    return nn.Linear(hidden_size, int(hidden_size * numpy.float64(0.5)))


@derives("H²·A + H·A", reasons=[FITTED, "a call of dumps (", *unfollowed("a call")])
def through_json(hidden_size=8, heads=2):
    config = json.loads(json.dumps({"hidden": hidden_size, "heads": heads}))
    return nn.Linear(config["hidden"], config["heads"] * config["hidden"])


@derives("2·H² + H·⌊H/2⌋ + 2·H + ⌊H/2⌋", where={"2·H + ⌊H/2⌋ > 0": "not tried"})
def through_a_float(hidden_size=8):
    return nn.Linear(hidden_size, int(hidden_size * 2.5))


@derives(
    "H·int(H × (1 ÷ A)) + H + int(H × (1 ÷ A)) + 1",
    where={"int(H × (1 ÷ A)) + 1 > 0": "not tried"},
    at=[{"hidden_size": 49, "heads": 49}],
)
def through_two_roundings(hidden_size=49, heads=7):
    """49 / 49 · 49 is 49, and 49 · (1 / 49) is not."""
    return nn.Linear(hidden_size, int(hidden_size * (1 / heads)) + 1)


@derives("int(sqrt(H))·(H + 1)", where={"int(sqrt(H)) > 0": "not tried"}, at=[{"hidden_size": 99}])
def through_a_root(hidden_size=16):
    return nn.Linear(hidden_size, int(math.sqrt(hidden_size)))


def _through_text(size):
    return json.loads(json.dumps(size))


@refuses("not explained: weight of (4, 16); bias of (4)")
def through_text_and_a_root(hidden_size=16):
    return nn.Linear(hidden_size, math.isqrt(_through_text(hidden_size)))


@derives("24·H + 24", where="H = 8")
def through_a_table(hidden_size=8):
    return nn.Linear(hidden_size, WIDTHS.get(hidden_size, 48))


@derives("16·H + 16", where="H2 < 1000")
def through_a_list(hidden_size=8, width=5):
    return nn.Linear(hidden_size, ([16] * 1000 + [32] * 1000)[width])


@derives(
    "H² + H",
    reasons=[
        *(FITTED, "an error that is handled ("),
        *unfollowed("a try statement", "a statement", "a statement"),
    ],
)
def past_an_absent_package(hidden_size=8):
    try:
        import absent  # noqa: F401
    except ImportError:
        hidden_size += 0
    return nn.Linear(hidden_size, hidden_size)


@derives(
    "H² + H",
    fixed="fi,se",
    reasons=[
        *(FITTED, "fi, se did not vary", "modules with unknown names ("),
        *unfollowed("a branch", "a statement", "a statement"),
        "second did not vary once the formula had failed: refuses sizes",
        "first did not vary once the formula had failed: refuses sizes",
    ],
)
def named_by_two(hidden_size=8, first=3, second=3):
    """Neither moves alone, and the name of what is made has both."""
    if first != second:
        raise ValueError("they are as long as each other")
    return nn.ModuleDict({"x" * int(f"{first}"): nn.Linear(hidden_size, hidden_size)})


@derives("H² + H", where={f"{one} = 2": "ValueError: these are twos" for one in "abcde"})
def refused_together(hidden_size=8, a=2, b=2, c=2, d=2, e=2):
    if (a, b, c, d, e) != (2, 2, 2, 2, 2):
        raise ValueError("these are twos")
    return nn.Linear(hidden_size, hidden_size)


@refuses("refuses sizes inside the conditions, hidden_size = ")
def refused_by_text(hidden_size=8, a=2, b=2, c=2, d=2, e=2):
    if _through_text([a, b, c, d, e]) != [2, 2, 2, 2, 2]:
        raise ValueError("these are twos")
    return nn.Linear(hidden_size, hidden_size)


@functools.lru_cache
def _rounded(size):
    return (size + 7) // 8 * 8


@derives("8·⌈A/8⌉·(H + 1)")
def through_a_cache(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, _rounded(heads))


@derives("H² + H", where="A ≤ H")
@derives("A·(H + 1)", where="A > H", sizes=(("heads", 20),))
def through_max(hidden_size=8, heads=2):
    return nn.Linear(hidden_size, max(hidden_size, heads))


@derives(
    "H² + 2·H + 1",
    where="2 divides H",
    reasons=["the shape is fitted", "the operation BitXor", "an operation was not followed"],
    at=[{"hidden_size": 1024}],
    beyond=[{"hidden_size": 1023}],
)
def through_xor(hidden_size=8):
    return nn.Linear(hidden_size, hidden_size ^ 1)


@derives(
    "power(2, L)·(H + 1)",
    where={"power(2, L) ≥ 0": "less than 0", "power(2, L) > 0": "not tried"},
    at=[{"hidden_size": 5, "depth": 11}],
)
def by_powers(hidden_size=8, depth=3):
    return nn.Linear(hidden_size, 2**depth)


@derives(
    "wi·(H + 1)",
    where={"A divides H": "heads of no whole width", "A divides wi": "heads of no whole width"},
    reasons=[FITTED, "a call of dumps (", *unfollowed("a branch", "a statement", "a call")],
)
def asked_of_two_numbers(hidden_size=12, wide=30, heads=3):
    for width in _through_text([hidden_size, wide]):
        if width % heads:
            raise ValueError("heads of no whole width")
    return nn.Linear(hidden_size, wide)


@derives("L·(H·⌊H/A⌋ + ⌊H/A⌋)", at=[{"hidden_size": 31, "heads": 4, "layers": 7}])
def past_a_dtype(hidden_size=12, heads=3, layers=2):
    """PyTorch takes Python's own int for a dtype, and no other."""
    blocks = nn.ModuleList(nn.Linear(hidden_size, hidden_size // heads) for _ in range(layers))
    blocks.register_buffer("step", torch.zeros((), dtype=int), persistent=False)
    return blocks
