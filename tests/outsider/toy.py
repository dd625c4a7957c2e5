"""A framework from another distribution: arrays in a dict, in plain NumPy.

It registers by an entry point and imports only what any framework's file may import. The same
encoder has three names: correct, with a bias missing, and broken.
"""

import os

import numpy as np

from paramproof.builders.arrays import require, require_allocated, require_arrays
from paramproof.builders.protocol import Outputs
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import EncoderSpec

FRAMEWORKS = {
    "toy": {
        "distributions": ("numpy",),
        "fixed": {"mlm_head": False, "nsp_head": False},
        "model_packages": {"toy_framework": "the toy"},
    },
    "toy-wrong": {
        "distributions": ("numpy",),
        "fixed": {"mlm_head": False, "nsp_head": False},
        "environment": {"TOY": "wrong"},
    },
    "toy-broken": {"distributions": ("numpy",), "environment": {"TOY": "broken"}},
    "toy-absent": {"distributions": ("a-distribution-that-nobody-has",)},
}

if os.environ.get("TOY") == "broken":
    raise TypeError("the toy is broken [on purpose]")

NORM = ("scale", "bias")


def supports(spec):
    if not isinstance(spec, EncoderSpec):
        return "the toy is an encoder"
    return "the toy has no heads" if spec.mlm_head or spec.nsp_head else True


def build(spec, numerics=None, *, allocate=False, dtype="float32"):
    require(supports(spec))
    return Toy(spec, dtype, np.zeros if allocate else None)


def live_weights(model):
    return [Weight(path, shape, True, ()) for path, shape in model.shapes.items()]


def build_abstractly(make):
    return make()


class Toy:
    def __init__(self, spec, dtype, make):
        self.dtype = dtype
        hidden, inner = spec.hidden_size, spec.intermediate_size
        shapes = {
            "embeddings.word_embeddings.weight": (spec.vocab_size, hidden),
            "embeddings.position_embeddings.weight": (spec.max_position_embeddings, hidden),
            "embeddings.token_type_embeddings.weight": (spec.type_vocab_size, hidden),
        }
        shapes |= {f"embeddings.layer_norm.{name}": (hidden,) for name in NORM}
        for index in range(spec.num_hidden_layers):
            layer = f"layers.{index}"
            for name in ("query", "key", "value", "output"):
                shapes |= dense(f"{layer}.attention.{name}", hidden, hidden)
            shapes |= dense(f"{layer}.feed_forward.intermediate", hidden, inner)
            shapes |= dense(f"{layer}.feed_forward.output", inner, hidden)
            for norm in ("attention_layer_norm", "feed_forward_layer_norm"):
                shapes |= {f"{layer}.{norm}.{name}": (hidden,) for name in NORM}
            if os.environ.get("TOY") == "wrong":
                del shapes[f"{layer}.feed_forward.intermediate.bias"]
        if spec.pooler:
            shapes |= dense("pooler", hidden, hidden)
        self.shapes = shapes
        self.arrays = make and {path: make(shape, dtype) for path, shape in shapes.items()}

    def weights(self):
        return [Weight(path, shape, True, (path,)) for path, shape in self.shapes.items()]

    def read(self):
        require_allocated(self.arrays is not None)
        return {path: array.copy() for path, array in self.arrays.items()}

    def write(self, arrays):
        require_arrays(self.shapes, self.dtype, arrays)
        self.arrays = {path: array.copy() for path, array in arrays.items()}

    def run(self, ids, types, mask):
        require_allocated(self.arrays is not None)
        return Outputs(self.arrays["embeddings.word_embeddings.weight"][ids], None, None, None)


def dense(path, inputs, outputs):
    return {f"{path}.kernel": (inputs, outputs), f"{path}.bias": (outputs,)}
