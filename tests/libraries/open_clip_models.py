"""Constructors of open_clip: each parameter is a size of the class, with small defaults."""

from __future__ import annotations

from typing import Any

# Before open_clip, which imports torchvision.
from sweep.library import torchvision_operators  # noqa: F401

# isort: split
from open_clip.coca_model import CoCa, MultimodalCfg
from open_clip.model import CLIP, CLIPTextCfg, CLIPVisionCfg


def clip(
    embed_dim: int = 28,
    vision_width: int = 24,
    vision_layers: int = 3,
    width: int = 32,
    layers: int = 2,
    vocab_size: int = 97,
) -> Any:
    vision = CLIPVisionCfg(
        layers=vision_layers, width=vision_width, head_width=8, patch_size=8, image_size=32
    )
    text = CLIPTextCfg(
        context_length=13, vocab_size=vocab_size, width=width, heads=4, layers=layers
    )
    return CLIP(embed_dim, vision, text)


def clip_resnet(embed_dim: int = 28, vision_width: int = 16, d1: int = 2, d2: int = 3) -> Any:
    vision = CLIPVisionCfg(layers=(d1, d2, 1, 1), width=vision_width, head_width=8, image_size=64)
    return CLIP(embed_dim, vision, CLIPTextCfg(13, 97, width=32, heads=4, layers=2))


def coca(
    embed_dim: int = 32,
    vision_width: int = 24,
    vision_layers: int = 3,
    layers: int = 2,
    multimodal_layers: int = 4,
) -> Any:
    vision = CLIPVisionCfg(
        layers=vision_layers,
        width=vision_width,
        head_width=8,
        patch_size=8,
        image_size=32,
        attentional_pool=True,
        attn_pooler_heads=4,
        output_tokens=True,
    )
    text = CLIPTextCfg(13, 97, width=embed_dim, heads=4, layers=layers, output_tokens=True)
    both = MultimodalCfg(13, 97, width=embed_dim, heads=4, layers=multimodal_layers, dim_head=8)
    return CoCa(embed_dim, both, text, vision)
