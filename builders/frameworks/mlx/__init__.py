"""MLX: its own layers, with one projection each for queries, keys and values.

MLX computes an array when somebody reads it, so a model that is only built has shapes and allocates
nothing. It stores a kernel as (out, in) and calls it, as everything else, a weight. By default its
attention has no biases, and its encoder and decoder stacks end in a norm that the papers do not
have. Here the spec decides both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from paramproof.builders.protocol import Array, DType, FrameworkUnavailable, UnsupportedSpec
from paramproof.builders.shell import Model, each_once, shell
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import Numerics, Spec

try:
    import mlx.core as mx
except ImportError as error:  # The wheel for Linux has no backend; the extra installs one.
    raise FrameworkUnavailable(
        f"mlx has no backend that it can load ({error}); on Linux, install mlx[cpu]"
    ) from error

import numpy as np
from mlx import nn
from mlx.utils import tree_flatten, tree_unflatten

from paramproof.builders.frameworks.mlx.models import MODULES

__all__ = ["FRAMEWORKS", "MlxModel", "build", "build_abstractly", "live_weights", "supports"]

FRAMEWORKS = {
    "mlx": {
        "extra": "mlx",
        "distributions": ("mlx",),
        "model_packages": {"mlx": "MLX"},
        # Only the CPU has float64, and there exp, erf, sin, cos and both norms are float32.
        "float32_steps": ("gelu", "layer_norm", "positions", "rms_norm", "silu", "softmax"),
    }
}


def make(kind: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType) -> MlxModel:
    """Build the model with arrays that MLX has not computed yet, or has if ``allocate``."""
    with on_cpu():
        try:
            module = kind(spec, numerics, drawn=allocate)
        except OverflowError as error:
            raise UnsupportedSpec(f"MLX has lengths of 32 bits alone: {error}") from error
        module.set_dtype(getattr(mx, dtype))
        # A random key is computed from the one before, so unread keys of all builds would pile up.
        mx.eval(mx.random.state)
    return MlxModel(module, allocated=allocate)


supports, build = shell("mlx", MODULES, make)


class MlxModel(Model):
    """A module of this package, or of its like: ``names`` says what an array holds.

    No array says whether it has been computed, so the model remembers whether it was allocated.
    """

    allocated = False

    def __init__(self, module: nn.Module, allocated: bool = True) -> None:
        self.module = module.eval()
        self.names = module.names
        self.allocated = allocated
        if allocated:
            mx.eval(module.parameters())

    def stored(self) -> Iterator[Weight]:
        return stored_arrays(self.module)

    def arrays(self) -> dict[str, mx.array]:
        return _arrays(self.module.parameters())

    def assign(self, arrays: Mapping[str, Array]) -> None:
        """Put other arrays in the place of the parameters, whether these are computed or not."""
        self.module.update(
            tree_unflatten([(path, self.tensor(arrays[path])) for path in self.arrays()])
        )
        mx.eval(self.module.parameters())
        self.allocated = True

    def outputs(self, *inputs: mx.array) -> dict[str, Any]:
        return self.module(*inputs)

    def gradient(self, loss: Callable[[Any], Any], *inputs: mx.array) -> dict[str, mx.array]:
        def of_inputs(*inputs: mx.array) -> mx.array:
            return loss(self.outputs(*inputs))

        return _arrays(nn.value_and_grad(self.module, of_inputs)(*inputs)[1])

    def tensor(self, array: Array) -> mx.array:
        """Copy an array. MLX refuses negative strides, and casts NumPy's float64 to float32."""
        return mx.array(array.copy(), dtype=mx.float64 if array.dtype == "float64" else None)

    def array(self, tensor: mx.array) -> Array:
        return np.array(tensor)

    def computing(self) -> AbstractContextManager[None]:
        return on_cpu()


def live_weights(model: Any) -> Iterator[Weight]:
    """Return the arrays in ``parameters()``; those in ``trainable_parameters()`` are trainable.

    Raises ``ValueError`` for anything but a module whose arrays are the weights themselves.
    """
    kind = type(model)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if not isinstance(model, nn.Module):
        raise ValueError(f"{name} is not an mlx.nn.Module")
    for path, one in model.named_modules():
        if type(one).__module__ == "mlx.nn.layers.quantized":
            raise ValueError(
                f"{name} is quantised (it has {path or type(one).__name__}): weights are packed "
                "and have separate scales; give the model before quantisation"
            )
    return stored_arrays(model)


def build_abstractly(make: Callable[[], Any]) -> Any:
    """Return what ``make`` returns, since MLX computes an array only when it is read."""
    return make()


def stored_arrays(module: Any) -> Iterator[Weight]:
    """Yield every array of a module once, by identity, with the other paths that lead to it.

    An array under several paths is trainable if it is so under any of them.
    """
    trainable = _arrays(module.trainable_parameters()).keys()
    for array, first, others in each_once(_arrays(module.parameters()).items()):
        is_trainable = not trainable.isdisjoint((first, *others))
        yield Weight(first, tuple(array.shape), is_trainable, aliases=others)


def _arrays(tree: Any) -> dict[str, mx.array]:
    """Return the arrays in a tree of dicts and lists, which may hold other things, by path."""
    return {path: leaf for path, leaf in tree_flatten(tree) if isinstance(leaf, mx.array)}


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
