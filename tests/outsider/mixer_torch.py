"""A framework from another distribution for MLP-Mixer: PyTorch's own modules."""

import torch
from mixer_family import MixerSpec
from torch import nn

from paramproof.builders.arrays import has_family, require
from paramproof.formulas.layout import Weight

FRAMEWORKS = {"mixer-torch": {"distributions": ("torch",)}}

DENSE = {"weight": ("kernel", ("transposed",)), "bias": ("bias", ())}
NORM = {"weight": ("scale", ()), "bias": ("bias", ())}


class Block(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.patches_norm = nn.LayerNorm(spec.hidden_size)
        self.patch_mixing = mlp(spec.num_patches, spec.tokens_mlp_dim)
        self.channels_norm = nn.LayerNorm(spec.hidden_size)
        self.channel_mixing = mlp(spec.hidden_size, spec.channels_mlp_dim)

    def forward(self, x):
        x = x + self.patch_mixing(self.patches_norm(x).mT).mT
        return x + self.channel_mixing(self.channels_norm(x))


class Mixer(nn.Module):
    def __init__(self, spec):
        super().__init__()
        pixels = spec.num_channels * spec.patch_size**2
        self.stem = nn.Linear(pixels, spec.hidden_size)
        self.blocks = nn.ModuleList(Block(spec) for _ in range(spec.num_blocks))
        self.final_norm = nn.LayerNorm(spec.hidden_size)
        if spec.classifier:
            self.classifier = nn.Linear(spec.hidden_size, spec.num_labels)

    def forward(self, patches):
        x = self.stem(patches)
        for block in self.blocks:
            x = block(x)
        return self.classifier(self.final_norm(x).mean(1))


class Built:
    def __init__(self, module):
        self.module = module

    def weights(self):
        return [weight(*named) for named in self.module.named_parameters()]


def weight(name, parameter):
    """Return the canonical name: ``nn.Sequential`` has numbers where the formula has names."""
    module, _, leaf = name.rpartition(".")
    canonical, layout = (NORM if module.endswith("norm") else DENSE)[leaf]
    for number, inner in (("0", "intermediate"), ("2", "output")):
        module = module.replace(f"_mixing.{number}", f"_mixing.{inner}")
    return Weight(name, tuple(parameter.shape), True, (f"{module}.{canonical}",), layout)


def mlp(width, inner):
    return nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))


def supports(spec):
    return has_family("mixer-torch", {MixerSpec: Mixer}, spec)


def build(spec, numerics=None, *, allocate=False, dtype="float32"):
    require(supports(spec))
    with torch.device("cpu" if allocate else "meta"):
        return Built(Mixer(spec).to(getattr(torch, dtype)))
