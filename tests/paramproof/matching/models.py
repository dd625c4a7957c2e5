"""Models whose weights have meaningless names, like variables of linen, without a framework."""

import numpy as np

from paramproof.formulas import inventory
from tests.specs import LIVE_ENCODER


def shapes(spec=LIVE_ENCODER):
    expanded = inventory(spec.letters()).expand()
    tensors = [tensor for tensor in expanded if tensor.trainable and not tensor.tied_to]
    return {tensor.path: tensor.shape for tensor in sorted(tensors, key=lambda t: t.path[::-1])}


def model(tensors):
    return {"params": {f"w{n}": np.empty(shape) for n, shape in enumerate(tensors.values())}}
