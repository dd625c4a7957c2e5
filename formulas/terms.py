"""The parts a transformer is made of: which tensors each one has, and where that is said.

Each function returns the tensors of one part, paths relative to it. Shapes are canonical:
a kernel is (in, out), a table has a row per entry.
"""

from __future__ import annotations

from formulas.inventory import Tensor
from formulas.spec import Quantity

Part = tuple[Tensor, ...]

TRANSFORMER = "Vaswani et al. 2017, arXiv:1706.03762"
BERT = "Devlin et al. 2018, arXiv:1810.04805"
BERT_CODE = "google-research/bert"
LAYER_NORM = "Ba et al. 2016, arXiv:1607.06450, section 3"


def within(component: str, *parts: Part) -> Part:
    """The tensors of ``parts``, in order, as the component ``component``."""
    return tuple(tensor.under(component) for part in parts for tensor in part)


def linear(inputs: Quantity, outputs: Quantity, source: str) -> Part:
    """A dense layer: kernel (inputs, outputs) and bias (outputs).

    Count: inputs·outputs + outputs.
    """
    return (
        Tensor("kernel", (inputs, outputs), source),
        Tensor("bias", (outputs,), source),
    )


def layer_norm(width: Quantity) -> Part:
    """Layer normalisation: a gain and a bias for each feature, both (width).

    Count: 2·width. The mean and the variance are computed, not learned.

    Source: Ba et al. 2016, section 3, which calls them gain g and bias b.
    """
    return (
        Tensor("scale", (width,), LAYER_NORM),
        Tensor("bias", (width,), LAYER_NORM),
    )


def embedding(rows: Quantity, width: Quantity, source: str) -> Part:
    """A table of learned vectors, (rows, width). Count: rows·width."""
    return (Tensor("weight", (rows, width), source),)


def attention(width: Quantity) -> Part:
    """Multi-head self-attention: query, key, value and output projections.

    Count: 4·(width² + width), however many heads: the A heads of width/A each are
    column blocks of one kernel.

    Source: Vaswani et al. 2017, section 3.2.2. The paper's MultiHead has no biases;
    BERT's code (modeling.py, ``attention_layer`` and ``transformer_model``) gives one to
    each of the four projections, and so does every encoder held to this formula.
    """
    source = f"{TRANSFORMER}, section 3.2.2; biases: {BERT_CODE}, modeling.py, attention_layer"
    projections = ("query", "key", "value", "output")
    return sum((within(name, linear(width, width, source)) for name in projections), ())


def feed_forward(width: Quantity, inner: Quantity) -> Part:
    """Position-wise feed-forward network: width to inner and back.

    Count: 2·width·inner + inner + width.

    Source: Vaswani et al. 2017, section 3.3, equation 2 (b1 and b2 are its biases).
    """
    source = f"{TRANSFORMER}, section 3.3, equation 2"
    return (
        *within("intermediate", linear(width, inner, source)),
        *within("output", linear(inner, width, source)),
    )
