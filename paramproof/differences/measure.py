"""Measurements of a layer by its outputs alone, which are the same for every framework.

A probe hands in its framework's layer as a function on NumPy arrays, and gets the answer in
the words of the reference. An answer that is none of those known is an error: a framework
that starts to do something else is to be looked at, not described by the nearest word.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from paramproof.builders.protocol import Array

Function: TypeAlias = Callable[[Array], Array]
Attend: TypeAlias = Callable[[Array, Array], Array]
"""Self-attention of x, (B, S, WIDTH), under a mask of its keys, (B, S), as booleans."""

WIDTH, HEADS, TOKENS = 12, 3, 3
FAN_IN, FAN_OUT, HEADS_FOR_DRAWS = 300, 3000, 6
"""Large enough for a deviation to be measured within 2 %, and such that no two candidates meet."""

ROUNDING = 1e-4
"""Outputs that differ by less are the same: they are of the size of 1, in float32."""


class Unknown(ValueError):
    """A layer did something that the reference has no word for."""


def epsilon(norm: Function) -> str:
    """Return the number that a layer norm adds to the variance, from its outputs for (−s, s).

    The pair has the variance s² and becomes ±s/√(s² + ε), from which ε follows. Of ever smaller s,
    the one is used whose output is nearest to ½, where rounding matters least.
    """
    scales = [10.0**-power for power in range(10)]
    outputs = {s: float(norm(np.array([[-s, s]], "float32"))[0, 1]) for s in scales}
    scale = min(scales, key=lambda s: abs(outputs[s] - 0.5))
    return f"{scale**2 * (1 / outputs[scale] ** 2 - 1):.2g}"


def activation(function: Function) -> str:
    """Which activation ``function`` is, from its values at −2, 1 and 2."""
    x = np.array([-2.0, 1.0, 2.0])
    found = np.asarray(function(x.astype("float32")), "float64")
    cubic = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    known = {
        "gelu by erf": [v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x],
        "gelu by tanh": x * (1 + np.tanh(cubic)) / 2,
        "relu": np.maximum(x, 0),
    }
    # The two gelus are 1e-4 apart at these points.
    names = [name for name, values in known.items() if np.allclose(found, values, atol=1e-6)]
    if len(names) != 1:
        raise Unknown(f"an activation that gives {found} at {x}")
    return names[0]


def initialiser(array: Array, fan_in: int, fan_out: int) -> str:
    """From which distribution, and of which standard deviation, ``array`` was drawn.

    The deviation is one of those in use, met within 2 %. ``fan_in`` and ``fan_out`` are those
    of the matrix (in, out), whatever the shape in which it is stored.
    """
    array = np.asarray(array, "float64")
    if not array.any():
        return "zeros"
    deviation = float(array.std())
    known = {
        "√(2/(in + out))": math.sqrt(2 / (fan_in + fan_out)),
        "√(2/(in + 3·out))": math.sqrt(2 / (fan_in + 3 * fan_out)),
        "1/√in": 1 / math.sqrt(fan_in),
        "1/√out": 1 / math.sqrt(fan_out),
        "1/√(3·in)": 1 / math.sqrt(3 * fan_in),
        "0.02": 0.02,
        "0.05/√3": 0.05 / math.sqrt(3),
        "1": 1.0,
    }
    met = [text for text, value in known.items() if abs(deviation / value - 1) < 0.02]
    if not met:
        raise Unknown(f"drawn with a deviation of {deviation} from {fan_in} to {fan_out}")
    return f"{_family(float(abs(array).max()) / deviation)}, σ = {met[0]}"


def _family(largest: float) -> str:
    """The distribution whose largest value is so many deviations: √3, 2 / 0.88, or unbounded."""
    bounds = {"uniform": math.sqrt(3), "truncated normal": 2 / 0.87962566}
    near = [name for name, bound in bounds.items() if abs(largest / bound - 1) < 0.03]
    return near[0] if near else "normal"


def drawn_alike(first: Array, second: Array) -> str:
    """Whether two kernels of one layer start with the same values."""
    return "the same values" if np.array_equal(first, second) else "on its own"


def inputs() -> Array:
    """One sequence of distinct tokens, (1, TOKENS, WIDTH), the same at every call."""
    return np.random.default_rng(0).normal(size=(1, TOKENS, WIDTH)).astype("float32")


def mask_polarity(attend: Attend) -> str:
    """What True in a mask asks for: a key that is attended to, or one that is ignored.

    Under True, True, False, a change of one token changes the others' outputs only where it
    is attended to.
    """
    mask = np.array([[True, True, False]])
    at_true, at_false = (_is_seen(attend, mask, token) for token in (1, 2))
    if at_true == at_false:
        raise Unknown("a mask that makes no difference")
    return "attend" if at_true else "ignore"


def _is_seen(attend: Attend, mask: Array, token: int) -> bool:
    x, changed = inputs(), inputs()
    changed[0, token] += np.arange(WIDTH)
    others = [row for row in range(TOKENS) if row != token]
    difference = np.abs(attend(changed, mask) - attend(x, mask))[0, others]
    return bool(difference.max() > ROUNDING)


def fully_masked_row(attend: Attend) -> str:
    """The output where every key is to be ignored."""
    attended = mask_polarity(attend) == "attend"
    x, shape = inputs(), (1, TOKENS)
    masked = attend(x, np.full(shape, not attended))[0]
    plain = attend(x, np.full(shape, attended))[0]
    if np.isnan(masked).any():
        return "NaN"
    if np.abs(masked).max() < ROUNDING:
        return "zeros"
    if np.abs(masked - masked[0]).max() < ROUNDING:
        return "all keys alike"
    # Scores from which 10,000 is taken keep three digits after the point.
    if np.abs(masked - plain).max() < 100 * ROUNDING:
        return "as without a mask"
    raise Unknown("outputs that are neither alike, nor zeros, nor NaN")


def in_letters(native_mask: Function) -> str:
    """The shape that a mask of keys has to be given in, in B sequences of S tokens."""
    letters = {2: "B", 5: "S", 1: "1"}
    return f"({', '.join(letters[n] for n in native_mask(np.ones((2, 5), bool)).shape)})"


def batch_axis(attend: Function) -> str:
    """Which axis of (2, 2, WIDTH) is the batch: the one across which nothing is seen."""
    x = np.random.default_rng(1).normal(size=(2, 2, WIDTH)).astype("float32")
    changed = x.copy()
    changed[0, 0] += np.arange(WIDTH)
    difference = np.abs(attend(changed) - attend(x)).max(-1) > ROUNDING
    if difference[0, 1] == difference[1, 0]:
        raise Unknown("a token that all others see, or none")
    return "first" if difference[0, 1] else "second"


def width_of(query_entries: Callable[[int, int], int]) -> str:
    """Return whether a layer's width is of one head or of all, from the query kernel's size."""
    meanings = {WIDTH * WIDTH: "all heads", WIDTH * WIDTH * HEADS: "one head"}
    return meanings[query_entries(WIDTH, HEADS)]


def has_biases(count: Callable[[int, int], int]) -> str:
    """Whether the four projections of an attention have biases, from how many entries it has."""
    kernels = 4 * WIDTH * WIDTH
    return {kernels + 4 * WIDTH: "yes", kernels: "no"}[count(WIDTH, HEADS)]


def beyond_layers(count: Callable[[int], int]) -> str:
    """Return what a stack has besides its layers, from stacks of one and of two layers of WIDTH."""
    return {0: "nothing", 2 * WIDTH: "a norm"}[2 * count(1) - count(2)]


def refusal(count: Callable[[int, int], int]) -> str:
    """How 7 features in 2 heads are refused, or what is counted instead of 4·(7·7 + 7).

    Without biases it is instead of 4·7·7.
    """
    try:
        built = count(7, 2)
    except (AssertionError, ValueError, IndexError) as error:
        return type(error).__name__
    bias = 7 if has_biases(count) == "yes" else 0
    return f"builds {built}, not {4 * (7 * 7 + bias)}"


def dropout_default(dropout: Function) -> str:
    """Whether a dropout of ½, just made and called without a word on training, drops."""
    try:
        outputs = dropout(np.ones(1000, "float32"))
    except ValueError:
        return "has to be told"
    return "drops" if (outputs == 0).any() else "does nothing"
