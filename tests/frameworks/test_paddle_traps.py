"""Common miscounts in Paddle, and by how much each one is off."""

import pytest

from paramproof.builders import load
from paramproof.builders.protocol import NotAllocated
from tests.frameworks.unchecked import assert_outcome, spec_without_checks
from tests.specs import SMALL_ENCODER, SPECS

pytestmark = pytest.mark.framework("paddle")

H, F, A = 12, 5, 3
DENSE = H * F + F
LAYER = 4 * H * H + 2 * H * F + 9 * H + F


@pytest.fixture
def paddle():
    # The builder imports Paddle without its warning that there is no ccache.
    load("paddle")
    import paddle

    return paddle


@pytest.fixture
def nn(paddle):
    return paddle.nn


def counts(module):
    """Return the sum of Paddle's ``parameters()``, of those that are trained, and of our list."""
    parameters = module.parameters()
    ours = load("paddle").live_weights(module)
    return (
        sum(p.size for p in parameters),
        sum(p.size for p in parameters if not p.stop_gradient),
        sum(weight.size for weight in ours if weight.trainable),
    )


@pytest.mark.parametrize("kind", ["BatchNorm1D", "BatchNorm2D", "SyncBatchNorm"])
def test_the_statistics_of_a_batch_norm_are_parameters(nn, kind):
    """In PyTorch they are buffers."""
    norm = getattr(nn, kind)(H)
    assert counts(norm) == (4 * H, 2 * H, 2 * H)
    frozen = [name for name, p in norm.named_parameters() if p.stop_gradient]
    assert frozen == ["_mean", "_variance"]
    assert norm.buffers() == []


def test_a_frozen_parameter_is_listed_and_not_trained(nn):
    """``stop_gradient`` is the opposite of PyTorch's ``requires_grad``."""
    dense = nn.Linear(H, F)
    assert not dense.weight.stop_gradient
    dense.weight.stop_gradient = True
    assert counts(dense) == (DENSE, F, F)


def test_bias_attr_leaves_the_norms_their_biases(nn):
    layer = nn.TransformerEncoderLayer(H, A, F, bias_attr=False)
    assert counts(layer) == (LAYER - 5 * H - F,) * 3
    assert [n for n, _ in layer.named_parameters() if "bias" in n] == ["norm1.bias", "norm2.bias"]


@pytest.mark.parametrize(
    ("bias_attr", "difference"), [([False, None], -4 * H), ([None, False], -F - H)]
)
def test_a_list_of_bias_attr_is_for_attention_and_feed_forward(nn, bias_attr, difference):
    layer = nn.TransformerEncoderLayer(H, A, F, bias_attr=bias_attr)
    assert counts(layer) == (LAYER + difference,) * 3


def test_the_fused_layer_stores_q_k_and_v_in_one_array_by_heads(paddle):
    from paddle.incubate.nn import FusedTransformerEncoderLayer

    layer = FusedTransformerEncoderLayer(H, A, F)
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    assert len(shapes) == 12
    assert shapes["fused_attn.qkv_weight"] == (3, A, H // A, H)
    assert shapes["fused_attn.qkv_bias"] == (3, A, H // A)
    assert shapes["ffn._linear1_weight"] == (H, F)
    assert counts(layer) == (LAYER,) * 3
    # Paddle's package for the CPU has the layer, and not the function that it calls.
    with pytest.raises(AttributeError, match="has no attribute 'fused_attention'"):
        layer(paddle.rand([1, 2, H]))


def test_a_plain_list_of_layers_is_not_seen(nn):
    class Net(nn.Layer):
        def __init__(self, kind):
            super().__init__()
            self.layers = kind([nn.Linear(H, F), nn.Linear(H, F)])

    assert counts(Net(list)) == (0, 0, 0)
    assert counts(Net(nn.LayerList)) == (2 * DENSE,) * 3


def test_summary_counts_a_tied_matrix_twice(paddle, nn, capsys):
    class Tied(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(H, H), nn.Linear(H, H)
            self.second.weight = self.first.weight

        def forward(self, x):
            return self.second(self.first(x))

    tied = Tied()
    assert counts(tied) == (H * H + 2 * H,) * 3
    assert paddle.summary(tied, (1, H))["total_params"] == 2 * (H * H + H)
    assert "Total params: 312" in capsys.readouterr().out
    # So does the dict of its state.
    assert sum(tensor.size for tensor in tied.state_dict().values()) == 2 * (H * H + H)


def test_a_lazy_parameter_has_a_size_and_reads_as_an_empty_array(paddle, nn):
    with paddle.LazyGuard():
        dense = nn.Linear(H, F)
    assert counts(dense) == (DENSE,) * 3
    # No error tells that there are no values; our models raise one.
    assert dense.bias.numpy().size == 0
    with pytest.raises(NotAllocated):
        load("paddle").build(SPECS["encoder"]).read()


def test_an_encoder_builds_its_layers_anew(nn):
    """It calls the constructor of the first layer again, so that later changes are lost."""
    layer = nn.TransformerEncoderLayer(H, A, F)
    layer.norm1 = nn.Identity()
    encoder = nn.TransformerEncoder(layer, 3)
    assert encoder.layers[0] is layer
    assert counts(encoder) == (3 * LAYER - 2 * H,) * 3
    assert counts(nn.TransformerEncoder(layer, 0)) == (0, 0, 0)


def test_a_linear_cannot_be_tied_to_an_embedding(paddle, nn):
    """A kernel is (in, out), so the head must multiply by the transposed table."""
    table, head = nn.Embedding(11, H), nn.Linear(H, 11)
    assert (table.weight.shape, head.weight.shape) == ([11, H], [H, 11])
    head.weight = table.weight
    with pytest.raises(ValueError, match="must be equal to"):
        head(paddle.rand([1, H]))


def test_rms_norm_does_not_run_on_a_cpu(paddle):
    """Hence the LLaMA here has a norm of its own."""
    with pytest.raises(RuntimeError, match=r"rms_norm.* is not registered"):
        paddle.nn.functional.rms_norm(paddle.rand([2, H]), [H], paddle.ones([H]))


def test_a_layer_norm_takes_no_large_epsilon(paddle, nn):
    """Its constructor takes any, and only the forward pass refuses it."""
    norm = nn.LayerNorm(H, 2e-3)
    with pytest.raises(ValueError, match=r"should be between0\.0 and 0\.001"):
        norm(paddle.rand([2, H]))


def test_building_leaves_the_default_dtype_as_it_was(paddle):
    before = paddle.get_default_dtype()
    model = load("paddle").build(SPECS["llama"], dtype="float64")
    assert (model.dtype, paddle.get_default_dtype()) == ("float64", before)


def test_half_precision_comes_out_as_bits(paddle):
    """NumPy has no bfloat16: ``numpy()`` returns its bits as unsigned ints."""
    assert str(paddle.ones([1], dtype="bfloat16").numpy().dtype) == "uint16"


REFUSED = {
    ("hidden_size", 10): "embed_dim must be divisible by num_heads",
    ("hidden_size", 0): "embedding_dim must be gather than 0",
    ("hidden_size", -6): "embedding_dim must be gather than 0",
    ("num_attention_heads", 4): "embed_dim must be divisible by num_heads",
    ("num_attention_heads", 0): "Expected nhead to be greater than 0",
    ("num_attention_heads", -3): "Expected nhead to be greater than 0",
    ("intermediate_size", 0): "Expected dim_feedforward to be greater than 0",
    ("intermediate_size", -1): "Expected dim_feedforward to be greater than 0",
    ("vocab_size", 0): "num_embeddings must be gather than 0",
    ("vocab_size", -1): "num_embeddings must be gather than 0",
    ("max_position_embeddings", 0): "num_embeddings must be gather than 0",
    ("type_vocab_size", -1): "num_embeddings must be gather than 0",
}
"""What Paddle itself says of sizes that ``EncoderSpec`` refuses; "gather" is its spelling."""


@pytest.mark.parametrize(("field", "value"), REFUSED)
def test_paddle_without_our_checks(field, value):
    outcome = ((AssertionError, ValueError), REFUSED[field, value])
    assert_outcome(load("paddle"), spec_without_checks(**{field: value}), outcome)


def test_a_negative_number_of_layers_is_none():
    """None are built, which is one more than the formula has at -1."""
    letters = SMALL_ENCODER.letters()
    h, f = letters.H, letters.F
    spec = spec_without_checks(num_hidden_layers=-1)
    assert_outcome(load("paddle"), spec, 4 * h * h + 2 * h * f + 9 * h + f)
