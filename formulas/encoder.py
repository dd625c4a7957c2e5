"""The BERT encoder, counted twice: as named tensors and as one polynomial.

The two never call each other; the tests prove them equal symbolically. Both are plain
arithmetic on the letters and never branch on one: indicators are factors.
"""

from __future__ import annotations

from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import EncoderLetters, Quantity
from paramproof.formulas.tensors import Inventory, Tensor
from paramproof.formulas.terms import (
    BERT,
    BERT_CODE,
    TRANSFORMER,
    attention,
    embedding,
    feed_forward,
    layer_norm,
    linear,
    own_or_tied,
    present,
    repeated,
    within,
)


def inventory(letters: EncoderLetters) -> Inventory:
    """Return every tensor of the encoder with these ``letters``, in the order of the forward pass.

    Paths: ``embeddings.…``, ``layers.*.…`` (repeated L times), ``pooler.…``,
    ``mlm_head.…``, ``nsp_head.…``.

    Source: Devlin et al. 2018, section 3 and figure 2. The heads: section 3.1, which mentions
    neither their dense layer nor a bias, and google-research/bert, run_pretraining.py.
    """
    L, H, _, F, V, P, T, pooler, mlm, untied, nsp = letters
    tables = f"{BERT}, section 3, figure 2"
    # The paper's MultiHead has no biases; the code gives one to each of the four projections,
    # and so does every encoder that is compared with this formula.
    biases = f"biases: {BERT_CODE}, modeling.py, attention_layer"
    heads = f"{TRANSFORMER}, section 3.2.2; {biases}"
    # The paper only says that [CLS] is used; the dense layer is in the code.
    pooled = f"{BERT_CODE}, modeling.py, BertModel (pooler)"
    masked = f"{BERT_CODE}, run_pretraining.py, get_masked_lm_output"
    next_sentence = f"{BERT_CODE}, run_pretraining.py, get_next_sentence_output"
    layer = within(
        f"layers.{LAYER}",
        within("attention", attention(H, heads)),
        within("attention_layer_norm", layer_norm(H)),
        within("feed_forward", feed_forward(H, F)),
        within("feed_forward_layer_norm", layer_norm(H)),
    )
    decoder = within("mlm_head.decoder", embedding(V, H, masked))
    tie = {"embeddings.word_embeddings.weight": mlm - untied}
    return Inventory(
        letters,
        (
            *within("embeddings.word_embeddings", embedding(V, H, tables)),
            *within("embeddings.position_embeddings", embedding(P, H, tables)),
            *within("embeddings.token_type_embeddings", embedding(T, H, tables)),
            # The paper does not mention this norm; the code has it (embedding_postprocessor).
            *within("embeddings.layer_norm", layer_norm(H)),
            *repeated(L, layer),
            *present(pooler, within("pooler", linear(H, H, pooled))),
            *present(mlm, within("mlm_head.dense", linear(H, H, masked))),
            *present(mlm, within("mlm_head.layer_norm", layer_norm(H))),
            *own_or_tied(untied, tie, decoder),
            *present(mlm, (Tensor("mlm_head.decoder.bias", (V,), masked),)),
            *present(nsp, within("nsp_head.classifier", linear(H, 2, next_sentence))),
        ),
    )


def closed_form(letters: EncoderLetters) -> Quantity:
    """Return the trainable parameters of the encoder, as one polynomial in the letters.

    (V + P + T)·H + 2H                  embeddings and their norm
    + L·(4H² + 9H + 2HF + F)            layers: attention 4H² + 4H, feed-forward
                                        2HF + F + H, two norms 4H
    + pooler·(H² + H)
    + mlm·(H² + 3H + V) + untied·VH     dense layer, norm, output bias; an untied decoder
    + nsp·(2H + 2)

    The number of heads A does not occur. Counts in ints are exact at any size.

    Source: Devlin et al. 2018, section 3, written out and summed by hand.
    """
    L, H, _, F, V, P, T, pooler, mlm, untied, nsp = letters
    square = H * H
    return (
        (V + P + T + 2) * H
        + L * (4 * square + 9 * H + 2 * H * F + F)
        + pooler * (square + H)
        + mlm * (square + 3 * H + V)
        + untied * (V * H)
        + nsp * (2 * H + 2)
    )
