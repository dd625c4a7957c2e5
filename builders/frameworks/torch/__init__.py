"""PyTorch: its own layers, with q, k and v fused in one projection.

Built on the meta device, where a parameter has a shape and no storage. PyTorch stores a
kernel as (out, in) and calls it, as everything else, a weight.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from paramproof.builders.frameworks.torch.models import MODULES, Encoder
from paramproof.builders.meta import meta
from paramproof.builders.protocol import DType
from paramproof.builders.shell import shell
from paramproof.builders.torch_shell import TorchParameters
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "Encoder", "TorchModel", "build", "supports"]

FRAMEWORKS = {"torch": {"extra": "torch", "distributions": ("torch",)}}


class TorchModel(TorchParameters):
    """Any module of this package, or of its like: ``names`` says what a parameter holds."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__(module)
        self.names = module.names


def make(kind: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType) -> TorchModel:
    """Build the model on the meta device, or on the CPU if ``allocate``."""
    with torch.device("cpu") if allocate else meta():
        module = kind(spec, numerics)
    return TorchModel(module.to(getattr(torch, dtype)))


supports, build = shell("torch", MODULES, make)
