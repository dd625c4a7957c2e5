"""Constructors of vit-pytorch: each parameter is a size of the class, with small defaults."""

from __future__ import annotations

from typing import Any

# Before vit_pytorch, which imports torchvision.
from sweep.library import torchvision_operators  # noqa: F401

# isort: split
from vit_pytorch import vit as vit_module
from vit_pytorch.cait import CaiT
from vit_pytorch.cct import CCT
from vit_pytorch.levit import LeViT
from vit_pytorch.max_vit import MaxViT
from vit_pytorch.mobile_vit import MobileViT
from vit_pytorch.na_vit import NaViT
from vit_pytorch.simple_vit import SimpleViT
from vit_pytorch.t2t import T2TViT


def vit(dim: int = 24, depth: int = 3, heads: int = 4, dim_head: int = 7, mlp_dim: int = 56) -> Any:
    return vit_module.ViT(
        image_size=64,
        patch_size=8,
        num_classes=11,
        dim=dim,
        depth=depth,
        heads=heads,
        dim_head=dim_head,
        mlp_dim=mlp_dim,
    )


def simple_vit(
    dim: int = 24, depth: int = 3, heads: int = 4, mlp_dim: int = 56, patch_size: int = 8
) -> Any:
    return SimpleViT(
        image_size=patch_size * 8,
        patch_size=patch_size,
        num_classes=11,
        dim=dim,
        depth=depth,
        heads=heads,
        mlp_dim=mlp_dim,
    )


def cait(
    dim: int = 24, depth: int = 3, cls_depth: int = 2, heads: int = 4, mlp_dim: int = 56
) -> Any:
    return CaiT(
        image_size=64,
        patch_size=8,
        num_classes=11,
        dim=dim,
        depth=depth,
        cls_depth=cls_depth,
        heads=heads,
        mlp_dim=mlp_dim,
    )


def t2t(dim: int = 24, depth: int = 3, heads: int = 4, mlp_dim: int = 56) -> Any:
    return T2TViT(
        image_size=64,
        num_classes=11,
        dim=dim,
        depth=depth,
        heads=heads,
        mlp_dim=mlp_dim,
        t2t_layers=((7, 4), (3, 2)),
    )


def na_vit(
    dim: int = 24, depth: int = 3, heads: int = 4, mlp_dim: int = 56, image: int = 64
) -> Any:
    return NaViT(
        image_size=image,
        patch_size=8,
        num_classes=11,
        dim=dim,
        depth=depth,
        heads=heads,
        mlp_dim=mlp_dim,
    )


def mobile_vit(
    h1: int = 24, h2: int = 32, h3: int = 40, d1: int = 2, d2: int = 4, d3: int = 3
) -> Any:
    channels = [8, 16, 24, 24, 32, 32, 40, 40, 48, 48, 56]
    return MobileViT((64, 64), [h1, h2, h3], channels, 11, depths=(d1, d2, d3))


def max_vit(dim: int = 24, d1: int = 2, d2: int = 3, dim_head: int = 8, stem: int = 16) -> Any:
    return MaxViT(
        num_classes=11,
        dim=dim,
        depth=(d1, d2),
        dim_head=dim_head,
        dim_conv_stem=stem,
        window_size=7,
    )


def levit(h1: int = 24, h2: int = 32, d1: int = 2, d2: int = 3, heads: int = 4) -> Any:
    return LeViT(
        image_size=64,
        num_classes=11,
        dim=(h1, h2),
        depth=(d1, d2),
        heads=heads,
        mlp_mult=2,
        stages=2,
        dim_key=8,
        dim_value=16,
    )


def cct(dim: int = 24, num_layers: int = 3, num_heads: int = 4, conv_layers: int = 2) -> Any:
    return CCT(
        img_size=64,
        embedding_dim=dim,
        n_conv_layers=conv_layers,
        num_layers=num_layers,
        num_heads=num_heads,
        num_classes=11,
    )
