"""Weights, values, outputs and gradients of an MLX module, whichever model it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten, tree_unflatten

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


class MlxModel:
    """A module of this package, or of its like: ``names`` says what an array holds.

    No array says whether it has been computed, so the model remembers whether it was allocated.
    """

    def __init__(self, module: nn.Module, allocated: bool = True) -> None:
        self.module = module.eval()
        self.names: NameTable = module.names
        self.allocated = allocated
        if allocated:
            mx.eval(module.parameters())

    def weights(self) -> list[Weight]:
        """Return every array in ``parameters()`` once. Frozen ones are not trainable."""
        return [self._named(weight) for weight in stored_arrays(self.module)]

    def _named(self, weight: Weight) -> Weight:
        parts, layout = storage_of(self.names, weight.path)
        return replace(weight, parts=parts, layout=layout)

    @property
    def dtype(self) -> DType:
        """The dtype of the first parameter."""
        name: Any = str(next(iter(self._arrays().values())).dtype).removeprefix("mlx.core.")
        return name

    def read(self) -> dict[str, Array]:
        """Return a copy of every parameter."""
        require_allocated(self.allocated)
        return {path: np.array(array) for path, array in self._arrays().items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Put other arrays in the place of the parameters, whether these are computed or not."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        own = {path: array.dtype for path, array in self._arrays().items()}
        with on_cpu():
            given = [(path, _array(arrays[path], own[path])) for path in own]
            self.module.update(tree_unflatten(given))
        mx.eval(self.module.parameters())
        self.allocated = True

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass in evaluation mode."""
        require_allocated(self.allocated)
        with on_cpu():
            outputs = self.module(*map(_array, inputs))
            return Outputs(**{k: None if v is None else np.array(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        require_allocated(self.allocated)
        kind = getattr(mx, self.dtype)
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}

        def loss(*given: mx.array) -> mx.array:
            outputs = self.module(*given)
            return sum(mx.sum(outputs[k] * _array(v, kind)) for k, v in wanted.items())

        with on_cpu():
            _, gradients = nn.value_and_grad(self.module, loss)(*map(_array, inputs))
            return {path: np.array(array) for path, array in _arrays(gradients).items()}

    def _arrays(self) -> dict[str, mx.array]:
        return _arrays(self.module.parameters())


def stored_arrays(module: Any) -> Iterator[Weight]:
    """Yield every array of a module once, by identity, with the other paths that lead to it.

    An array under several paths is trainable if it is so under any of them.
    """
    paths: dict[int, list[str]] = {}
    arrays = _arrays(module.parameters())
    for path, array in arrays.items():
        paths.setdefault(id(array), []).append(path)
    trainable = _arrays(module.trainable_parameters()).keys()
    for first, *others in paths.values():
        is_trainable = not trainable.isdisjoint((first, *others))
        yield Weight(first, tuple(arrays[first].shape), is_trainable, (), aliases=(*others,))


def require_plain_weights(module: Any) -> None:
    """Raise ``ValueError`` for anything but a module whose arrays are the weights themselves."""
    kind = type(module)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if not isinstance(module, nn.Module):
        raise ValueError(f"{name} is not an mlx.nn.Module")
    for path, one in module.named_modules():
        if type(one).__module__ == "mlx.nn.layers.quantized":
            raise ValueError(
                f"{name} is quantised (it has {path or type(one).__name__}): weights are packed "
                "and have separate scales; give the model before quantisation"
            )


def _arrays(tree: Any) -> dict[str, mx.array]:
    """Return the arrays in a tree of dicts and lists, which may hold other things, by path."""
    return {path: leaf for path, leaf in tree_flatten(tree) if isinstance(leaf, mx.array)}


def _array(array: Array, dtype: mx.Dtype | None = None) -> mx.array:
    """Return an MLX array. MLX refuses negative strides, and casts NumPy's float64 to float32."""
    return mx.array(array.copy(), dtype=dtype)


@contextmanager
def on_cpu() -> Iterator[None]:
    """Compute on the CPU, where alone float64 exists, and one operation after the other.

    MLX's activations are compiled. On a CPU this takes a C++ compiler, and seconds.
    """
    mx.disable_compile()
    try:
        with mx.stream(mx.cpu):
            yield
    finally:
        mx.enable_compile()
