"""Missing tensors: biases, norms, the pooler, a layer."""

from tests.faults.catalogue import fault

EVERYWHERE = ("examples", "totals", "anchors", "derivation")
"""A term is missing or added at every size: all evidence but the laws catches that."""


def without_bias(linear, nn):
    return nn.Linear(linear.in_features, linear.out_features, bias=False)


def without_biases_of(encoder, spec, *projections):
    from tests.faults.attention import Attention

    kept = [name for name in ("query", "key", "value") if name not in projections]
    for layer in encoder.layers:
        layer.self_attn = Attention(spec, biases=kept)


@fault(*EVERYWHERE)
def query_bias_dropped(encoder, spec, nn):
    """The query projection has no bias."""
    without_biases_of(encoder, spec, "query")


@fault(*EVERYWHERE)
def key_bias_dropped(encoder, spec, nn):
    """The key projection has no bias: no output would show it, since softmax cancels it."""
    without_biases_of(encoder, spec, "key")


@fault(*EVERYWHERE)
def value_bias_dropped(encoder, spec, nn):
    """The value projection has no bias."""
    without_biases_of(encoder, spec, "value")


@fault(*EVERYWHERE)
def attention_output_bias_dropped(encoder, spec, nn):
    """The output projection of the attention has no bias."""
    for layer in encoder.layers:
        layer.self_attn.out_proj = without_bias(layer.self_attn.out_proj, nn)


@fault(*EVERYWHERE)
def attention_biases_lost(encoder, spec, nn):
    """All four projections lack biases, as in the paper's equation and in many formulas."""
    for layer in encoder.layers:
        layer.self_attn = nn.MultiheadAttention(
            spec.hidden_size, spec.num_attention_heads, bias=False, batch_first=True
        )


@fault(*EVERYWHERE)
def intermediate_bias_dropped(encoder, spec, nn):
    """The first feed-forward layer has no bias: the 4,096 a layer that a count of BERT-large
    in google-research/bert, issue 656, has lost."""
    for layer in encoder.layers:
        layer.linear1 = without_bias(layer.linear1, nn)


@fault(*EVERYWHERE)
def feed_forward_output_bias_dropped(encoder, spec, nn):
    """The second feed-forward layer has no bias."""
    for layer in encoder.layers:
        layer.linear2 = without_bias(layer.linear2, nn)


@fault(*EVERYWHERE)
def every_bias_of_a_layer_dropped(encoder, spec, nn):
    """``TransformerEncoderLayer(bias=False)``, which takes the norms' biases with it."""
    for index in range(spec.num_hidden_layers):
        encoder.layers[index] = nn.TransformerEncoderLayer(
            spec.hidden_size,
            spec.num_attention_heads,
            spec.intermediate_size,
            batch_first=True,
            bias=False,
        )


@fault(*EVERYWHERE)
def pooler_bias_dropped(encoder, spec, nn):
    """The pooler has no bias."""
    if spec.pooler:
        encoder.pooler = without_bias(encoder.pooler, nn)


@fault(*EVERYWHERE)
def mlm_dense_bias_dropped(encoder, spec, nn):
    """The dense layer of the MLM head has no bias."""
    if spec.mlm_head:
        encoder.mlm_dense = without_bias(encoder.mlm_dense, nn)


@fault(*EVERYWHERE, "laws")
def mlm_output_bias_dropped(encoder, spec, nn):
    """The MLM head has no output bias, so that a token costs one parameter less."""
    if spec.mlm_head:
        encoder.mlm_decoder.bias = None


@fault(*EVERYWHERE)
def nsp_bias_dropped(encoder, spec, nn):
    """The NSP head has no bias: two parameters."""
    if spec.nsp_head:
        encoder.nsp = without_bias(encoder.nsp, nn)


@fault(*EVERYWHERE)
def embeddings_norm_missing(encoder, spec, nn):
    """No norm after the embeddings: the paper does not mention it, the code has it."""
    encoder.embeddings_norm = nn.Identity()


@fault(*EVERYWHERE)
def attention_norm_missing(encoder, spec, nn):
    """No norm after the attention."""
    for layer in encoder.layers:
        layer.norm1 = nn.Identity()


@fault(*EVERYWHERE)
def feed_forward_norm_missing(encoder, spec, nn):
    """No norm after the feed-forward network."""
    for layer in encoder.layers:
        layer.norm2 = nn.Identity()


@fault(*EVERYWHERE)
def mlm_norm_missing(encoder, spec, nn):
    """No norm in the MLM head."""
    if spec.mlm_head:
        encoder.mlm_norm = nn.Identity()


@fault(*EVERYWHERE)
def norm_biases_dropped(encoder, spec, nn):
    """The norms of the layers scale and do not shift."""
    for layer in encoder.layers:
        layer.norm1 = nn.LayerNorm(spec.hidden_size, bias=False)
        layer.norm2 = nn.LayerNorm(spec.hidden_size, bias=False)


@fault(*EVERYWHERE)
def norms_without_parameters(encoder, spec, nn):
    """``elementwise_affine=False`` in the embeddings: the norm is there, its tensors are not."""
    encoder.embeddings_norm = nn.LayerNorm(spec.hidden_size, elementwise_affine=False)


@fault(*EVERYWHERE)
def pooler_forgotten(encoder, spec, nn):
    """No pooler, where 110M is meant to have one."""
    encoder.pooler = None


@fault(*EVERYWHERE, "laws")
def last_layer_lost(encoder, spec, nn):
    """One layer too few: ``range(1, L)``."""
    del encoder.layers[-1:]
