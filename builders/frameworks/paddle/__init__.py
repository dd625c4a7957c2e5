"""PaddlePaddle: its own layers, with kernels stored as (in, out) and called weights.

Built under ``paddle.LazyGuard``, where a parameter has a shape and no storage. A parameter is
trainable unless ``stop_gradient`` is True.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Literal

with warnings.catch_warnings():
    # It warns if ccache is missing and, before setuptools 82, about pkg_resources. Both matter
    # only for extensions in C++.
    warnings.simplefilter("ignore")
    import paddle

from paramproof.builders.arrays import by_family, has_family, require
from paramproof.builders.frameworks.paddle.encoder import Encoder
from paramproof.builders.frameworks.paddle.encoder_decoder import EncoderDecoder
from paramproof.builders.frameworks.paddle.gpt import GPT
from paramproof.builders.frameworks.paddle.llama import Llama
from paramproof.builders.frameworks.paddle.model import PaddleModel, weights_of
from paramproof.builders.protocol import DType
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "PaddleModel", "build", "build_abstractly", "live_weights", "supports"]

FRAMEWORKS = {
    "paddle": {
        "extra": "paddle",
        "distributions": ("paddlepaddle",),
        # The epsilon of its layer norm is a float32.
        "float32_steps": ("layer_norm",),
        "model_packages": {"paddle": "PaddlePaddle"},
    }
}

MODULES = by_family(Encoder, EncoderDecoder, GPT, Llama)


def supports(spec: Spec) -> Literal[True] | str:
    """Return True for these families: each of their models can be expressed."""
    return has_family("paddle", MODULES, spec)


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> PaddleModel:
    """Build the model, with storage for its parameters only if ``allocate``."""
    require(supports(spec))
    with nullcontext() if allocate else paddle.LazyGuard(), _default_dtype(dtype):
        module = MODULES[type(spec)](spec, numerics or spec.original_numerics)
    return PaddleModel(module)


def live_weights(model: Any) -> list[Weight]:
    """Return every parameter of a user's layer once, by identity, with its aliases.

    Raises ``ValueError`` for a tensor, an optimizer, or another object that is not a layer.
    """
    if not isinstance(model, paddle.nn.Layer):
        raise ValueError(f"{type(model).__module__}.{type(model).__name__} is not an nn.Layer")
    return weights_of(model, {})


def build_abstractly(make: Callable[[], Any]) -> Any:
    """Return the layer that ``make`` builds, whose parameters have shapes and no storage."""
    with paddle.LazyGuard():
        return make()


@contextmanager
def _default_dtype(dtype: DType) -> Iterator[None]:
    """Set the dtype of new parameters inside; most of Paddle's layers take it from nowhere else."""
    before = paddle.get_default_dtype()
    paddle.set_default_dtype(dtype)
    try:
        yield
    finally:
        paddle.set_default_dtype(before)
