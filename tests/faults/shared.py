"""One tensor in place of two, and two in place of one."""

from tests.faults.catalogue import fault
from tests.faults.missing import EVERYWHERE


@fault(*EVERYWHERE)
def norms_of_a_layer_shared(encoder, spec, nn):
    """Both norms of a layer are one."""
    for layer in encoder.layers:
        layer.norm2 = layer.norm1


@fault(*EVERYWHERE, "laws")
def norm_shared_over_layers(encoder, spec, nn):
    """All layers have the first one's norm after the attention."""
    for layer in encoder.layers:
        layer.norm1 = encoder.layers[0].norm1


@fault(*EVERYWHERE, "laws")
def layers_shared(encoder, spec, nn):
    """Every layer is the first one, as in ALBERT."""
    for index in range(1, spec.num_hidden_layers):
        encoder.layers[index] = encoder.layers[0]


@fault(*EVERYWHERE, "laws")
def layers_shared_in_pairs(encoder, spec, nn):
    """Every second layer is the one before it: the floor of L / 2 is in the count."""
    for index in range(1, spec.num_hidden_layers, 2):
        encoder.layers[index] = encoder.layers[index - 1]


@fault(*EVERYWHERE)
def pooler_is_the_mlm_dense_layer(encoder, spec, nn):
    """The MLM head uses the pooler for its dense layer: visible only in a model with both."""
    if spec.pooler and spec.mlm_head:
        encoder.mlm_dense = encoder.pooler


@fault(*EVERYWHERE, "laws")
def decoder_untied(encoder, spec, nn):
    """The decoder has a matrix of its own where it should share the token table."""
    if spec.mlm_head:
        encoder.mlm_decoder.weight = nn.Linear(spec.hidden_size, spec.vocab_size).weight


@fault("examples", "totals", "laws", "derivation")
def decoder_tied_in_spite_of_the_spec(encoder, spec, nn):
    """The decoder shares the token table where it should not: no anchor has an untied head."""
    if spec.mlm_head:
        encoder.mlm_decoder.weight = encoder.word_embeddings.weight


@fault(*EVERYWHERE)
def keys_are_the_values(encoder, spec, nn):
    """One projection for keys and values."""
    from tests.faults.attention import Attention

    width = spec.hidden_size
    for layer in encoder.layers:
        layer.self_attn = Attention(spec, widths=(width, width, 0), biases=("query", "key"))


@fault(*EVERYWHERE, "laws")
def multi_query_attention(encoder, spec, nn):
    """All heads of a layer share one head of keys and values."""
    from tests.faults.attention import Attention

    for layer in encoder.layers:
        layer.self_attn = Attention(spec, widths=(spec.hidden_size, spec.head_size, spec.head_size))


@fault(*EVERYWHERE)
def norms_doubled(encoder, spec, nn):
    """A third norm in each layer, left behind between pre-norm and post-norm."""
    for layer in encoder.layers:
        layer.norm3 = nn.LayerNorm(spec.hidden_size)


@fault(*EVERYWHERE)
def final_norm_added(encoder, spec, nn):
    """A norm after the last layer, as pre-norm encoders have it."""
    encoder.final_norm = nn.LayerNorm(spec.hidden_size)


@fault(*EVERYWHERE, "laws")
def output_bias_doubled(encoder, spec, nn):
    """The MLM head has a second output bias, as Hugging Face's untied one has."""
    if spec.mlm_head:
        encoder.mlm_bias = nn.Parameter(encoder.mlm_decoder.bias.new_zeros(spec.vocab_size))


@fault(*EVERYWHERE, "laws")
def key_and_query_norms_added(encoder, spec, nn):
    """A norm of head size for the queries and one for the keys of each layer, which the best of
    the calculators once had wrong."""
    for layer in encoder.layers:
        layer.q_norm = nn.RMSNorm(spec.head_size)
        layer.k_norm = nn.RMSNorm(spec.head_size)
