"""Models whose weights' names say nothing, as linen's variables: no framework is needed."""

import numpy as np

from paramproof.formulas import inventory
from tests.specs import LIVE_ENCODER


def shapes(spec=LIVE_ENCODER):
    """Every tensor of ``spec`` as the formula has it, in no order that tells anything."""
    expanded = inventory(spec.letters()).expand()
    tensors = [tensor for tensor in expanded if tensor.trainable and not tensor.tied_to]
    return {tensor.path: tensor.shape for tensor in sorted(tensors, key=lambda t: t.path[::-1])}


def model(tensors):
    """Variables as linen has them, under names that say nothing."""
    return {"params": {f"w{n}": np.empty(shape) for n, shape in enumerate(tensors.values())}}
