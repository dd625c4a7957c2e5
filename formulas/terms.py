"""The parts of a transformer: the tensors of each, with their sources.

Each function returns the tensors of one part, with paths relative to it. Shapes are canonical:
a kernel is (in, out), a table has a row per entry. Families share these functions, and pass
widths and sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from paramproof.formulas.spec import Quantity
from paramproof.formulas.tensors import Tensor

Tensors = tuple[Tensor, ...]

TRANSFORMER = "Vaswani et al. 2017, arXiv:1706.03762"
LAYER_NORM = "Ba et al. 2016, arXiv:1607.06450, section 3"
RMS_NORM = "Zhang and Sennrich 2019, arXiv:1910.07467, section 4, equation 4"
GATED = "Shazeer 2020, arXiv:2002.05202, section 2, equation 6"


def within(component: str, *parts: Tensors) -> Tensors:
    """Return the tensors of ``parts``, in order, with paths within ``component``."""
    return tuple(tensor.under(component) for part in parts for tensor in part)


def repeated(times: Quantity, part: Tensors) -> Tensors:
    """Return ``part``, whose paths have a ``*``, repeated in ``times`` layers."""
    return tuple(replace(tensor, repeat=times) for tensor in part)


def present(indicator: Quantity, part: Tensors) -> Tensors:
    return tuple(replace(tensor, present=tensor.present * indicator) for tensor in part)


def tied(target: str, part: Tensors) -> Tensors:
    """Return ``part`` tied to the storage of ``target``, so that it adds nothing."""
    return tuple(replace(tensor, tied_to=target) for tensor in part)


def own_or_tied(own: Quantity, ties: Mapping[str, Quantity], part: Tensors) -> Tensors:
    """Return ``part`` with its own storage, or tied to one of the tensors in ``ties``.

    Exactly one indicator may be 1: ``own``, or the value for one target in ``ties``. If all are 0,
    the part is absent.
    """
    shared = (present(indicator, tied(target, part)) for target, indicator in ties.items())
    return sum(shared, present(own, part))


def linear(inputs: Quantity, outputs: Quantity, source: str, bias: Quantity | None = 1) -> Tensors:
    """Return a dense layer: kernel (inputs, outputs) and bias (outputs).

    Count: inputs·outputs + bias·outputs. ``bias`` is an indicator, or None if no model of the
    family has a bias.
    """
    kernel = (Tensor("kernel", (inputs, outputs), source),)
    if bias is None:
        return kernel
    return (*kernel, *present(bias, (Tensor("bias", (outputs,), source),)))


def layer_norm(width: Quantity) -> Tensors:
    """Return layer normalisation: a gain and a bias for each feature, both (width).

    Count: 2·width. The mean and the variance are computed, not learned.

    Source: Ba et al. 2016, section 3, which calls them gain g and bias b.
    """
    return (
        Tensor("scale", (width,), LAYER_NORM),
        Tensor("bias", (width,), LAYER_NORM),
    )


def rms_norm(width: Quantity) -> Tensors:
    """Return root-mean-square normalisation: a gain for each feature, (width), and no bias.

    Count: width.

    Source: Zhang and Sennrich 2019, section 4, equation 4, which calls it gain g.
    """
    return (Tensor("scale", (width,), RMS_NORM),)


def embedding(rows: Quantity, width: Quantity, source: str) -> Tensors:
    """Return a table of learned vectors, (rows, width). Count: rows·width."""
    return (Tensor("weight", (rows, width), source),)


def positions(rows: Quantity, width: Quantity, learned: Quantity, source: str) -> Tensors:
    """Return a table of vectors for positions, (rows, width): learned, or fixed sinusoids.

    Count: learned·rows·width. A fixed table is not trainable, and a model may compute it instead
    of storing it.

    Source: Vaswani et al. 2017, section 3.5, which tried both.
    """
    table = embedding(rows, width, source)
    fixed = tuple(replace(tensor, trainable=False) for tensor in table)
    return (*present(learned, table), *present(1 - learned, fixed))


def attention(
    width: Quantity,
    source: str,
    *,
    queries: Quantity | None = None,
    keys: Quantity | None = None,
    bias: Quantity | None = 1,
) -> Tensors:
    """Return multi-head attention: query, key, value and output projections.

    ``queries`` is the total width of the query heads (default: ``width``), and ``keys`` that of the
    key heads, and of the value heads (default: ``queries``).

    Count: 2·width·queries + 2·width·keys + bias·(queries + 2·keys + width). If all widths are
    equal, this is 4·width² + bias·4·width for any number of heads: A heads of width/A each are
    column blocks of one kernel.

    Source: Vaswani et al. 2017, section 3.2.2. The paper's MultiHead has no biases. Fewer
    key heads than query heads: Ainslie et al. 2023, section 2.2.
    """
    inner = width if queries is None else queries
    shared = inner if keys is None else keys
    return (
        *within("query", linear(width, inner, source, bias)),
        *within("key", linear(width, shared, source, bias)),
        *within("value", linear(width, shared, source, bias)),
        *within("output", linear(inner, width, source, bias)),
    )


def feed_forward(width: Quantity, inner: Quantity) -> Tensors:
    """Return a position-wise feed-forward network: width to inner and back.

    Count: 2·width·inner + inner + width.

    Source: Vaswani et al. 2017, section 3.3, equation 2 (b1 and b2 are its biases).
    """
    source = f"{TRANSFORMER}, section 3.3, equation 2"
    return (
        *within("intermediate", linear(width, inner, source)),
        *within("output", linear(inner, width, source)),
    )


def gated_feed_forward(width: Quantity, inner: Quantity) -> Tensors:
    """Return a gated feed-forward network: two projections to inner, multiplied, and one back.

    Count: 3·width·inner. The paper omits the biases.

    Source: Shazeer 2020, section 2, equation 6, FFN_SwiGLU (W is the gate, V up, W2 down).
    """
    return (
        *within("gate", linear(width, inner, GATED, bias=None)),
        *within("up", linear(width, inner, GATED, bias=None)),
        *within("down", linear(inner, width, GATED, bias=None)),
    )
