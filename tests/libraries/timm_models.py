"""Constructors of timm: each parameter is a size of the class, with small defaults."""

from __future__ import annotations

from typing import Any

# Before timm, which imports torchvision.
from sweep.library import torchvision_operators  # noqa: F401

# isort: split
import timm
from timm.layers import SwiGLUPacked
from timm.models import (
    beit,
    cait,
    convnext,
    davit,
    efficientnet,
    eva,
    hiera,
    levit,
    maxxvit,
    metaformer,
    mlp_mixer,
    naflexvit,
    nfnet,
    pvt_v2,
    resnet,
    swin_transformer,
    swin_transformer_v2,
    vision_transformer,
    xcit,
)


def vit(
    image: int = 48, patch: int = 12, embed_dim: int = 24, depth: int = 3, num_heads: int = 4
) -> Any:
    return vision_transformer.VisionTransformer(
        image, patch, num_classes=11, embed_dim=embed_dim, depth=depth, num_heads=num_heads
    )


def vit_norms(
    embed_dim: int = 24, depth: int = 3, num_heads: int = 4, mlp_ratio: int = 5, classes: int = 11
) -> Any:
    return vision_transformer.VisionTransformer(
        48,
        12,
        num_classes=classes,
        embed_dim=embed_dim,
        depth=depth,
        num_heads=num_heads,
        mlp_ratio=mlp_ratio,
        qk_norm=True,
        init_values=1e-5,
        reg_tokens=2,
    )


def vit_swiglu(embed_dim: int = 24, depth: int = 3, num_heads: int = 4) -> Any:
    return vision_transformer.VisionTransformer(
        48,
        12,
        num_classes=11,
        embed_dim=embed_dim,
        depth=depth,
        num_heads=num_heads,
        mlp_ratio=2.66667 * 2,
        mlp_layer=SwiGLUPacked,
    )


def vit_by_name(embed_dim: int = 24, depth: int = 3, num_heads: int = 4, classes: int = 11) -> Any:
    return timm.create_model(
        "vit_tiny_patch16_224",
        embed_dim=embed_dim,
        depth=depth,
        num_heads=num_heads,
        num_classes=classes,
    )


def swin(embed_dim: int = 24, d1: int = 2, d2: int = 3, a1: int = 2, a2: int = 4) -> Any:
    return swin_transformer.SwinTransformer(
        64, num_classes=11, embed_dim=embed_dim, depths=(d1, d2), num_heads=(a1, a2), window_size=4
    )


def swin_v2(embed_dim: int = 24, d1: int = 2, d2: int = 3, a1: int = 2, a2: int = 4) -> Any:
    return swin_transformer_v2.SwinTransformerV2(
        64, num_classes=11, embed_dim=embed_dim, depths=(d1, d2), num_heads=(a1, a2), window_size=4
    )


def conv_next(h1: int = 16, h2: int = 24, d1: int = 2, d2: int = 3, kernel: int = 5) -> Any:
    return convnext.ConvNeXt(
        num_classes=11, depths=(d1, d2, 1, 1), dims=(h1, h2, 40, 56), kernel_sizes=kernel
    )


def mixer(embed_dim: int = 32, num_blocks: int = 3, image: int = 64, patch: int = 8) -> Any:
    return mlp_mixer.MlpMixer(
        11, img_size=image, patch_size=patch, num_blocks=num_blocks, embed_dim=embed_dim
    )


def eva_02(embed_dim: int = 24, depth: int = 3, num_heads: int = 2) -> Any:
    return eva.Eva(
        48,
        12,
        num_classes=11,
        embed_dim=embed_dim,
        depth=depth,
        num_heads=num_heads,
        mlp_ratio=8 / 3,
        swiglu_mlp=True,
        use_rot_pos_emb=True,
    )


def naflex(embed_dim: int = 24, depth: int = 3, num_heads: int = 4, patch: int = 8) -> Any:
    config = naflexvit.NaFlexVitCfg(
        patch_size=patch, embed_dim=embed_dim, depth=depth, num_heads=num_heads
    )
    return naflexvit.NaFlexVit(config, num_classes=11)


def resnet_bottleneck(
    d1: int = 2, d2: int = 3, h1: int = 8, h2: int = 12, classes: int = 11, stem: int = 10
) -> Any:
    return resnet.ResNet(
        resnet.Bottleneck, (d1, d2), classes, stem_width=stem, channels=(h1, h2), stem_type="deep"
    )


def resnet_squeeze(d1: int = 2, d2: int = 3, h1: int = 16, h2: int = 32, classes: int = 11) -> Any:
    return resnet.ResNet(
        resnet.Bottleneck,
        (d1, d2),
        classes,
        channels=(h1, h2),
        block_args={"attn_layer": "se"},
    )


def cait_s(embed_dim: int = 24, depth: int = 3, num_heads: int = 4, token_depth: int = 2) -> Any:
    return cait.Cait(
        48,
        12,
        num_classes=11,
        embed_dim=embed_dim,
        depth=depth,
        num_heads=num_heads,
        depth_token_only=token_depth,
    )


def xcit_n(embed_dim: int = 24, depth: int = 3, num_heads: int = 4, cls_layers: int = 2) -> Any:
    return xcit.Xcit(
        64,
        16,
        num_classes=11,
        embed_dim=embed_dim,
        depth=depth,
        num_heads=num_heads,
        cls_attn_layers=cls_layers,
    )


def da_vit(h1: int = 16, h2: int = 24, d1: int = 2, d2: int = 3, a1: int = 2, a2: int = 4) -> Any:
    return davit.DaVit(depths=(d1, d2), embed_dims=(h1, h2), num_heads=(a1, a2), num_classes=11)


def hiera_t(embed_dim: int = 16, num_heads: int = 2, d1: int = 2, d2: int = 3) -> Any:
    return hiera.Hiera(
        embed_dim=embed_dim,
        num_heads=num_heads,
        num_classes=11,
        stages=(d1, d2),
        q_pool=1,
        mask_unit_attn=(True, False),
    )


def maxx_vit(h1: int = 32, h2: int = 64, d1: int = 2, d2: int = 3, stem: int = 24) -> Any:
    config = maxxvit.MaxxVitCfg(
        embed_dim=(h1, h2), depths=(d1, d2), block_type=("C", "M"), stem_width=stem
    )
    return maxxvit.MaxxVit(config, 224, num_classes=11)


def beit_s(embed_dim: int = 24, depth: int = 3, num_heads: int = 4, image: int = 48) -> Any:
    return beit.Beit(
        image,
        12,
        num_classes=11,
        embed_dim=embed_dim,
        depth=depth,
        num_heads=num_heads,
        init_values=0.1,
        use_rel_pos_bias=True,
    )


def pvt(h1: int = 16, h2: int = 24, d1: int = 2, d2: int = 3, a1: int = 2, a2: int = 4) -> Any:
    return pvt_v2.PyramidVisionTransformerV2(
        num_classes=11,
        depths=(d1, d2),
        embed_dims=(h1, h2),
        num_heads=(a1, a2),
        sr_ratios=(4, 1),
        mlp_ratios=(8.0, 4.0),
    )


def poolformer(h1: int = 16, h2: int = 24, d1: int = 2, d2: int = 3, classes: int = 11) -> Any:
    return metaformer.MetaFormer(
        num_classes=classes,
        depths=(d1, d2),
        dims=(h1, h2),
        layer_scale_init_values=1e-5,
        res_scale_init_values=(None, None),
    )


def efficientnet_scaled(percent: int = 110, classes: int = 11) -> Any:
    return efficientnet._gen_efficientnet(
        "efficientnet_b0",
        channel_multiplier=percent / 100,
        depth_multiplier=1.2,
        num_classes=classes,
    )


def levit_s(h1: int = 24, h2: int = 36, d1: int = 2, d2: int = 3, key_dim: int = 8) -> Any:
    return levit.Levit(
        64,
        num_classes=11,
        embed_dim=(h1, h2),
        key_dim=key_dim,
        depth=(d1, d2),
        num_heads=(3, 4),
    )


def norm_free(h1: int = 32, h2: int = 48, d1: int = 2, d2: int = 3) -> Any:
    config = nfnet.NfCfg(
        depths=(d1, d2), channels=(h1, h2), stem_type="3x3", group_size=8, act_layer="relu"
    )
    return nfnet.NormFreeNet(config, num_classes=11)
