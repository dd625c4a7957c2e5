"""The families of this package, each counted twice: as named tensors and as one polynomial.

The two never call each other; the tests prove them equal symbolically. Both are plain arithmetic on
the letters and never branch on one: indicators are factors. A family's inventory lists its tensors
in the order of the forward pass, and ``closed_form`` is the same count, summed by hand.
"""

from __future__ import annotations

from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import (
    EncoderDecoderLetters,
    EncoderLetters,
    GPTLetters,
    LlamaLetters,
    Quantity,
)
from paramproof.formulas.tensors import Inventory, Tensor
from paramproof.formulas.terms import (
    TRANSFORMER,
    Tensors,
    attention,
    embedding,
    feed_forward,
    gated_feed_forward,
    layer_norm,
    linear,
    own_or_tied,
    positions,
    present,
    repeated,
    rms_norm,
    within,
)

BERT = "Devlin et al. 2018, arXiv:1810.04805"
BERT_CODE = "google-research/bert"
GPT_1 = "Radford et al. 2018, Improving Language Understanding by Generative Pre-Training"
GPT_CODE = "openai/gpt-2, src/model.py"
LLAMA = "Touvron et al. 2023, arXiv:2302.13971"
LLAMA_CODE = "meta-llama/llama, llama/model.py"
GROUPED = "Ainslie et al. 2023, arXiv:2305.13245, section 2.2"

WORDS = "embeddings.word_embeddings.weight"
SOURCE_TABLE = f"encoder.{WORDS}"
TARGET_TABLE = f"decoder.{WORDS}"


def encoder_inventory(letters: EncoderLetters) -> Inventory:
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
    tie = {WORDS: mlm - untied}
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


def encoder_closed_form(letters: EncoderLetters) -> Quantity:
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


def encoder_decoder_inventory(letters: EncoderDecoderLetters) -> Inventory:
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


def encoder_decoder_closed_form(letters: EncoderDecoderLetters) -> Quantity:
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


def gpt_inventory(letters: GPTLetters) -> Inventory:
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
    tie = {WORDS: 1 - untied}
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


def gpt_closed_form(letters: GPTLetters) -> Quantity:
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


def llama_inventory(letters: LlamaLetters) -> Inventory:
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
    tie = {WORDS: 1 - untied}
    return Inventory(
        letters,
        (
            *within("embeddings.word_embeddings", embedding(V, H, tokens)),
            *repeated(L, layer),
            *within("final_norm", rms_norm(H)),
            *own_or_tied(untied, tie, within("lm_head", embedding(V, H, logits))),
        ),
    )


def llama_closed_form(letters: LlamaLetters) -> Quantity:
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
