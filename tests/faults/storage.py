"""The right numbers with a wrong name, order or trainability; and misreadings."""

from tests.faults.catalogue import fault
from tests.faults.missing import EVERYWHERE

BY_NAME = ("examples", "anchors", "derivation")
"""The total is right: only a comparison tensor by tensor notices it."""


@fault(*EVERYWHERE, "laws")
def token_table_frozen(encoder, spec, nn):
    """The token table is not trained."""
    encoder.word_embeddings.weight.requires_grad_(False)


@fault(*EVERYWHERE, "laws")
def position_table_frozen(encoder, spec, nn):
    """The positions are not trained, as sinusoids would not be."""
    encoder.position_embeddings.weight.requires_grad_(False)


@fault(*EVERYWHERE, "laws")
def first_layer_frozen(encoder, spec, nn):
    """The first layer is not trained, as often in fine-tuning."""
    for layer in encoder.layers[:1]:
        layer.requires_grad_(False)


@fault(*BY_NAME)
def position_ids_as_a_parameter(encoder, spec, nn):
    """The buffer of position ids is a parameter, frozen."""
    ids = encoder.embeddings_norm.weight.new_zeros(spec.max_position_embeddings)
    encoder.position_ids = nn.Parameter(ids, requires_grad=False)


@fault(*EVERYWHERE)
def attention_scale_as_a_parameter(encoder, spec, nn):
    """The attention's scale, a constant, has been made a parameter that learns."""
    for layer in encoder.layers:
        layer.scale = nn.Parameter(layer.norm1.weight.new_ones(1))


@fault(*BY_NAME)
def norm_renamed(encoder, spec, nn):
    """The embeddings' norm calls its weight gamma, as TensorFlow's checkpoints do."""
    norm = encoder.embeddings_norm
    norm.gamma = norm.weight
    norm.weight = None


@fault(*BY_NAME)
def feed_forward_kernel_stored_transposed(encoder, spec, nn):
    """The second feed-forward kernel is stored (in, out): its shape shows it."""
    for layer in encoder.layers:
        layer.linear2.weight = nn.Parameter(layer.linear2.weight.detach().T.contiguous())


@fault(*BY_NAME)
def feed_forward_biases_swapped(encoder, spec, nn):
    """The two feed-forward biases are in each other's place."""
    for layer in encoder.layers:
        first, second = layer.linear1, layer.linear2
        first.bias, second.bias = second.bias, first.bias


@fault(*EVERYWHERE, "laws")
def tied_matrix_counted_twice(encoder, spec, nn):
    """``state_dict()`` is read, which lists a tied matrix under both its names."""
    from tests.faults.layers import ByName

    return ByName(encoder)


@fault(*EVERYWHERE, "laws")
def buffers_counted(encoder, spec, nn):
    """``state_dict()`` is read, which lists the buffer of position ids as well."""
    from tests.faults.layers import WithBuffers

    ids = encoder.embeddings_norm.weight.new_zeros(1, spec.max_position_embeddings)
    encoder.register_buffer("position_ids", ids)
    return WithBuffers(encoder)


@fault(*EVERYWHERE)
def frozen_counted_as_trainable(encoder, spec, nn):
    """``requires_grad`` is ignored, and the norm of the pooled output is frozen."""
    from tests.faults.layers import AllTrainable

    encoder.pooled_norm = nn.LayerNorm(spec.hidden_size).requires_grad_(False)
    return AllTrainable(encoder)
