"""Paddle: the dtypes of its arrays."""

import pytest

from paramproof.builders import load
from tests.specs import SPECS

pytestmark = pytest.mark.framework("paddle")


@pytest.fixture
def paddle():
    # The builder suppresses Paddle's warning that ccache is missing.
    load("paddle")
    import paddle

    return paddle


def test_dtypes(paddle):
    """Building keeps the default; NumPy has no bfloat16, so ``numpy()`` returns its bits."""
    before = paddle.get_default_dtype()
    model = load("paddle").build(SPECS["llama"], dtype="float64")
    assert (model.dtype, paddle.get_default_dtype()) == ("float64", before)
    assert str(paddle.ones([1], dtype="bfloat16").numpy().dtype) == "uint16"
