"""The forward pass of the encoder and its heads: Devlin et al. 2018, arXiv:1810.04805.

Details that the paper leaves open follow its code, google-research/bert.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paramproof.formulas.spec import EncoderSpec
from tests.reference.steps import Steps

Array = Any


def forward(
    steps: Steps, spec: EncoderSpec, ids: Array, types: Array, mask: Array
) -> dict[str, Array]:
    """Return the encoder's outputs by kind, for B sequences of S tokens.

    ``sequence`` is (B, S, H), ``pooled`` (B, H), ``mlm`` (B, S, V) and ``nsp`` (B, 2), the last two
    probabilities; heads that ``spec`` does not have are left out. ``mask`` is (B, S), True at
    tokens.
    """
    x = embeddings(steps, ids, types)
    for index in range(spec.num_hidden_layers):
        heads = spec.num_attention_heads
        x = layer(steps, f"layers.{index}", x, mask[:, None, None, :], heads)
    outputs = {"sequence": x}
    if spec.pooler:
        outputs["pooled"] = steps.tanh(steps.linear("pooler", x[:, 0]))
    if spec.mlm_head:
        outputs["mlm"] = mlm_head(steps, x, tied=spec.tie_word_embeddings)
    if spec.nsp_head:
        outputs["nsp"] = steps.softmax(steps.linear("nsp_head.classifier", outputs["pooled"]))
    return outputs


def embeddings(steps: Steps, ids: Array, types: Array) -> Array:
    """Sum token, segment and position embeddings (section 3, figure 2), and normalise.

    Only the code has the norm: modeling.py, ``embedding_postprocessor``.
    """
    tokens = steps.weights["embeddings.word_embeddings.weight"][ids]
    segments = steps.weights["embeddings.token_type_embeddings.weight"][types]
    positions = steps.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    positions = np.broadcast_to(positions, tokens.shape)
    x = steps.add("embedding", tokens, segments, positions)
    return steps.layer_norm("embeddings.layer_norm", x)


def layer(steps: Steps, path: str, x: Array, visible: Array, heads: int) -> Array:
    """LayerNorm(x + Sublayer(x)) twice: Vaswani et al. 2017, section 3.1 (post-norm)."""
    attended = steps.attention(f"{path}.attention", x, visible, heads)
    x = steps.layer_norm(f"{path}.attention_layer_norm", steps.add("sum", x, attended))
    # Section 3.3, equation 2, with BERT's activation (its section A.2).
    outer = steps.feed_forward(f"{path}.feed_forward", x)
    return steps.layer_norm(f"{path}.feed_forward_layer_norm", steps.add("sum", x, outer))


def mlm_head(steps: Steps, x: Array, *, tied: bool) -> Array:
    """Return the probability of every token at every position: section 3.1, task 1.

    Only the code has the transform and the output bias: run_pretraining.py,
    ``get_masked_lm_output``.
    """
    name = "embeddings.word_embeddings.weight" if tied else "mlm_head.decoder.weight"
    x = steps.activation(steps.linear("mlm_head.dense", x))
    x = steps.layer_norm("mlm_head.layer_norm", x)
    scores = steps.product("decoder", x, steps.weights[name].T)
    bias = np.broadcast_to(steps.weights["mlm_head.decoder.bias"], scores.shape)
    return steps.softmax(steps.add("sum", scores, bias))
