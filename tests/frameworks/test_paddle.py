"""Paddle: its fused layer, and what does not run on a CPU."""

import pytest

from paramproof.builders import load
from tests.specs import SPECS

pytestmark = pytest.mark.framework("paddle")

H, F, A = 12, 5, 3


@pytest.fixture
def paddle():
    # The builder imports Paddle without its warning that there is no ccache.
    load("paddle")
    import paddle

    return paddle


def test_the_fused_layer_stores_q_k_and_v_in_one_array_by_heads(paddle):
    from paddle.incubate.nn import FusedTransformerEncoderLayer

    layer = FusedTransformerEncoderLayer(H, A, F)
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
