"""PyTorch: its own layers, with q, k and v fused in one projection.

Built on the meta device, where a parameter has a shape and no storage. PyTorch stores a
kernel as (out, in) and calls it, as everything else, a weight.
"""

from __future__ import annotations

from typing import Literal

import torch

from builders.frameworks.torch.encoder import Encoder
from builders.frameworks.torch.model import TorchModel
from builders.protocol import DType, require, requires
from formulas.spec import EncoderSpec, Numerics, Spec

__all__ = ["FRAMEWORKS", "Encoder", "TorchModel", "build", "supports"]

FRAMEWORKS = {"torch": {"extra": "torch", "distributions": ("torch",)}}


def supports(spec: Spec) -> Literal[True] | str:
    """Every encoder can be expressed."""
    return requires(spec, EncoderSpec)


def build(
    spec: EncoderSpec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> TorchModel:
    """The model on the meta device, or on the CPU where it is to be allocated."""
    require(supports(spec))
    with torch.device("cpu" if allocate else "meta"):
        module = Encoder(spec, numerics or Numerics())
    return TorchModel(module.to(getattr(torch, dtype)))
