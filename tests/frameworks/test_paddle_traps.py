"""Common miscounts in Paddle, and by how much each one is off."""

import pytest

from paramproof.builders import load
from tests.specs import SPECS

pytestmark = pytest.mark.framework("paddle")

H, F, A = 12, 5, 3
DENSE = H * F + F
LAYER = 4 * H * H + 2 * H * F + 9 * H + F

COUNTS = {
    # In PyTorch the statistics are buffers.
    "BatchNorm1D": (4 * H, 2 * H, 2 * H),
    "BatchNorm2D": (4 * H, 2 * H, 2 * H),
    "SyncBatchNorm": (4 * H, 2 * H, 2 * H),
    # ``stop_gradient`` is the opposite of PyTorch's ``requires_grad``.
    "a frozen kernel": (DENSE, F, F),
    # bias_attr leaves the norms their biases; a list is for attention and feed-forward.
    "bias_attr=False": (LAYER - 5 * H - F,) * 3,
    "bias_attr=[False, None]": (LAYER - 4 * H,) * 3,
    "bias_attr=[None, False]": (LAYER - F - H,) * 3,
    "a plain list": (0, 0, 0),
    "a LayerList": (2 * DENSE,) * 3,
    "a lazy layer": (DENSE,) * 3,
    "a tied layer": (H * H + 2 * H,) * 3,
    # It calls the constructor of the first layer again, so that later changes are lost.
    "an encoder of a changed layer": (3 * LAYER - 2 * H,) * 3,
    "an encoder of no layers": (0, 0, 0),
    "a fused layer": (LAYER,) * 3,
}
"""The sums of Paddle's ``parameters()``, of those that are trained, and of our list."""


@pytest.fixture
def paddle():
    # The builder imports Paddle without its warning that there is no ccache.
    load("paddle")
    import paddle

    return paddle


def modules(paddle):
    from paddle.incubate.nn import FusedTransformerEncoderLayer

    nn = paddle.nn

    class Net(nn.Layer):
        def __init__(self, layers):
            super().__init__()
            self.layers = layers

        def forward(self, x):
            return self.layers[1](self.layers[0](x))

    frozen, changed = nn.Linear(H, F), nn.TransformerEncoderLayer(H, A, F)
    frozen.weight.stop_gradient = True
    changed.norm1 = nn.Identity()
    tied = Net(nn.LayerList([nn.Linear(H, H), nn.Linear(H, H)]))
    tied.layers[1].weight = tied.layers[0].weight
    with paddle.LazyGuard():
        lazy = nn.Linear(H, F)
    return (
        {name: getattr(nn, name)(H) for name in ("BatchNorm1D", "BatchNorm2D", "SyncBatchNorm")}
        | {
            f"bias_attr={value}": nn.TransformerEncoderLayer(H, A, F, bias_attr=value)
            for value in (False, [False, None], [None, False])
        }
        | {
            "a frozen kernel": frozen,
            "a plain list": Net([nn.Linear(H, F), nn.Linear(H, F)]),
            "a LayerList": Net(nn.LayerList([nn.Linear(H, F), nn.Linear(H, F)])),
            "a lazy layer": lazy,
            "a tied layer": tied,
            "an encoder of a changed layer": nn.TransformerEncoder(changed, 3),
            "an encoder of no layers": nn.TransformerEncoder(changed, 0),
            "a fused layer": FusedTransformerEncoderLayer(H, A, F),
        }
    )


def counts(module):
    parameters = module.parameters()
    ours = load("paddle").live_weights(module)
    return (
        sum(p.size for p in parameters),
        sum(p.size for p in parameters if not p.stop_gradient),
        sum(weight.size for weight in ours if weight.trainable),
    )


def test_counts(paddle):
    found = modules(paddle)
    assert {name: counts(module) for name, module in found.items()} == COUNTS
    norm = found["BatchNorm1D"]
    frozen = [name for name, p in norm.named_parameters() if p.stop_gradient]
    assert (frozen, norm.buffers()) == (["_mean", "_variance"], [])
    named = [name for name, _ in found["bias_attr=False"].named_parameters() if "bias" in name]
    assert named == ["norm1.bias", "norm2.bias"]


def test_the_fused_layer_stores_q_k_and_v_in_one_array_by_heads(paddle):
    layer = modules(paddle)["a fused layer"]
    shapes = {name: tuple(p.shape) for name, p in layer.named_parameters()}
    assert len(shapes) == 12
    assert shapes["fused_attn.qkv_weight"] == (3, A, H // A, H)
    assert shapes["fused_attn.qkv_bias"] == (3, A, H // A)
    assert shapes["ffn._linear1_weight"] == (H, F)
    # Paddle's package for the CPU has the layer, and not the function that it calls.
    with pytest.raises(AttributeError, match="has no attribute 'fused_attention'"):
        layer(paddle.rand([1, 2, H]))


def test_rms_norm_does_not_run_on_a_cpu(paddle):
    """Hence the LLaMA here has a norm of its own."""
    with pytest.raises(RuntimeError, match=r"rms_norm.* is not registered"):
        paddle.nn.functional.rms_norm(paddle.rand([2, H]), [H], paddle.ones([H]))


def test_dtypes(paddle):
    """Building keeps the default; NumPy has no bfloat16, so ``numpy()`` returns its bits."""
    before = paddle.get_default_dtype()
    model = load("paddle").build(SPECS["llama"], dtype="float64")
    assert (model.dtype, paddle.get_default_dtype()) == ("float64", before)
    assert str(paddle.ones([1], dtype="bfloat16").numpy().dtype) == "uint16"
