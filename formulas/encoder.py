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
    Tensors,
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
    return Inventory(
        letters,
        (
            *_embeddings(letters),
            *repeated(letters.L, _layer(letters)),
            *present(letters.pooler, _pooler(letters)),
            *_mlm_head(letters),
            *present(letters.nsp, _nsp_head(letters)),
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


def _embeddings(letters: EncoderLetters) -> Tensors:
    source = f"{BERT}, section 3, figure 2"
    return within(
        "embeddings",
        within("word_embeddings", embedding(letters.V, letters.H, source)),
        within("position_embeddings", embedding(letters.P, letters.H, source)),
        within("token_type_embeddings", embedding(letters.T, letters.H, source)),
        # The paper does not mention this norm; the code has it (embedding_postprocessor).
        within("layer_norm", layer_norm(letters.H)),
    )


def _layer(letters: EncoderLetters) -> Tensors:
    # The paper's MultiHead has no biases; the code gives one to each of the four projections,
    # and so does every encoder that is compared with this formula.
    biases = f"biases: {BERT_CODE}, modeling.py, attention_layer"
    source = f"{TRANSFORMER}, section 3.2.2; {biases}"
    return within(
        f"layers.{LAYER}",
        within("attention", attention(letters.H, source)),
        within("attention_layer_norm", layer_norm(letters.H)),
        within("feed_forward", feed_forward(letters.H, letters.F)),
        within("feed_forward_layer_norm", layer_norm(letters.H)),
    )


def _pooler(letters: EncoderLetters) -> Tensors:
    # The paper only says that [CLS] is used; the dense layer is in the code.
    source = f"{BERT_CODE}, modeling.py, BertModel (pooler)"
    return within("pooler", linear(letters.H, letters.H, source))


def _mlm_head(letters: EncoderLetters) -> Tensors:
    """Return the masked-language head; its decoder is a (V, H) table, tied or untied."""
    source = f"{BERT_CODE}, run_pretraining.py, get_masked_lm_output"
    decoder = within("mlm_head.decoder", embedding(letters.V, letters.H, source))
    tie = {"embeddings.word_embeddings.weight": letters.mlm - letters.untied}
    return (
        *present(
            letters.mlm,
            within(
                "mlm_head",
                within("dense", linear(letters.H, letters.H, source)),
                within("layer_norm", layer_norm(letters.H)),
            ),
        ),
        *own_or_tied(letters.untied, tie, decoder),
        *present(letters.mlm, (Tensor("mlm_head.decoder.bias", (letters.V,), source),)),
    )


def _nsp_head(letters: EncoderLetters) -> Tensors:
    source = f"{BERT_CODE}, run_pretraining.py, get_next_sentence_output"
    return within("nsp_head.classifier", linear(letters.H, 2, source))
