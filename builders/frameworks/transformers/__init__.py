"""Hugging Face transformers: its own models, which nobody here wrote.

Made from a configuration, never downloaded, on the meta device, where a parameter has a
shape and no storage.
"""

from __future__ import annotations

from typing import Any, Literal

import torch

from paramproof.builders.arrays import has_family, require
from paramproof.builders.frameworks.transformers import encoder, gpt, llama
from paramproof.builders.frameworks.transformers.model import HuggingFaceModel
from paramproof.builders.meta import meta
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import (
    EncoderDecoderSpec,
    EncoderSpec,
    GPTSpec,
    LlamaSpec,
    Numerics,
    Spec,
)

__all__ = ["FRAMEWORKS", "HuggingFaceModel", "build", "supports"]

FRAMEWORKS = {
    "transformers": {
        "extra": "transformers",
        "distributions": ("transformers", "torch"),
        "fixed": {"tie_word_embeddings": True},
        "float32_steps": ("positions", "rms_norm"),
    }
}

FAMILIES: dict[type[Spec], Any] = {EncoderSpec: encoder, GPTSpec: gpt, LlamaSpec: llama}


def supports(spec: Spec) -> Literal[True] | str:
    """Return True, or the heads for which Hugging Face has no class."""
    if isinstance(spec, EncoderDecoderSpec):
        return "Hugging Face's Transformer of 2017, Marian, orders its positions' sines otherwise"
    known = has_family("transformers", FAMILIES, spec)
    return FAMILIES[type(spec)].supports(spec) if known is True else known


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> HuggingFaceModel:
    """Build the model on the meta device, or on the CPU if ``allocate``."""
    require(supports(spec))
    family = FAMILIES[type(spec)]
    with torch.device("cpu") if allocate else meta():
        module = family.made(spec, numerics or spec.original_numerics)
    return HuggingFaceModel(module.to(getattr(torch, dtype)), family)
