"""MLX: its own layers, with one projection each for queries, keys and values.

MLX computes an array when somebody reads it, so a model that is only built has shapes and allocates
nothing. It stores a kernel as (out, in) and calls it, as everything else, a weight. By default its
attention has no biases, and its encoder and decoder stacks end in a norm that the papers do not
have. Here the spec decides both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from paramproof.builders.arrays import by_family, has_family, require
from paramproof.builders.protocol import DType, FrameworkUnavailable
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import Numerics, Spec

try:
    import mlx.core as mx
except ImportError as error:  # The wheel for Linux has no backend; the extra installs one.
    raise FrameworkUnavailable(
        f"mlx has no backend that it can load ({error}); on Linux, install mlx[cpu]"
    ) from error

from paramproof.builders.frameworks.mlx.encoder import Encoder
from paramproof.builders.frameworks.mlx.encoder_decoder import EncoderDecoder
from paramproof.builders.frameworks.mlx.gpt import GPT
from paramproof.builders.frameworks.mlx.llama import Llama
from paramproof.builders.frameworks.mlx.model import (
    MlxModel,
    on_cpu,
    require_plain_weights,
    stored_arrays,
)

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

MODULES = by_family(Encoder, EncoderDecoder, GPT, Llama)


def supports(spec: Spec) -> Literal[True] | str:
    """Return True for every model of these families, and otherwise a reason."""
    return has_family("mlx", MODULES, spec)


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> MlxModel:
    """Build the model with arrays that MLX has not computed yet, or has if ``allocate``."""
    require(supports(spec))
    with on_cpu():
        module = MODULES[type(spec)](spec, numerics or spec.original_numerics, drawn=allocate)
        module.set_dtype(getattr(mx, dtype))
    return MlxModel(module, allocated=allocate)


def live_weights(model: Any) -> Iterator[Weight]:
    """Return the arrays in ``parameters()``; those in ``trainable_parameters()`` are trainable."""
    require_plain_weights(model)
    return stored_arrays(model)


def build_abstractly(make: Callable[[], Any]) -> Any:
    """Return what ``make`` returns, since MLX computes an array only when it is read."""
    return make()
