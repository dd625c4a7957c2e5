"""One of Hugging Face's models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from torch import Tensor, nn
from transformers import PreTrainedModel

from paramproof.builders.frameworks.transformers import encoder, gpt, llama
from paramproof.builders.names import NameTable, Storage, storage_of
from paramproof.builders.protocol import Outputs
from paramproof.builders.torch_parameters import TorchParameters
from paramproof.formulas.layout import Weight


class Family(Protocol):
    """A file of this package: the names and the forward pass of its models."""

    NAMES: NameTable
    forward: Callable[..., Outputs]


FAMILIES: tuple[Family, ...] = (encoder, gpt, llama)


class HuggingFaceModel(TorchParameters):
    """Any of Hugging Face's models of one family, or of those that share its names.

    ERNIE's, for example, bear BERT's, and Mistral's LLaMA's. Unless it is given, the family is
    the one to whose names most of the weights' belong.
    """

    def __init__(self, module: PreTrainedModel, family: Family | None = None) -> None:
        super().__init__(module)
        self.family = family or max(FAMILIES, key=self._known)

    def weight(self, parameter: nn.Parameter, path: str, *others: str) -> Weight:
        """Return ``parameter`` as a weight with a path and its other paths."""
        parts, layout = self._stored(path)
        further = [self._stored(other).parts or (other,) for other in others]
        # The second name of a tied bias has the same canonical tensor, and is not an alias.
        aliases = tuple(alias for names in further for alias in names if alias not in parts)
        shape = tuple(parameter.shape)
        return Weight(path, shape, parameter.requires_grad, parts, layout, aliases)

    def forward(self, *inputs: Tensor) -> Outputs:
        """Return the outputs of the family's forward pass."""
        return self.family.forward(self.module, *inputs)

    def _known(self, family: Family) -> int:
        """Return how many of the weights have a name of ``family``."""
        paths = [path for path, _ in self.module.named_parameters()]
        return sum(bool(self._stored(path, family).parts) for path in paths)

    def _stored(self, path: str, family: Family | None = None) -> Storage:
        """Return what ``path`` stores, without a prefix such as bert. in a model with heads."""
        prefix: Any = self.module.base_model_prefix
        return storage_of((family or self.family).NAMES, path.removeprefix(f"{prefix}."))
