"""The right tensors used wrongly: no name, shape or count shows it."""

from tests.faults.catalogue import fault


@fault("parity")
def square_kernel_transposed(encoder, spec, nn):
    """The pooler multiplies by its kernel from the other side: it is square."""
    from tests.faults.layers import Transposed

    if spec.pooler:
        encoder.pooler = Transposed(spec.hidden_size, spec.hidden_size)


@fault("parity")
def norms_before_instead_of_after(encoder, spec, nn):
    """Pre-norm: the same tensors, another model."""
    for layer in encoder.layers:
        layer.norm_first = True


@fault("parity")
def positions_off_by_one(encoder, spec, nn):
    """Every token reads its neighbour's position."""
    from tests.faults.layers import shifted

    encoder.position_embeddings.register_forward_pre_hook(shifted)


@fault("parity")
def relu_for_gelu(encoder, spec, nn):
    """The activation that PyTorch's layer has by default."""
    for layer in encoder.layers:
        layer.activation = nn.functional.relu
        # The layer's fast path checks this instead, with an even number of heads.
        layer.activation_relu_or_gelu = 1


@fault("parity")
def residual_left_out(encoder, spec, nn):
    """The input of the feed-forward network is not added to its output."""
    from tests.faults.layers import WithoutResidual

    for index in range(spec.num_hidden_layers):
        encoder.layers[index] = WithoutResidual(
            spec.hidden_size,
            spec.num_attention_heads,
            spec.intermediate_size,
            dropout=0.0,
            activation=encoder.layers[index].activation,
            layer_norm_eps=encoder.embeddings_norm.eps,
            batch_first=True,
        )


@fault("parity")
def epsilon_of_a_millionth(encoder, spec, nn):
    """The norms' epsilon is 1e-6, as Flax has it by default: beyond what float32 can show."""
    for module in encoder.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-6


@fault("parity")
def gelu_by_tanh(encoder, spec, nn):
    """The approximation of gelu by tanh, which is what Flax and keras-bert mean by gelu."""
    from tests.faults.layers import gelu_by_tanh

    encoder.activation = gelu_by_tanh
    for layer in encoder.layers:
        layer.activation = gelu_by_tanh
        layer.activation_relu_or_gelu = 0


@fault("parity")
def attention_scale_left_out(encoder, spec, nn):
    """Scores are not divided by the root of the head size."""
    from tests.faults.attention import Attention

    for layer in encoder.layers:
        layer.self_attn = Attention(spec, scale=1.0)


@fault("parity")
def heads_interleaved(encoder, spec, nn):
    """Head a has every A-th column, and not the a-th K of them."""
    from tests.faults.attention import Interleaved

    for layer in encoder.layers:
        layer.self_attn = Interleaved(spec)


@fault("parity")
def query_and_key_swapped(encoder, spec, nn):
    """The fused projection is read as key, query, value."""
    from tests.faults.attention import Swapped

    for layer in encoder.layers:
        layer.self_attn = Swapped(spec)


@fault("parity")
def mask_inverted(encoder, spec, nn):
    """True is taken for attend, as in Keras and Flax, where PyTorch means ignore."""
    from tests.faults.layers import inverted

    for layer in encoder.layers:
        layer.register_forward_pre_hook(inverted, with_kwargs=True)


@fault("parity")
def token_types_ignored(encoder, spec, nn):
    """Every token is of the first type."""
    from tests.faults.layers import zeroed

    encoder.token_type_embeddings.register_forward_pre_hook(zeroed)
