"""The families of this package, each counted twice, and the parts of which they are made.

A part is a function that returns tensors with their sources, and paths relative to it. Families
share parts, and pass widths and sources. Shapes are canonical: a kernel is (in, out), a table has a
row per entry.

Each family is counted as named tensors, in the order of the forward pass, and as one polynomial,
summed by hand. The two never call each other; the tests prove them equal symbolically. Both are
plain arithmetic on the letters and never branch on one: indicators are factors. Counts in ints are
exact at any size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import (
    EncoderDecoderLetters,
    EncoderLetters,
    GPTLetters,
    LlamaLetters,
    Quantity,
)
from paramproof.formulas.tensors import Inventory, Tensor

Tensors = tuple[Tensor, ...]

TRANSFORMER = "Vaswani et al. 2017, arXiv:1706.03762"
LAYER_NORM = "Ba et al. 2016, arXiv:1607.06450, section 3"
RMS_NORM = "Zhang and Sennrich 2019, arXiv:1910.07467, section 4, equation 4"
GATED = "Shazeer 2020, arXiv:2002.05202, section 2, equation 6"


def within(component: str, *parts: Tensors) -> Tensors:
    """Return the tensors of ``parts``, in order, with paths within ``component``."""
    return tuple(replace(one, path=f"{component}.{one.path}") for part in parts for one in part)


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
    return (Tensor("scale", (width,), LAYER_NORM), Tensor("bias", (width,), LAYER_NORM))


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
    tensors = (
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
    )
    return Inventory(letters, tensors)


def encoder_closed_form(letters: EncoderLetters) -> Quantity:
    """Return the trainable parameters of the encoder, as one polynomial in the letters.

    (V + P + T)·H + 2H                  embeddings and their norm
    + L·(4H² + 9H + 2HF + F)            layers: attention 4H² + 4H, feed-forward
                                        2HF + F + H, two norms 4H
    + pooler·(H² + H)
    + mlm·(H² + 3H + V) + untied·VH     dense layer, norm, output bias; an untied decoder
    + nsp·(2H + 2)

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

    def attended(name: str, bullet: str) -> Tensors:
        # Neither the paper's MultiHead nor tensor2tensor's has biases.
        clauses = f"{TRANSFORMER}, section 3.2.2 and section 3.2.3, {bullet} bullet"
        projections = attention(H, clauses, bias=bias)
        return (*within(name, projections), *within(f"{name}_layer_norm", layer_norm(H)))

    fed_forward = (
        *within("feed_forward", feed_forward(H, F)),
        *within("feed_forward_layer_norm", layer_norm(H)),
    )
    encoder = within(f"encoder.layers.{LAYER}", attended("attention", "second"), fed_forward)
    decoder = within(
        f"decoder.layers.{LAYER}",
        attended("attention", "third"),
        attended("cross_attention", "first"),
        fed_forward,
    )
    tensors = (
        *within("encoder.embeddings.word_embeddings", embedding(V, H, source)),
        *within("encoder.embeddings.position_embeddings", places),
        *repeated(N, encoder),
        *within("decoder.embeddings", table, within("position_embeddings", places)),
        *repeated(M, decoder),
        *own_or_tied(untied, ties, within("lm_head", tokens)),
    )
    return Inventory(letters, tensors)


def encoder_decoder_closed_form(letters: EncoderDecoderLetters) -> Quantity:
    """Return the trainable parameters of the Transformer, as one polynomial in the letters.

    VH + (1 − shared)·UH                token tables of source and target
    + untied·UH                         an untied output projection
    + learned·2PH                       a table of positions on each side
    + N·(4H² + 2HF + F + 5H + bias·4H)  encoder layers: attention 4H² + bias·4H,
                                        feed-forward 2HF + F + H, two norms 4H
    + M·(8H² + 2HF + F + 7H + bias·8H)  decoder layers: two attentions 8H² + bias·8H,
                                        feed-forward 2HF + F + H, three norms 6H

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
    tensors = (
        *within("embeddings.word_embeddings", embedding(V, H, tables)),
        *within("embeddings.position_embeddings", embedding(P, H, tables)),
        *repeated(L, layer),
        *within("final_layer_norm", layer_norm(H)),
        *own_or_tied(untied, tie, within("lm_head", embedding(V, H, logits))),
    )
    return Inventory(letters, tensors)


def gpt_closed_form(letters: GPTLetters) -> Quantity:
    """Return the trainable parameters of the GPT, as one polynomial in the letters.

    (V + P)·H                           tokens and learned positions
    + L·(4H² + 9H + 2HF + F)            layers: attention 4H² + 4H, feed-forward
                                        2HF + F + H, two norms 4H
    + 2H                                the final norm
    + untied·VH                         an untied language head

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
    tensors = (
        *within("embeddings.word_embeddings", embedding(V, H, tokens)),
        *repeated(L, layer),
        *within("final_norm", rms_norm(H)),
        *own_or_tied(untied, tie, within("lm_head", embedding(V, H, logits))),
    )
    return Inventory(letters, tensors)


def llama_closed_form(letters: LlamaLetters) -> Quantity:
    """Return the trainable parameters of the LLaMA, as one polynomial in the letters.

    VH                                  tokens
    + L·(2HK·(A + G) + 3HF + 2H)        layers: query and output 2·H·AK, key and value
                                        2·H·GK, gate, up and down 3HF, two norms 2H
    + H                                 the final norm
    + untied·VH                         an untied language head

    If each query head has its own keys (G = A) and the heads split the hidden size (AK = H),
    the attention is 4H², and the number of heads does not occur.

    Source: meta-llama/llama, llama/model.py, written out and summed by hand.
    """
    L, H, A, G, K, F, V, untied = letters
    return V * H + L * (2 * H * K * (A + G) + 3 * H * F + 2 * H) + H + untied * (V * H)
