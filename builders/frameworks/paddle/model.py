"""Weights, values, outputs and gradients of a Paddle layer, whichever model it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import paddle
from paddle import Tensor, nn

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


def weights_of(module: nn.Layer, names: NameTable) -> list[Weight]:
    """Return every parameter of ``module`` once, by identity; its further names are aliases.

    A frozen parameter (``stop_gradient`` True) is listed as not trainable. So are the running
    statistics of a batch norm, which Paddle lists among the parameters.
    """
    named: dict[int, list[tuple[str, Tensor]]] = {}
    for path, parameter in module.named_parameters(remove_duplicate=False):
        named.setdefault(id(parameter), []).append((path, parameter))
    return [_weight(same, names) for same in named.values()]


def _weight(same: Sequence[tuple[str, Tensor]], names: NameTable) -> Weight:
    (path, parameter), *others = same
    parts, layout = storage_of(names, path)
    further = (storage_of(names, other).parts or (other,) for other, _ in others)
    aliases = tuple(alias for parts in further for alias in parts)
    shape = tuple(parameter.shape)
    return Weight(path, shape, not parameter.stop_gradient, parts, layout, aliases)


class PaddleModel:
    """A layer of this package: its attribute ``names`` has the contents of its parameters."""

    def __init__(self, module: nn.Layer) -> None:
        module.eval()
        self.module = module
        self.names: NameTable = module.names

    def weights(self) -> list[Weight]:
        """Return every parameter once, as ``weights_of`` does."""
        return weights_of(self.module, self.names)

    @property
    def dtype(self) -> DType:
        """The dtype of the first parameter."""
        name: Any = str(self.module.parameters()[0].dtype).removeprefix("paddle.")
        return name

    def read(self) -> dict[str, Array]:
        """Return a copy of every parameter."""
        self._require_allocated()
        return {k: v.numpy() for k, v in self.module.named_parameters()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Copy ``arrays`` into the parameters, which keep their storage and so their ties."""
        self._require_allocated()
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        for name, parameter in self.module.named_parameters():
            parameter.set_value(arrays[name])

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass, for evaluation."""
        with paddle.no_grad():
            outputs = self._forward(*inputs)
        return Outputs(**{k: None if v is None else v.numpy() for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        outputs = self._forward(*inputs)
        wanted = {k: paddle.to_tensor(v) for k, v in cotangents._asdict().items() if v is not None}
        loss = sum((outputs[name] * cotangent).sum() for name, cotangent in wanted.items())
        trainable = {k: v for k, v in self.module.named_parameters() if not v.stop_gradient}
        gradients = paddle.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: gradient.numpy() for name, gradient in reached if gradient is not None}

    def _forward(self, *arrays: Array) -> dict[str, Any]:
        self._require_allocated()
        outputs: dict[str, Any] = self.module(*map(paddle.to_tensor, arrays))
        return outputs

    def _require_allocated(self) -> None:
        # Without this check, a lazy parameter would be read as an empty array.
        require_allocated(all(p._is_initialized() for p in self.module.parameters()))
