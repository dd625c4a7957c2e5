"""A framework from another distribution for MLP-Mixer: a list of weights.

It has two names: correct, and with blocks that mix channels without a bias.
"""

import os

from mixer_family import MixerSpec

from paramproof.builders.arrays import has_family, require
from paramproof.formulas.layout import Weight

FRAMEWORKS = {
    "mixer-toy": {"distributions": ("numpy",), "model_packages": {"mixer_toy": "the Mixer"}},
    "mixer-wrong": {"distributions": ("numpy",), "environment": {"MIXER": "wrong"}},
}


def supports(spec):
    return has_family("the toy", {MixerSpec: Mixer}, spec)


def build(spec, numerics=None, *, allocate=False, dtype="float32"):
    require(supports(spec))
    return Mixer(spec)


def live_weights(model):
    return [Weight(path, shape, True, ()) for path, shape in model.shapes.items()]


class Mixer:
    def __init__(self, spec):
        self.shapes = {}
        hidden = spec.hidden_size
        self.dense("stem", spec.num_channels * spec.patch_size**2, hidden)
        for block in range(spec.num_blocks):
            self.mlp(f"blocks.{block}.patch_mixing", spec.num_patches, spec.tokens_mlp_dim)
            self.mlp(f"blocks.{block}.channel_mixing", hidden, spec.channels_mlp_dim)
            self.norm(f"blocks.{block}.patches_norm", hidden)
            self.norm(f"blocks.{block}.channels_norm", hidden)
            if os.environ.get("MIXER") == "wrong":
                del self.shapes[f"blocks.{block}.channel_mixing.intermediate.bias"]
        self.norm("final_norm", hidden)
        if spec.classifier:
            self.dense("classifier", hidden, spec.num_labels)

    def weights(self):
        return [Weight(path, shape, True, (path,)) for path, shape in self.shapes.items()]

    def dense(self, path, inputs, outputs):
        self.shapes |= {f"{path}.kernel": (inputs, outputs), f"{path}.bias": (outputs,)}

    def mlp(self, path, width, inner):
        self.dense(f"{path}.intermediate", width, inner)
        self.dense(f"{path}.output", inner, width)

    def norm(self, path, width):
        self.shapes |= {f"{path}.scale": (width,), f"{path}.bias": (width,)}
