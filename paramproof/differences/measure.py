"""Measurements of a layer by its outputs and parameters alone, the same for every framework.

A measurement takes a framework's call as a function on NumPy arrays and sizes, which ``ask`` makes,
and returns the answer in the words of the reference. An answer that is none of those known is an
error: a framework that starts to do something else is to be looked at, not described by the
nearest word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from paramproof.builders.protocol import Array

Call: TypeAlias = Callable[..., Any]

WIDTH, HEADS, TOKENS = 12, 3, 3
FAN_IN, FAN_OUT, HEADS_FOR_DRAWS = 300, 3000, 6
"""Large enough for a deviation to be measured within 2 %, and such that no two candidates meet."""

ROUNDING = 1e-4
"""Outputs that differ by less are the same: they are of the size of 1, in float32."""


class Unknown(ValueError):
    """A layer did something that the reference has no word for."""


def epsilon(norm: Call) -> str:
    """Return the number that a layer norm adds to the variance, from its outputs for (−s, s).

    The pair has the variance s² and becomes ±s/√(s² + ε), from which ε follows. Of ever smaller s,
    the one is used whose output is nearest to ½, where rounding matters least.
    """
    scales = [10.0**-power for power in range(10)]
    outputs = {s: float(norm(np.array([[-s, s]], "float32"))[0, 1]) for s in scales}
    scale = min(scales, key=lambda s: abs(outputs[s] - 0.5))
    return f"{scale**2 * (1 / outputs[scale] ** 2 - 1):.2g}"


def activation(function: Call) -> str:
    """Return which activation ``function`` is, from its values at −2, 1 and 2."""
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
    """Return the distribution, and its standard deviation, from which ``array`` was drawn.

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
    # The largest value is so many deviations: √3, 2 / 0.88, or unbounded.
    bounds = {"uniform": math.sqrt(3), "truncated normal": 2 / 0.87962566}
    largest = float(abs(array).max()) / deviation
    near = [name for name, bound in bounds.items() if abs(largest / bound - 1) < 0.03]
    return f"{near[0] if near else 'normal'}, σ = {met[0]}"


def kernel_layout(dense: Call) -> str:
    return {FAN_IN: "(in, out)", FAN_OUT: "(out, in)"}[len(dense(FAN_IN, FAN_OUT)[0])]


def drawn_kernel(dense: Call) -> str:
    return initialiser(dense(FAN_IN, FAN_OUT)[0], FAN_IN, FAN_OUT)


def drawn_bias(dense: Call) -> str:
    return initialiser(dense(FAN_IN, FAN_OUT)[1], FAN_IN, FAN_OUT)


def drawn_table(table: Call) -> str:
    return initialiser(table(FAN_OUT, FAN_IN), FAN_OUT, FAN_IN)


def when_made(dense: Call) -> str:
    """Return when parameters come to be, from a layer of 2 by 3 that was only made."""
    return {0: "by build or init", 2 * 3 + 3: "when made"}[entries(dense(2, 3))]


def rates(dropouts: Call) -> str:
    """Return the rates of dropout: that of outputs, and that of attention weights."""
    texts = ("{}", "attention weights {}")
    found = zip(texts, dropouts(), strict=False)
    return "; ".join(text.format(rate) for text, rate in found if rate is not None)


def norm_place(layer: Call) -> str:
    """Return where an encoder layer has its norms: one that comes last leaves nothing large."""
    return "last" if np.abs(layer(1e4 * inputs())).max() < WIDTH else "first"


def entries(found: Any) -> int:
    """Return the number of entries of all arrays in ``found``, nested; a number is such a sum."""
    if isinstance(found, int | np.integer):
        return int(found)
    if hasattr(found, "shape"):
        return math.prod(map(int, found.shape))
    return sum(map(entries, found.values() if isinstance(found, Mapping) else found))


def inputs() -> Array:
    """Return a sequence of distinct tokens, (1, TOKENS, WIDTH), the same at every call."""
    return np.random.default_rng(0).normal(size=(1, TOKENS, WIDTH)).astype("float32")


def mask_polarity(attend: Call, native: Call) -> str:
    """Return what True in a mask asks for: a key that is attended to, or one that is ignored.

    Under True, True, False, a change of one token changes the others' outputs only where it
    is attended to. ``native`` gives a mask of (B, S) the shape that ``attend`` takes.
    """
    mask = np.array([[True, True, False]])
    at_true, at_false = (_is_seen(attend, native(mask), token) for token in (1, 2))
    if at_true == at_false:
        raise Unknown("a mask that makes no difference")
    return "attend" if at_true else "ignore"


def _is_seen(attend: Call, mask: Array, token: int) -> bool:
    x, changed = inputs(), inputs()
    changed[0, token] += np.arange(WIDTH)
    others = [row for row in range(TOKENS) if row != token]
    difference = np.abs(attend(changed, mask) - attend(x, mask))[0, others]
    return bool(difference.max() > ROUNDING)


def fully_masked_row(attend: Call, native: Call) -> str:
    """Return the output where every key is to be ignored."""
    attended = mask_polarity(attend, native) == "attend"
    x, shape = inputs(), (1, TOKENS)
    masked = attend(x, native(np.full(shape, not attended)))[0]
    plain = attend(x, native(np.full(shape, attended)))[0]
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


def mask_shape(native: Call) -> str:
    """Return the shape in which B sequences of S tokens have their mask of keys."""
    letters = {2: "B", 5: "S", 1: "1"}
    return f"({', '.join(letters[n] for n in native(np.ones((2, 5), bool)).shape)})"


def batch_axis(attend: Call) -> str:
    """Return which axis of (2, 2, WIDTH) is the batch: the one across which nothing is seen."""
    x = np.random.default_rng(1).normal(size=(2, 2, WIDTH)).astype("float32")
    changed = x.copy()
    changed[0, 0] += np.arange(WIDTH)
    difference = np.abs(attend(changed) - attend(x)).max(-1) > ROUNDING
    if difference[0, 1] == difference[1, 0]:
        raise Unknown("a token that all others see, or none")
    return "first" if difference[0, 1] else "second"


def width_of(attention: Call) -> str:
    """Return whether an attention's width is of one head or of all, from its query's kernel."""
    meanings = {WIDTH * WIDTH: "all heads", WIDTH * WIDTH * HEADS: "one head"}
    return meanings[entries(attention(WIDTH, HEADS, WIDTH)[0])]


def as_wide(attention: Call, features: int, heads: int, width: int) -> Any:
    """Return the query's kernel, the key's and all parameters, where all heads are so wide."""
    each = width // heads if width_of(attention) == "one head" else width
    return attention(features, heads, each)


def drawn_query(attention: Call) -> str:
    """Return what a query's kernel is drawn from; some frameworks have a width of its outputs."""
    query = as_wide(attention, FAN_IN, HEADS_FOR_DRAWS, FAN_OUT)[0]
    return initialiser(query, FAN_IN, query.size // FAN_IN)


def drawn_key(attention: Call) -> str:
    query, key, _ = as_wide(attention, FAN_IN, HEADS_FOR_DRAWS, FAN_OUT)
    return "the same values" if np.array_equal(query, key) else "on its own"


def has_biases(attention: Call) -> str:
    """Return whether the four projections have biases, from how many entries there are."""
    kernels = 4 * WIDTH * WIDTH
    known = {kernels + 4 * WIDTH: "yes", kernels: "no"}
    return known[entries(as_wide(attention, WIDTH, HEADS, WIDTH)[2])]


def refusal(attention: Call) -> str:
    """Return how 7 features in 2 heads are refused, or what is counted instead of 4·(7·7 + 7).

    Without biases it is instead of 4·7·7.
    """
    try:
        built = entries(as_wide(attention, 7, 2, 7)[2])
    except (AssertionError, ValueError, IndexError) as error:
        return type(error).__name__
    bias = 7 if has_biases(attention) == "yes" else 0
    return f"builds {built}, not {4 * (7 * 7 + bias)}"


def beyond_layers(stack: Call) -> str:
    """Return what a stack has besides its layers, from stacks of one and of two layers of WIDTH."""
    return {0: "nothing", 2 * WIDTH: "a norm"}[2 * entries(stack(1)) - entries(stack(2))]


def padding(table: Call) -> str:
    """Return what token 0 is, from its mask beside token 1, or from its row of the table.

    A row that is kept for padding has no gradient, and is not drawn: either may be given.
    """
    found = table(5, WIDTH)
    if found is not None and found.dtype != bool:
        return "as any other" if found[0].any() else "a row that is never trained"
    return "as any other" if found is None or found[0, 0] else "masked"


def dropout_default(dropout: Call) -> str:
    """Return whether a dropout of ½, just made and called without a word on training, drops."""
    try:
        outputs = dropout(np.ones(1000, "float32"))
    except ValueError:
        return "raises an error"
    return "drops" if (outputs == 0).any() else "does nothing"
