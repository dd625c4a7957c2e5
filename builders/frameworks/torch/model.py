"""A PyTorch module of this package, whichever model it is."""

from __future__ import annotations

from torch import Tensor, nn

from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Outputs
from paramproof.builders.torch_parameters import TorchParameters
from paramproof.formulas.layout import Weight


class TorchModel(TorchParameters):
    """Any module of this package, or of its like: ``names`` says what a parameter holds."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__(module)
        self.names: NameTable = module.names

    def weight(self, parameter: nn.Parameter, path: str, *others: str) -> Weight:
        """Return ``parameter`` as a weight with a path and its other paths."""
        parts, layout = storage_of(self.names, path)
        further = (storage_of(self.names, other).parts or (other,) for other in others)
        aliases = tuple(alias for parts in further for alias in parts)
        shape = tuple(parameter.shape)
        return Weight(path, shape, parameter.requires_grad, parts, layout, aliases)

    def forward(self, *inputs: Tensor) -> Outputs:
        """Return the outputs of the module."""
        return Outputs(**self.module(*inputs))
