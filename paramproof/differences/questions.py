"""The questions to every framework, and how the answers are measured.

A probe answers a question with the function that is named here. It has no such function if its
framework has nothing to measure. The function's docstring names what it ran.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from paramproof.differences import measure
from paramproof.differences.measure import FAN_IN, FAN_OUT

NORMS = (
    "embeddings.layer_norm",
    "layers.*.attention_layer_norm",
    "layers.*.feed_forward_layer_norm",
    "mlm_head.layer_norm",
)
ATTENTION = ("layers.*.attention",)
FEED_FORWARD = ("layers.*.feed_forward", "mlm_head.dense")
TABLES = (
    "embeddings.word_embeddings",
    "embeddings.position_embeddings",
    "embeddings.token_type_embeddings",
)
DENSE = (*FEED_FORWARD, "pooler", "nsp_head")
LAYERS = (*ATTENTION, *FEED_FORWARD, *NORMS)


class Question(NamedTuple):
    """A line of the reference.

    ``function`` is the probe's, and ``answer`` makes text of it. ``components`` are those that
    the question is about.
    """

    text: str
    function: str
    answer: Callable[[Any], str]
    components: tuple[str, ...] = ()


COUNTS = {
    "total": "parameters",
    "weights": "weights",
    "trainable": "trainable weights",
    "tabulate": "a printed table",
    "state": "all that a model keeps",
    "tied_each": "tied ones each time",
    "buffers": "buffers",
    "rng": "keys and counters of random numbers",
    "frozen_total": "parameters, some frozen",
    "frozen": "what is left to train",
    "without_tables": "parameters without embeddings",
    "unbuilt": "a model not yet built",
    "bare": "a bare encoder",
    "bare_trainable": "what of it is trainable",
    "dropout": "what one dropout adds",
    "dropout_total": "what of it are parameters",
    "optimizer": "what Adam keeps",
}
"""What there is to count, in order; a probe says how its framework does it."""

QUESTIONS = {
    "layer_norm_eps": Question(
        "what a layer norm adds to the variance", "norm", measure.epsilon, NORMS
    ),
    "gelu": Question(
        "the function called gelu, without arguments", "gelu", measure.activation, FEED_FORWARD
    ),
    "gelu.ops": Question(
        "a second function called gelu", "ops_gelu", measure.activation, FEED_FORWARD
    ),
    "activation": Question(
        "an encoder layer's activation", "encoder_activation", measure.activation, FEED_FORWARD
    ),
    "steps": Question(
        "an encoder layer, step by step", "encoder_steps", lambda steps: " → ".join(steps()), LAYERS
    ),
    "dropout.rate": Question("the rate of dropout", "dropout_rate", lambda rate: rate(), LAYERS),
    "dropout.unasked": Question(
        "what dropout does if nothing is said of training",
        "dropout",
        measure.dropout_default,
        LAYERS,
    ),
    "dense.kernel": Question(
        "how a dense kernel is stored",
        "dense",
        lambda dense: {FAN_IN: "(in, out)", FAN_OUT: "(out, in)"}[len(dense()[0])],
        (*DENSE, *ATTENTION),
    ),
    "bias": Question(
        "whether a projection has a bias",
        "dense",
        lambda dense: "yes" if dense()[1] is not None else "no",
        (*DENSE, *ATTENTION),
    ),
    "stack": Question(
        "what an encoder stack has beyond its layers",
        "stack_entries",
        measure.beyond_layers,
        NORMS[2:3],
    ),
    "initialiser.kernel": Question(
        "what a dense kernel is drawn from",
        "dense",
        lambda dense: measure.initialiser(dense()[0], FAN_IN, FAN_OUT),
        DENSE,
    ),
    "initialiser.bias": Question(
        "what a dense bias is drawn from",
        "dense",
        lambda dense: measure.initialiser(dense()[1], FAN_IN, FAN_OUT),
        DENSE,
    ),
    "initialiser.query": Question(
        "what a query's kernel is drawn from",
        "query_and_key",
        lambda kernels: measure.initialiser(kernels()[0], FAN_IN, kernels()[2]),
        ATTENTION,
    ),
    "initialiser.key": Question(
        "how a key's kernel is drawn, beside a query's",
        "query_and_key",
        lambda kernels: measure.drawn_alike(*kernels()[:2]),
        ATTENTION,
    ),
    "initialiser.table": Question(
        "what a table of tokens is drawn from",
        "table",
        lambda table: measure.initialiser(table(), FAN_OUT, FAN_IN),
        TABLES,
    ),
    "padding_token": Question(
        "what token 0 is to a table", "padding_token", lambda special: special(), TABLES[:1]
    ),
    "attention.bias": Question(
        "whether an attention's projections have biases",
        "attention_entries",
        measure.has_biases,
        ATTENTION,
    ),
    "attention.width": Question(
        "what the width given to an attention is that of",
        "query_entries",
        measure.width_of,
        ATTENTION,
    ),
    "attention.heads": Question(
        "what comes of 7 features in 2 heads", "attention_entries", measure.refusal, ATTENTION
    ),
    "attention.batch_axis": Question(
        "which axis of an attention's input is the batch",
        "attend_batch",
        measure.batch_axis,
        ATTENTION,
    ),
    "mask.true": Question(
        "what True in a mask asks for", "attend", measure.mask_polarity, ATTENTION
    ),
    "mask.shape": Question(
        "the shape of a mask of B sequences of S keys", "key_mask", measure.in_letters, ATTENTION
    ),
    "mask.nothing": Question(
        "how a query attends whose keys are all masked",
        "attend",
        measure.fully_masked_row,
        ATTENTION,
    ),
    "dtype": Question("the type of a parameter", "dense", lambda dense: str(dense()[0].dtype), ()),
    "made": Question(
        "when parameters come to be",
        "fresh_entries",
        lambda entries: {0: "by build or init", 2 * 3 + 3: "when made"}[entries(2, 3)],
    ),
}
