"""A weight's array taken apart into its canonical tensors, by executing its layout backwards."""

import einops
import numpy as np

from formulas.inventory import at_layer
from formulas.weight import LAYOUTS, STACKED


def canonical_arrays(weight, array, inventory):
    """The canonical tensors in ``array``, by path. ``inventory`` is expanded, in ints."""
    letters = inventory.letters
    shapes = {tensor.path: tensor.shape for tensor in inventory}
    if weight.stacked:
        arrays = {
            index: _parts(weight, layer, letters, shapes, index)
            for index, layer in enumerate(array)
        }
        return {path: part for layer in arrays.values() for path, part in layer.items()}
    return _parts(weight, array, letters, shapes, None)


def _parts(weight, array, letters, shapes, index):
    for name in reversed(weight.layout):
        if name != STACKED:
            left, right = LAYOUTS[name].split(" -> ")
            sizes = {"k": letters.H // letters.A} if "k" in LAYOUTS[name] else {}
            array = einops.rearrange(array, f"{right} -> {left}", **sizes)
    paths = [part if index is None else at_layer(part, index) for part in weight.parts]
    ends = np.cumsum([shapes[path][-1] for path in paths])[:-1]
    return dict(zip(paths, np.split(array, ends, axis=-1), strict=True))
