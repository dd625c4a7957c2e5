"""The decoder of GPT-2 and GPT-3, counted twice: as named tensors and as one polynomial."""

from __future__ import annotations

from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import GPTLetters, Quantity
from paramproof.formulas.tensors import Inventory
from paramproof.formulas.terms import (
    GPT_1,
    GPT_CODE,
    TRANSFORMER,
    attention,
    embedding,
    feed_forward,
    layer_norm,
    own_or_tied,
    repeated,
    within,
)


def inventory(letters: GPTLetters) -> Inventory:
    """Return every tensor of the GPT with these ``letters``, in the order of the forward pass.

    Paths: ``embeddings.…``, ``layers.*.…`` (repeated L times), ``final_layer_norm.…``,
    ``lm_head.weight``.

    Source: Radford et al. 2019, section 2.3, for the place of the norms, and openai/gpt-2,
    src/model.py. GPT-3 has the same parts: Brown et al. 2020, arXiv:2005.14165, section 2.1
    (its attention is sparse in every other layer, which removes no parameter).
    """
    L, H, _, F, V, P, untied = letters
    tables = f"{GPT_CODE}, model (wte and wpe)"
    heads = f"{TRANSFORMER}, section 3.2.2; biases: {GPT_CODE}, attn (conv1d)"
    # The GPT-2 paper refers to the GPT paper; only that and the code say that the table is tied.
    logits = f"{GPT_1}, section 3.1, equation 2; {GPT_CODE}, model (logits)"
    layer = within(
        f"layers.{LAYER}",
        within("attention_layer_norm", layer_norm(H)),
        within("attention", attention(H, heads)),
        within("feed_forward_layer_norm", layer_norm(H)),
        within("feed_forward", feed_forward(H, F)),
    )
    tie = {"embeddings.word_embeddings.weight": 1 - untied}
    return Inventory(
        letters,
        (
            *within("embeddings.word_embeddings", embedding(V, H, tables)),
            *within("embeddings.position_embeddings", embedding(P, H, tables)),
            *repeated(L, layer),
            *within("final_layer_norm", layer_norm(H)),
            *own_or_tied(untied, tie, within("lm_head", embedding(V, H, logits))),
        ),
    )


def closed_form(letters: GPTLetters) -> Quantity:
    """Return the trainable parameters of the GPT, as one polynomial in the letters.

    (V + P)·H                           tokens and learned positions
    + L·(4H² + 9H + 2HF + F)            layers: attention 4H² + 4H, feed-forward
                                        2HF + F + H, two norms 4H
    + 2H                                the final norm
    + untied·VH                         an untied language head

    The number of heads A does not occur. Counts in ints are exact at any size.

    Source: openai/gpt-2, src/model.py, written out and summed by hand.
    """
    L, H, _, F, V, P, untied = letters
    return (V + P) * H + L * (4 * (H * H) + 9 * H + 2 * H * F + F) + 2 * H + untied * (V * H)
