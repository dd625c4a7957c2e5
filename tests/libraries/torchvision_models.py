"""Constructors of torchvision: each parameter is a size of the class, with small defaults."""

from __future__ import annotations

from functools import partial
from typing import Any

# Before torchvision.
from sweep.library import torchvision_operators  # noqa: F401

# isort: split
from torchvision.models import convnext, densenet, maxvit, mobilenetv2, mobilenetv3, regnet, resnet
from torchvision.models import swin_transformer as swin_module
from torchvision.models import vision_transformer as vit_module
from torchvision.models.video import mvit as mvit_module


def vit(
    hidden_dim: int = 24, mlp_dim: int = 56, num_layers: int = 3, num_heads: int = 4, patch: int = 8
) -> Any:
    return vit_module.VisionTransformer(
        64, patch, num_layers, num_heads, hidden_dim, mlp_dim, num_classes=11
    )


def resnet_bottleneck(
    d1: int = 2, d2: int = 3, d3: int = 4, d4: int = 5, classes: int = 11, width: int = 16
) -> Any:
    return resnet.ResNet(resnet.Bottleneck, [d1, d2, d3, d4], classes, width_per_group=width)


def resnext(d1: int = 2, d2: int = 3, groups: int = 4, width: int = 8, classes: int = 11) -> Any:
    return resnet.ResNet(
        resnet.Bottleneck, [d1, d2, 1, 1], classes, groups=groups, width_per_group=width
    )


def swin(embed_dim: int = 24, d1: int = 2, d2: int = 3, a1: int = 2, a2: int = 4) -> Any:
    return swin_module.SwinTransformer(
        [4, 4], embed_dim, [d1, d2], [a1, a2], [7, 7], num_classes=11
    )


def conv_next(h1: int = 16, h2: int = 24, d1: int = 2, d2: int = 3, classes: int = 11) -> Any:
    setting = [convnext.CNBlockConfig(h1, h2, d1), convnext.CNBlockConfig(h2, None, d2)]
    return convnext.ConvNeXt(setting, num_classes=classes)


def mvit(heads: int = 2, h1: int = 16, h2: int = 24, classes: int = 11, frames: int = 8) -> Any:
    def block(inner: int, outer: int) -> Any:
        return mvit_module.MSBlockConfig(
            heads, inner, outer, [3, 3, 3], [3, 3, 3], [1, 1, 1], [1, 2, 2]
        )

    return mvit_module.MViT(
        (32, 32),
        frames,
        [block(h1, h1), block(h1, h2), block(h2, h2)],
        residual_pool=True,
        residual_with_cls_embed=True,
        rel_pos_embed=True,
        proj_after_attn=True,
        num_classes=classes,
    )


def dense_net(
    growth: int = 6, d1: int = 2, d2: int = 3, features: int = 10, bn_size: int = 4
) -> Any:
    return densenet.DenseNet(growth, (d1, d2), features, bn_size, num_classes=11)


def mobilenet_v2(h1: int = 24, h2: int = 40, d1: int = 2, d2: int = 3, classes: int = 11) -> Any:
    setting = [[6, h1, d1, 1], [6, h2, d2, 2]]
    return mobilenetv2.MobileNetV2(classes, inverted_residual_setting=setting)


def mobilenet_v3(h1: int = 16, h2: int = 24, expanded: int = 72, last: int = 96) -> Any:
    block = partial(mobilenetv3.InvertedResidualConfig, dilation=1, width_mult=1.0)
    setting = [
        block(h1, 3, expanded, h2, True, "RE", 2),
        block(h2, 5, expanded, h2, True, "HS", 1),
    ]
    return mobilenetv3.MobileNetV3(setting, last, num_classes=11)


def max_vit(h1: int = 16, h2: int = 32, d1: int = 1, d2: int = 2, head: int = 8) -> Any:
    return maxvit.MaxVit((56, 56), 12, 7, [h1, h2], [d1, d2], head, 0.2, num_classes=11)


def reg_net(depth: int = 9, width: int = 24, group: int = 8, classes: int = 11) -> Any:
    params = regnet.BlockParams.from_init_params(depth, width, 24.5, 2.5, group)
    return regnet.RegNet(params, num_classes=classes)
