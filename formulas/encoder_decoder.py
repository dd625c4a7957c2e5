"""The Transformer of 2017, counted twice: as named tensors and as one polynomial."""

from __future__ import annotations

from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import EncoderDecoderLetters, Quantity
from paramproof.formulas.tensors import Inventory
from paramproof.formulas.terms import (
    TRANSFORMER,
    Tensors,
    attention,
    embedding,
    feed_forward,
    layer_norm,
    own_or_tied,
    positions,
    repeated,
    within,
)

SOURCE_TABLE = "encoder.embeddings.word_embeddings.weight"
TARGET_TABLE = "decoder.embeddings.word_embeddings.weight"


def inventory(letters: EncoderDecoderLetters) -> Inventory:
    """Return every tensor of the Transformer with these ``letters``, in forward-pass order.

    Paths: ``encoder.embeddings.…``, ``encoder.layers.*.…`` (repeated N times),
    ``decoder.embeddings.…``, ``decoder.layers.*.…`` (repeated M times), ``lm_head.weight``.
    The norms follow the residual sums, so no stack has a final norm.

    Source: Vaswani et al. 2017, section 3 and figure 1.
    """
    N, M, H, _, F, V, U, P, shared, learned, bias, untied = letters
    source = f"{TRANSFORMER}, section 3.4"
    tokens = embedding(U, H, source)
    # If both are tied, the decoder's table and the output projection are the encoder's table.
    own, tied = 1 - shared, 1 - untied
    table = own_or_tied(own, {SOURCE_TABLE: shared}, within("word_embeddings", tokens))
    ties = {SOURCE_TABLE: tied * shared, TARGET_TABLE: tied * own}
    places = positions(P, H, learned, f"{TRANSFORMER}, section 3.5")

    def attended(name: str, clause: str) -> Tensors:
        # Neither the paper's MultiHead nor tensor2tensor's has biases.
        projections = attention(H, f"{TRANSFORMER}, section 3.2.2 and {clause}", bias=bias)
        return (*within(name, projections), *within(f"{name}_layer_norm", layer_norm(H)))

    fed_forward = (
        *within("feed_forward", feed_forward(H, F)),
        *within("feed_forward_layer_norm", layer_norm(H)),
    )
    encoder = within(
        f"encoder.layers.{LAYER}",
        attended("attention", "section 3.2.3, second bullet"),
        fed_forward,
    )
    decoder = within(
        f"decoder.layers.{LAYER}",
        attended("attention", "section 3.2.3, third bullet"),
        attended("cross_attention", "section 3.2.3, first bullet"),
        fed_forward,
    )
    return Inventory(
        letters,
        (
            *within("encoder.embeddings.word_embeddings", embedding(V, H, source)),
            *within("encoder.embeddings.position_embeddings", places),
            *repeated(N, encoder),
            *within("decoder.embeddings", table, within("position_embeddings", places)),
            *repeated(M, decoder),
            *own_or_tied(untied, ties, within("lm_head", tokens)),
        ),
    )


def closed_form(letters: EncoderDecoderLetters) -> Quantity:
    """Return the trainable parameters of the Transformer, as one polynomial in the letters.

    VH + (1 − shared)·UH                token tables of source and target
    + untied·UH                         an untied output projection
    + learned·2PH                       a table of positions on each side
    + N·(4H² + 2HF + F + 5H + bias·4H)  encoder layers: attention 4H² + bias·4H,
                                        feed-forward 2HF + F + H, two norms 4H
    + M·(8H² + 2HF + F + 7H + bias·8H)  decoder layers: two attentions 8H² + bias·8H,
                                        feed-forward 2HF + F + H, three norms 6H

    The number of heads A does not occur. Counts in ints are exact at any size.

    Source: Vaswani et al. 2017, section 3, written out and summed by hand.
    """
    N, M, H, _, F, V, U, P, shared, learned, bias, untied = letters
    square, inner = H * H, 2 * H * F + F
    return (
        V * H
        + (1 - shared) * (U * H)
        + untied * (U * H)
        + learned * (2 * P * H)
        + N * (4 * square + inner + 5 * H + bias * (4 * H))
        + M * (8 * square + inner + 7 * H + bias * (8 * H))
    )
