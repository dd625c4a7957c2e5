"""The decoder of LLaMA, counted twice: as named tensors and as one polynomial."""

from __future__ import annotations

from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import LlamaLetters, Quantity
from paramproof.formulas.tensors import Inventory
from paramproof.formulas.terms import (
    GROUPED,
    LLAMA,
    LLAMA_CODE,
    TRANSFORMER,
    attention,
    embedding,
    gated_feed_forward,
    own_or_tied,
    repeated,
    rms_norm,
    within,
)


def inventory(letters: LlamaLetters) -> Inventory:
    """Return every tensor of the LLaMA with these ``letters``, in the order of the forward pass.

    Paths: ``embeddings.…``, ``layers.*.…`` (repeated L times), ``final_norm.…``,
    ``lm_head.weight``. Rotary positions (Su et al. 2021, arXiv:2104.09864) have no tensors.

    Source: Touvron et al. 2023, section 2.2, and meta-llama/llama, llama/model.py.
    """
    L, H, A, G, K, F, V, untied = letters
    tokens = f"{LLAMA}, section 2.2; {LLAMA_CODE}, Transformer (tok_embeddings)"
    heads = f"{TRANSFORMER}, section 3.2.2; {GROUPED}; {LLAMA_CODE}, Attention (no biases)"
    # The paper does not say whether the head is tied. In the code it is untied; smaller models
    # since tie it.
    logits = f"{LLAMA_CODE}, Transformer (output)"
    layer = within(
        f"layers.{LAYER}",
        within("attention_norm", rms_norm(H)),
        within("attention", attention(H, heads, queries=A * K, keys=G * K, bias=None)),
        within("feed_forward_norm", rms_norm(H)),
        within("feed_forward", gated_feed_forward(H, F)),
    )
    tie = {"embeddings.word_embeddings.weight": 1 - untied}
    return Inventory(
        letters,
        (
            *within("embeddings.word_embeddings", embedding(V, H, tokens)),
            *repeated(L, layer),
            *within("final_norm", rms_norm(H)),
            *own_or_tied(untied, tie, within("lm_head", embedding(V, H, logits))),
        ),
    )


def closed_form(letters: LlamaLetters) -> Quantity:
    """Return the trainable parameters of the LLaMA, as one polynomial in the letters.

    VH                                  tokens
    + L·(2HK·(A + G) + 3HF + 2H)        layers: query and output 2·H·AK, key and value
                                        2·H·GK, gate, up and down 3HF, two norms 2H
    + H                                 the final norm
    + untied·VH                         an untied language head

    If each query head has its own keys (G = A) and the heads split the hidden size (AK = H),
    the attention is 4H², and the number of heads does not occur. Counts in ints are exact at
    any size.

    Source: meta-llama/llama, llama/model.py, written out and summed by hand.
    """
    L, H, A, G, K, F, V, untied = letters
    return V * H + L * (2 * H * K * (A + G) + 3 * H * F + 2 * H) + H + untied * (V * H)
