"""The catalogue, as PyTorch's encoder has it: what one changes in real code without noticing."""

from tests.faults.catalogue import BY_NAME, EVERYWHERE, FAULTS, dropped, enter_row, fault

__all__ = ["FAULTS"]

# The right tensors used wrongly: no name, shape or count shows it.


@fault("parity")
def square_kernel_transposed(encoder, spec, nn, layers):
    """The pooler multiplies by its kernel from the other side: it is square."""
    if spec.pooler:
        encoder.pooler = layers.Transposed(spec.hidden_size, spec.hidden_size)


@fault("parity")
def norms_before_instead_of_after(encoder, spec, nn, layers):
    """Pre-norm: the same tensors, another model."""
    for layer in encoder.layers:
        layer.norm_first = True


@fault("parity")
def positions_off_by_one(encoder, spec, nn, layers):
    """Every token reads its neighbour's position."""
    encoder.position_embeddings.register_forward_pre_hook(layers.shifted)


@fault("parity")
def relu_for_gelu(encoder, spec, nn, layers):
    """The activation that PyTorch's layer has by default."""
    for layer in encoder.layers:
        layer.activation = nn.functional.relu
        # The layer's fast path checks this instead, with an even number of heads.
        layer.activation_relu_or_gelu = 1


@fault("parity")
def residual_left_out(encoder, spec, nn, layers):
    """The input of the feed-forward network is not added to its output."""
    for layer in encoder.layers:
        layer.__class__ = layers.WithoutResidual


@fault("parity")
def epsilon_of_a_millionth(encoder, spec, nn, layers):
    """The norms' epsilon is 1e-6, as Flax has it by default: beyond what float32 can show."""
    for module in encoder.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-6


@fault("parity")
def gelu_by_tanh(encoder, spec, nn, layers):
    """The approximation of gelu by tanh, which is what Flax and keras-bert mean by gelu."""
    encoder.activation = layers.gelu_by_tanh
    for layer in encoder.layers:
        layer.activation = layers.gelu_by_tanh
        layer.activation_relu_or_gelu = 0


@fault("parity")
def attention_scale_left_out(encoder, spec, nn, layers):
    """Scores are not divided by the root of the head size."""
    layers.attend(encoder, spec, scale=1.0)


@fault("parity")
def heads_interleaved(encoder, spec, nn, layers):
    """Head a has every A-th column, and not the a-th K of them."""
    layers.attend(encoder, spec, interleaved=True)


@fault("parity")
def query_and_key_swapped(encoder, spec, nn, layers):
    """The fused projection is read as key, query, value."""
    layers.attend(encoder, spec, order=(1, 0, 2))


@fault("parity")
def mask_inverted(encoder, spec, nn, layers):
    """True is taken for attend, as in Keras and Flax, where PyTorch means ignore."""
    for layer in encoder.layers:
        layer.register_forward_pre_hook(layers.inverted, with_kwargs=True)


@fault("parity")
def token_types_ignored(encoder, spec, nn, layers):
    """Every token is of the first type."""
    encoder.token_type_embeddings.register_forward_pre_hook(layers.zeroed)


# Missing tensors: biases, norms, the pooler, a layer.


def drop_a_third_of_the_biases(encoder, spec, nn, layers):
    layers.project(encoder, spec, 3 * spec.hidden_size, biases=2 * spec.hidden_size)


WHY = {"query": "", "key": ": no output would show it, since softmax cancels it", "value": ""}
for part, why in WHY.items():
    about = f"The {part} projection has no bias{why}."
    enter_row(f"{part} bias dropped", about, EVERYWHERE, drop_a_third_of_the_biases)


dropped(
    {
        "attention output bias dropped": (
            "layers.*.self_attn.out_proj.bias",
            "The output projection of the attention has no bias.",
        ),
        "attention biases lost": (
            "layers.*.self_attn.{in_proj_bias,out_proj.bias}",
            "All four projections lack biases, as in the paper's equation and in many formulas.",
        ),
        "intermediate bias dropped": (
            "layers.*.linear1.bias",
            "The first feed-forward layer has no bias: the 4,096 a layer that a count of "
            "BERT-large in google-research/bert, issue 656, has lost.",
        ),
        "feed forward output bias dropped": (
            "layers.*.linear2.bias",
            "The second feed-forward layer has no bias.",
        ),
        "every bias of a layer dropped": (
            "layers.*.{self_attn.in_proj_,self_attn.out_proj.,linear1.,linear2.,norm1.,norm2.}bias",
            "`TransformerEncoderLayer(bias=False)`, which takes the norms' biases with it.",
        ),
        "pooler bias dropped": ("pooler.bias", "The pooler has no bias."),
        "mlm dense bias dropped": (
            "mlm_dense.bias",
            "The dense layer of the MLM head has no bias.",
        ),
        "mlm output bias dropped": (
            "mlm_decoder.bias",
            "The MLM head has no output bias, so that a token costs one parameter less.",
            "laws",
        ),
        "nsp bias dropped": ("nsp.bias", "The NSP head has no bias: two parameters."),
        "embeddings norm missing": (
            "embeddings_norm",
            "No norm after the embeddings: the paper does not mention it, the code has it.",
        ),
        "attention norm missing": ("layers.*.norm1", "No norm after the attention."),
        "feed forward norm missing": ("layers.*.norm2", "No norm after the feed-forward network."),
        "mlm norm missing": ("mlm_norm", "No norm in the MLM head."),
        "norm biases dropped": (
            "layers.*.{norm1,norm2}.bias",
            "The norms of the layers scale and do not shift.",
        ),
        "norms without parameters": (
            "embeddings_norm.{weight,bias}",
            "`elementwise_affine=False` in the embeddings: the norm is there, its tensors are not.",
        ),
        "pooler forgotten": ("pooler", "No pooler, where 110M is meant to have one."),
    }
)


@fault(*EVERYWHERE, "laws")
def last_layer_lost(encoder, spec, nn, layers):
    """One layer too few: ``range(1, L)``."""
    del encoder.layers[-1:]


# One tensor in place of two, and two in place of one.


@fault(*EVERYWHERE)
def norms_of_a_layer_shared(encoder, spec, nn, layers):
    """Both norms of a layer are one."""
    for layer in encoder.layers:
        layer.norm2 = layer.norm1


@fault(*EVERYWHERE, "laws")
def norm_shared_over_layers(encoder, spec, nn, layers):
    """All layers have the first one's norm after the attention."""
    for layer in encoder.layers:
        layer.norm1 = encoder.layers[0].norm1


@fault(*EVERYWHERE, "laws")
def layers_shared(encoder, spec, nn, layers):
    """Every layer is the first one, as in ALBERT."""
    for index in range(1, spec.num_hidden_layers):
        encoder.layers[index] = encoder.layers[0]


@fault(*EVERYWHERE, "laws")
def layers_shared_in_pairs(encoder, spec, nn, layers):
    """Every second layer is the one before it: the floor of L / 2 is in the count."""
    for index in range(1, spec.num_hidden_layers, 2):
        encoder.layers[index] = encoder.layers[index - 1]


@fault(*EVERYWHERE)
def pooler_is_the_mlm_dense_layer(encoder, spec, nn, layers):
    """The MLM head uses the pooler for its dense layer: visible only in a model with both."""
    if spec.pooler and spec.mlm_head:
        encoder.mlm_dense = encoder.pooler


@fault(*EVERYWHERE, "laws")
def decoder_untied(encoder, spec, nn, layers):
    """The decoder has a matrix of its own where it should share the token table."""
    if spec.mlm_head:
        encoder.mlm_decoder.weight = nn.Linear(spec.hidden_size, spec.vocab_size).weight


@fault("examples", "totals", "laws", "derivation")
def decoder_tied_in_spite_of_the_spec(encoder, spec, nn, layers):
    """The decoder shares the token table where it should not: no anchor has an untied head."""
    if spec.mlm_head:
        encoder.mlm_decoder.weight = encoder.word_embeddings.weight


@fault(*EVERYWHERE)
def keys_are_the_values(encoder, spec, nn, layers):
    """One projection for keys and values."""
    layers.project(encoder, spec, 2 * spec.hidden_size, biases=2 * spec.hidden_size)


@fault(*EVERYWHERE, "laws")
def multi_query_attention(encoder, spec, nn, layers):
    """All heads of a layer share one head of keys and values."""
    rows = spec.hidden_size + 2 * spec.head_size
    layers.project(encoder, spec, rows, biases=rows)


@fault(*EVERYWHERE)
def norms_doubled(encoder, spec, nn, layers):
    """A third norm in each layer, left behind between pre-norm and post-norm."""
    for layer in encoder.layers:
        layer.norm3 = nn.LayerNorm(spec.hidden_size)


@fault(*EVERYWHERE)
def final_norm_added(encoder, spec, nn, layers):
    """A norm after the last layer, as pre-norm encoders have it."""
    encoder.final_norm = nn.LayerNorm(spec.hidden_size)


@fault(*EVERYWHERE, "laws")
def output_bias_doubled(encoder, spec, nn, layers):
    """The MLM head has a second output bias, as Hugging Face's untied one has."""
    if spec.mlm_head:
        encoder.mlm_bias = nn.Parameter(encoder.mlm_decoder.bias.new_zeros(spec.vocab_size))


@fault(*EVERYWHERE, "laws")
def key_and_query_norms_added(encoder, spec, nn, layers):
    """A norm of head size for the queries and one for the keys of each layer, which the best of
    the calculators once had wrong."""
    for layer in encoder.layers:
        layer.q_norm = nn.RMSNorm(spec.head_size)
        layer.k_norm = nn.RMSNorm(spec.head_size)


# A wrong size: off by one, padded, swapped, or dependent on the wrong field.


@fault(*EVERYWHERE, "laws")
def vocabulary_and_positions_swapped(encoder, spec, nn, layers):
    """The token table has P rows and the position table V: their sum is right, and shows it
    only where an MLM head is built on it."""
    layers.resize_tokens(encoder, spec, spec.max_position_embeddings)
    encoder.position_embeddings = nn.Embedding(spec.vocab_size, spec.hidden_size)


@fault("examples", "anchors", "derivation")
def tables_swapped(encoder, spec, nn, layers):
    """The position table has T rows and the type table P: the sum is right at every size."""
    encoder.position_embeddings = nn.Embedding(spec.type_vocab_size, spec.hidden_size)
    encoder.token_type_embeddings = nn.Embedding(spec.max_position_embeddings, spec.hidden_size)


@fault(*EVERYWHERE)
def two_positions_more(encoder, spec, nn, layers):
    """P + 2 positions, as in RoBERTa, whose first position is 2."""
    encoder.position_embeddings = nn.Embedding(spec.max_position_embeddings + 2, spec.hidden_size)


@fault(*EVERYWHERE)
def one_position_short(encoder, spec, nn, layers):
    """P - 1 positions: ``range`` without its end."""
    encoder.position_embeddings = nn.Embedding(spec.max_position_embeddings - 1, spec.hidden_size)


@fault(*EVERYWHERE)
def a_token_for_padding(encoder, spec, nn, layers):
    """V + 1 tokens, the last for padding."""
    layers.resize_tokens(encoder, spec, spec.vocab_size + 1)


@fault(*EVERYWHERE, "laws")
def two_types_always(encoder, spec, nn, layers):
    """Always two token types, whatever T is; only RoBERTa among the anchors has one."""
    encoder.token_type_embeddings = nn.Embedding(2, spec.hidden_size)


@fault(*EVERYWHERE, "laws")
def vocabulary_padded_to_64(encoder, spec, nn, layers):
    """V is rounded up to a multiple of 64, as fast kernels like it."""
    layers.resize_tokens(encoder, spec, -(-spec.vocab_size // 64) * 64)


@fault("anchors", "derivation")
def units_of_1024(encoder, spec, nn, layers):
    """The thousands of V are read as units of 1024, of which a small vocabulary has none."""
    thousands, rest = divmod(spec.vocab_size, 1000)
    layers.resize_tokens(encoder, spec, thousands * 1024 + rest)


@fault("anchors", "derivation")
def a_tensor_for_large_vocabularies(encoder, spec, nn, layers):
    """One more vector where V > 25000, as adaptive embeddings branch on the vocabulary."""
    if spec.vocab_size > 25000:
        encoder.rare_tokens = nn.Parameter(encoder.word_embeddings.weight.new_zeros(1))


@fault("anchors", "derivation")
def a_tensor_for_wide_models(encoder, spec, nn, layers):
    """A norm of its own for H > 512."""
    if spec.hidden_size > 512:
        encoder.wide_norm = nn.LayerNorm(spec.hidden_size)


@fault("anchors", "derivation")
def a_tensor_for_deep_models(encoder, spec, nn, layers):
    """A residual scale in each layer where there are more than 16 of them."""
    if spec.num_hidden_layers > 16:
        for layer in encoder.layers:
            layer.scale = nn.Parameter(layer.norm1.weight.new_ones(()))


@fault(*EVERYWHERE, "laws")
def a_gate_for_each_head(encoder, spec, nn, layers):
    """A scalar for each head of each layer: A is in the count."""
    for layer in encoder.layers:
        layer.gates = nn.Parameter(layer.norm1.weight.new_ones(spec.num_attention_heads))


@fault(*EVERYWHERE, "laws")
def head_size_taken_for_the_width(encoder, spec, nn, layers):
    """``key_dim=H``, which in Keras is the size of one head: A times the right kernels."""
    width = spec.hidden_size * spec.num_attention_heads
    layers.project(encoder, spec, 3 * width, biases=3 * width)
    for layer in encoder.layers:
        layer.self_attn.out_proj = nn.Linear(width, spec.hidden_size)


@fault("examples", "totals", "derivation")
def feed_forward_always_fourfold(encoder, spec, nn, layers):
    """F is taken for 4·H: every anchor has it so."""
    for layer in encoder.layers:
        layer.linear1 = nn.Linear(spec.hidden_size, 4 * spec.hidden_size)
        layer.linear2 = nn.Linear(4 * spec.hidden_size, spec.hidden_size)


@fault("examples", "totals", "derivation")
def feed_forward_padded_to_8(encoder, spec, nn, layers):
    """F is rounded up to a multiple of 8: every anchor's is one."""
    inner = -(-spec.intermediate_size // 8) * 8
    for layer in encoder.layers:
        layer.linear1 = nn.Linear(spec.hidden_size, inner)
        layer.linear2 = nn.Linear(inner, spec.hidden_size)


# The right numbers with a wrong name, order or trainability; and misreadings.


@fault(*EVERYWHERE, "laws")
def token_table_frozen(encoder, spec, nn, layers):
    """The token table is not trained."""
    encoder.word_embeddings.weight.requires_grad_(False)


@fault(*EVERYWHERE, "laws")
def position_table_frozen(encoder, spec, nn, layers):
    """The positions are not trained, as sinusoids would not be."""
    encoder.position_embeddings.weight.requires_grad_(False)


@fault(*EVERYWHERE, "laws")
def first_layer_frozen(encoder, spec, nn, layers):
    """The first layer is not trained, as often in fine-tuning."""
    for layer in encoder.layers[:1]:
        layer.requires_grad_(False)


@fault(*BY_NAME)
def position_ids_as_a_parameter(encoder, spec, nn, layers):
    """The buffer of position ids is a parameter, frozen."""
    ids = encoder.embeddings_norm.weight.new_zeros(spec.max_position_embeddings)
    encoder.position_ids = nn.Parameter(ids, requires_grad=False)


@fault(*EVERYWHERE)
def attention_scale_as_a_parameter(encoder, spec, nn, layers):
    """The attention's scale, a constant, has been made a parameter that learns."""
    for layer in encoder.layers:
        layer.scale = nn.Parameter(layer.norm1.weight.new_ones(1))


@fault(*BY_NAME)
def norm_renamed(encoder, spec, nn, layers):
    """The embeddings' norm calls its weight gamma, as TensorFlow's checkpoints do."""
    norm = encoder.embeddings_norm
    norm.gamma = norm.weight
    norm.weight = None


@fault(*BY_NAME)
def feed_forward_kernel_stored_transposed(encoder, spec, nn, layers):
    """The second feed-forward kernel is stored (in, out): its shape shows it."""
    for layer in encoder.layers:
        layer.linear2.weight = nn.Parameter(layer.linear2.weight.detach().T.contiguous())


@fault(*BY_NAME)
def feed_forward_biases_swapped(encoder, spec, nn, layers):
    """The two feed-forward biases are in each other's place."""
    for layer in encoder.layers:
        first, second = layer.linear1, layer.linear2
        first.bias, second.bias = second.bias, first.bias


@fault(*EVERYWHERE, "laws")
def tied_matrix_counted_twice(encoder, spec, nn, layers):
    """``state_dict()`` is read, which lists a tied matrix under both its names."""
    encoder.read_as = layers.ByName


@fault(*EVERYWHERE, "laws")
def buffers_counted(encoder, spec, nn, layers):
    """``state_dict()`` is read, which lists the buffer of position ids as well."""
    ids = encoder.embeddings_norm.weight.new_zeros(1, spec.max_position_embeddings)
    encoder.register_buffer("position_ids", ids)
    encoder.read_as = layers.WithBuffers


@fault(*EVERYWHERE)
def frozen_counted_as_trainable(encoder, spec, nn, layers):
    """``requires_grad`` is ignored, and the norm of the pooled output is frozen."""
    encoder.pooled_norm = nn.LayerNorm(spec.hidden_size).requires_grad_(False)
    encoder.read_as = layers.AllTrainable
