"""Hugging Face transformers: its own models, which nobody here wrote.

Made from a configuration, never downloaded, on the meta device, where a parameter has a
shape and no storage.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from paramproof.builders.frameworks.transformers.models import GPT2, Bert, Llama
from paramproof.builders.meta import meta
from paramproof.builders.names import Storage, storage_of
from paramproof.builders.protocol import DType
from paramproof.builders.shell import Supported, shell
from paramproof.builders.torch_shell import TorchParameters
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

FAMILIES: dict[type[Spec], Any] = {EncoderSpec: Bert, GPTSpec: GPT2, LlamaSpec: Llama}


def limits(spec: Spec) -> Supported:
    """Return True, or the heads for which Hugging Face has no class."""
    if isinstance(spec, EncoderDecoderSpec):
        return "Hugging Face's Transformer of 2017, Marian, orders its positions' sines otherwise"
    return FAMILIES[type(spec)].limits(spec) if type(spec) in FAMILIES else True


def make(
    family: Any, spec: Spec, numerics: Numerics, allocate: bool, dtype: DType
) -> HuggingFaceModel:
    """Build the model on the meta device, or on the CPU if ``allocate``."""
    with torch.device("cpu") if allocate else meta():
        module = family.made(spec, numerics)
    return HuggingFaceModel(module.to(getattr(torch, dtype)), family)


supports, build = shell("transformers", FAMILIES, make, limits)


class HuggingFaceModel(TorchParameters):
    """Any of Hugging Face's models of one family, or of those that share its names.

    ERNIE's, for example, bear BERT's, and Mistral's LLaMA's. Unless it is given, the family is
    the one to whose names most of the weights' belong.
    """

    def __init__(self, module: PreTrainedModel, family: Any = None) -> None:
        super().__init__(module)
        self.family = family or max(FAMILIES.values(), key=self._known)

    def storage(self, path: str) -> Storage:
        return self._stored(path, self.family)

    def outputs(self, *inputs: Tensor) -> dict[str, Any]:
        return self.family.forward(self.module, *inputs)

    def _known(self, family: Any) -> int:
        """Return how many of the weights have a name of ``family``."""
        paths = [path for path, _ in self.module.named_parameters()]
        return sum(bool(self._stored(path, family).parts) for path in paths)

    def _stored(self, path: str, family: Any) -> Storage:
        """Return what ``path`` stores, without a prefix such as bert. in a model with heads."""
        prefix = self.module.base_model_prefix
        return storage_of(family.names, path.removeprefix(f"{prefix}."))
