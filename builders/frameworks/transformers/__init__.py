"""Hugging Face transformers: its own models, which nobody here wrote.

Made from a configuration, never downloaded, on the meta device, where a parameter has a
shape and no storage.
"""

from __future__ import annotations

from typing import Literal

import torch

from builders.frameworks.transformers import encoder
from builders.frameworks.transformers.model import HuggingFaceModel
from builders.protocol import DType, require
from formulas.spec import EncoderSpec, Numerics

__all__ = ["FRAMEWORKS", "HuggingFaceModel", "build", "supports"]

FRAMEWORKS = {
    "transformers": {
        "extra": "transformers",
        "distributions": ("transformers", "torch"),
        "fixed": {"tie_word_embeddings": True},
    }
}


def supports(spec: EncoderSpec) -> Literal[True] | str:
    """True, or what Hugging Face has no class for."""
    return encoder.supports(spec)


def build(
    spec: EncoderSpec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> HuggingFaceModel:
    """The model on the meta device, or on the CPU where it is to be allocated."""
    require(supports(spec))
    with torch.device("cpu" if allocate else "meta"):
        module = encoder.made(spec, numerics or Numerics())
    return HuggingFaceModel(module.to(getattr(torch, dtype)), encoder)
