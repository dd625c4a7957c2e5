"""PaddlePaddle: its own layers, with kernels stored as (in, out) and called weights.

Built under ``paddle.LazyGuard``, where a parameter has a shape and no storage. A parameter is
trainable unless ``stop_gradient`` is True.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

with warnings.catch_warnings():
    # It warns if ccache is missing and, before setuptools 82, about pkg_resources. Both matter
    # only for extensions in C++.
    warnings.simplefilter("ignore")
    import paddle

from paddle import Tensor, nn

from paramproof.builders.frameworks.paddle.models import MODULES
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.builders.shell import Model, each_once, shell
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


def make(kind: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType) -> PaddleModel:
    """Build the model, with storage for its parameters only if ``allocate``."""
    with nullcontext() if allocate else paddle.LazyGuard(), _default_dtype(dtype):
        return PaddleModel(kind(spec, numerics))


supports, build = shell("paddle", MODULES, make)


class PaddleModel(Model):
    """A layer of this package: its attribute ``names`` has the contents of its parameters."""

    write_allocates = False

    def __init__(self, module: nn.Layer) -> None:
        module.eval()
        self.module = module
        self.names = module.names

    def stored(self) -> list[Weight]:
        return stored_parameters(self.module)

    def arrays(self) -> dict[str, Tensor]:
        return dict(self.module.named_parameters())

    @property
    def allocated(self) -> bool:
        # Without this check, a lazy parameter would be read as an empty array.
        return all(parameter._is_initialized() for parameter in self.module.parameters())

    def assign(self, arrays: Mapping[str, Array]) -> None:
        for name, parameter in self.module.named_parameters():
            parameter.set_value(arrays[name])

    def run(self, *inputs: Array) -> Outputs:
        with paddle.no_grad():
            return super().run(*inputs)

    def outputs(self, *inputs: Tensor) -> dict[str, Any]:
        return self.module(*inputs)

    def gradient(self, loss: Callable[[Any], Any], *inputs: Tensor) -> dict[str, Tensor]:
        trainable = {k: v for k, v in self.module.named_parameters() if not v.stop_gradient}
        total = loss(self.outputs(*inputs))
        gradients = paddle.grad(total, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: gradient for name, gradient in reached if gradient is not None}

    def tensor(self, array: Array) -> Tensor:
        return paddle.to_tensor(array)

    def array(self, tensor: Tensor) -> Array:
        return tensor.numpy()


def stored_parameters(module: nn.Layer) -> list[Weight]:
    """Return every parameter of ``module`` once, by identity; its further names are aliases.

    A frozen parameter (``stop_gradient`` True) is listed as not trainable, and so is a running
    statistic of a batch norm, which Paddle lists among the parameters.
    """
    return [
        Weight(path, tuple(own.shape), not own.stop_gradient, aliases=others)
        for own, path, others in each_once(module.named_parameters(remove_duplicate=False))
    ]


def live_weights(model: Any) -> list[Weight]:
    """Return every parameter of a user's layer once, by identity, with its aliases.

    Raises ``ValueError`` for a tensor, an optimizer, or another object that is not a layer.
    """
    if not isinstance(model, nn.Layer):
        raise ValueError(f"{type(model).__module__}.{type(model).__name__} is not an nn.Layer")
    return stored_parameters(model)


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
