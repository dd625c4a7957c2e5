"""Tensors with a wrong size: off by one, padded, swapped, or dependent on the wrong field."""

from tests.faults.catalogue import fault
from tests.faults.missing import EVERYWHERE


def resize_tokens(encoder, spec, nn, rows):
    encoder.word_embeddings = nn.Embedding(rows, spec.hidden_size)
    if spec.mlm_head:
        encoder.mlm_decoder = nn.Linear(spec.hidden_size, rows)
        if spec.tie_word_embeddings:
            encoder.mlm_decoder.weight = encoder.word_embeddings.weight


@fault(*EVERYWHERE, "laws")
def vocabulary_and_positions_swapped(encoder, spec, nn):
    """The token table has P rows and the position table V: their sum is right, and shows it
    only where an MLM head is built on it."""
    resize_tokens(encoder, spec, nn, spec.max_position_embeddings)
    encoder.position_embeddings = nn.Embedding(spec.vocab_size, spec.hidden_size)


@fault("examples", "anchors", "derivation")
def tables_swapped(encoder, spec, nn):
    """The position table has T rows and the type table P: the sum is right at every size."""
    encoder.position_embeddings = nn.Embedding(spec.type_vocab_size, spec.hidden_size)
    encoder.token_type_embeddings = nn.Embedding(spec.max_position_embeddings, spec.hidden_size)


@fault(*EVERYWHERE)
def two_positions_more(encoder, spec, nn):
    """P + 2 positions, as in RoBERTa, whose first position is 2."""
    encoder.position_embeddings = nn.Embedding(spec.max_position_embeddings + 2, spec.hidden_size)


@fault(*EVERYWHERE)
def one_position_short(encoder, spec, nn):
    """P - 1 positions: ``range`` without its end."""
    encoder.position_embeddings = nn.Embedding(spec.max_position_embeddings - 1, spec.hidden_size)


@fault(*EVERYWHERE)
def a_token_for_padding(encoder, spec, nn):
    """V + 1 tokens, the last for padding."""
    resize_tokens(encoder, spec, nn, spec.vocab_size + 1)


@fault(*EVERYWHERE, "laws")
def two_types_always(encoder, spec, nn):
    """Always two token types, whatever T is; only RoBERTa among the anchors has one."""
    encoder.token_type_embeddings = nn.Embedding(2, spec.hidden_size)


@fault(*EVERYWHERE, "laws")
def vocabulary_padded_to_64(encoder, spec, nn):
    """V is rounded up to a multiple of 64, as fast kernels like it."""
    resize_tokens(encoder, spec, nn, -(-spec.vocab_size // 64) * 64)


@fault("anchors", "derivation")
def units_of_1024(encoder, spec, nn):
    """The thousands of V are read as units of 1024, of which a small vocabulary has none."""
    thousands, rest = divmod(spec.vocab_size, 1000)
    resize_tokens(encoder, spec, nn, thousands * 1024 + rest)


@fault("anchors", "derivation")
def a_tensor_for_large_vocabularies(encoder, spec, nn):
    """One more vector where V > 25000, as adaptive embeddings branch on the vocabulary."""
    if spec.vocab_size > 25000:
        encoder.rare_tokens = nn.Parameter(encoder.word_embeddings.weight.new_zeros(1))


@fault("anchors", "derivation")
def a_tensor_for_wide_models(encoder, spec, nn):
    """A norm of its own for H > 512."""
    if spec.hidden_size > 512:
        encoder.wide_norm = nn.LayerNorm(spec.hidden_size)


@fault("anchors", "derivation")
def a_tensor_for_deep_models(encoder, spec, nn):
    """A residual scale in each layer where there are more than 16 of them."""
    if spec.num_hidden_layers > 16:
        for layer in encoder.layers:
            layer.scale = nn.Parameter(layer.norm1.weight.new_ones(()))


@fault(*EVERYWHERE, "laws")
def a_gate_for_each_head(encoder, spec, nn):
    """A scalar for each head of each layer: A is in the count."""
    for layer in encoder.layers:
        layer.gates = nn.Parameter(layer.norm1.weight.new_ones(spec.num_attention_heads))


@fault(*EVERYWHERE, "laws")
def head_size_taken_for_the_width(encoder, spec, nn):
    """``key_dim=H``, which in Keras is the size of one head: A times the right kernels."""
    from tests.faults.attention import Attention

    width = spec.hidden_size * spec.num_attention_heads
    for layer in encoder.layers:
        layer.self_attn = Attention(spec, widths=(width, width, width))


@fault("examples", "totals", "derivation")
def feed_forward_always_fourfold(encoder, spec, nn):
    """F is taken for 4·H: every anchor has it so."""
    for layer in encoder.layers:
        layer.linear1 = nn.Linear(spec.hidden_size, 4 * spec.hidden_size)
        layer.linear2 = nn.Linear(4 * spec.hidden_size, spec.hidden_size)


@fault("examples", "totals", "derivation")
def feed_forward_padded_to_8(encoder, spec, nn):
    """F is rounded up to a multiple of 8: every anchor's is one."""
    inner = -(-spec.intermediate_size // 8) * 8
    for layer in encoder.layers:
        layer.linear1 = nn.Linear(spec.hidden_size, inner)
        layer.linear2 = nn.Linear(inner, spec.hidden_size)
