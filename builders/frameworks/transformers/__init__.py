"""Hugging Face transformers: its own models, which nobody here wrote.

Made from a configuration, never downloaded, on the meta device, where a parameter has a
shape and no storage.
"""

from __future__ import annotations

from typing import Literal

import torch

from builders.frameworks.transformers import encoder
from builders.frameworks.transformers.model import HuggingFaceModel
from builders.protocol import DType, require, requires
from formulas.spec import EncoderSpec, Numerics, Spec

__all__ = ["FRAMEWORKS", "HuggingFaceModel", "build", "supports"]

FRAMEWORKS = {
    "transformers": {
        "extra": "transformers",
        "distributions": ("transformers", "torch"),
        "fixed": {"tie_word_embeddings": True},
    }
}


def supports(spec: Spec) -> Literal[True] | str:
    """True, or what Hugging Face has no class for."""
    family = requires(spec, EncoderSpec)
    return encoder.supports(spec) if family is True else family


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
