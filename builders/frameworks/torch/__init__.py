"""PyTorch: its own layers, with q, k and v fused in one projection.

Built on the meta device, where a parameter has a shape and no storage. PyTorch stores a
kernel as (out, in) and calls it, as everything else, a weight.
"""

from __future__ import annotations

from typing import Literal

import torch

from paramproof.builders.arrays import by_family, has_family, require
from paramproof.builders.frameworks.torch.encoder import Encoder
from paramproof.builders.frameworks.torch.encoder_decoder import EncoderDecoder
from paramproof.builders.frameworks.torch.gpt import GPT
from paramproof.builders.frameworks.torch.llama import Llama
from paramproof.builders.frameworks.torch.model import TorchModel
from paramproof.builders.meta import meta
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import Numerics, Spec

__all__ = ["FRAMEWORKS", "Encoder", "TorchModel", "build", "supports"]

FRAMEWORKS = {
    "torch": {"extra": "torch", "distributions": ("torch",), "layer_packages": ("torch.nn",)}
}

MODULES = by_family(Encoder, EncoderDecoder, GPT, Llama)


def supports(spec: Spec) -> Literal[True] | str:
    """Return True for every model of these families, and otherwise a reason."""
    return has_family("torch", MODULES, spec)


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> TorchModel:
    """Build the model on the meta device, or on the CPU if ``allocate``."""
    require(supports(spec))
    with torch.device("cpu") if allocate else meta():
        module = MODULES[type(spec)](spec, numerics or spec.original_numerics)
    return TorchModel(module.to(getattr(torch, dtype)))
