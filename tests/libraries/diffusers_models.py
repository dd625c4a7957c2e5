"""Constructors of diffusers: each parameter is a size of the class, with small defaults."""

from __future__ import annotations

from typing import Any

import diffusers


def unet(
    h1: int = 32, h2: int = 64, head_dim: int = 8, layers_per_block: int = 2, cross_dim: int = 40
) -> Any:
    return diffusers.UNet2DConditionModel(
        block_out_channels=(h1, h2),
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        norm_num_groups=8,
        attention_head_dim=head_dim,
        layers_per_block=layers_per_block,
        cross_attention_dim=cross_dim,
    )


def unet_sdxl(
    h1: int = 32, h2: int = 64, blocks: int = 3, cross_dim: int = 40, heads: int = 4
) -> Any:
    return diffusers.UNet2DConditionModel(
        block_out_channels=(h1, h2),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        norm_num_groups=8,
        attention_head_dim=(2, heads),
        transformer_layers_per_block=(1, blocks),
        cross_attention_dim=cross_dim,
        use_linear_projection=True,
        addition_embed_type="text_time",
        addition_time_embed_dim=16,
        projection_class_embeddings_input_dim=112,
    )


def autoencoder(h1: int = 16, h2: int = 32, layers_per_block: int = 2, latent: int = 4) -> Any:
    return diffusers.AutoencoderKL(
        block_out_channels=(h1, h2),
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        layers_per_block=layers_per_block,
        latent_channels=latent,
        norm_num_groups=8,
    )


def dit(heads: int = 4, head_dim: int = 6, num_layers: int = 3, in_channels: int = 5) -> Any:
    return diffusers.DiTTransformer2DModel(
        num_attention_heads=heads,
        attention_head_dim=head_dim,
        num_layers=num_layers,
        in_channels=in_channels,
        sample_size=16,
        num_embeds_ada_norm=11,
    )


def pixart(heads: int = 4, head_dim: int = 6, num_layers: int = 3, caption: int = 40) -> Any:
    return diffusers.PixArtTransformer2DModel(
        num_attention_heads=heads,
        attention_head_dim=head_dim,
        num_layers=num_layers,
        cross_attention_dim=heads * head_dim,
        caption_channels=caption,
        sample_size=16,
        use_additional_conditions=False,
    )


def wan(
    heads: int = 4, head_dim: int = 12, num_layers: int = 3, ffn_dim: int = 56, text_dim: int = 40
) -> Any:
    return diffusers.WanTransformer3DModel(
        num_attention_heads=heads,
        attention_head_dim=head_dim,
        num_layers=num_layers,
        ffn_dim=ffn_dim,
        text_dim=text_dim,
    )


def wan_image(
    heads: int = 4, num_layers: int = 3, ffn_dim: int = 56, image_dim: int = 20, added: int = 48
) -> Any:
    return diffusers.WanTransformer3DModel(
        num_attention_heads=heads,
        attention_head_dim=12,
        num_layers=num_layers,
        ffn_dim=ffn_dim,
        image_dim=image_dim,
        added_kv_proj_dim=added,
        pos_embed_seq_len=514,
    )


def qwen_image(
    heads: int = 4, head_dim: int = 16, num_layers: int = 3, in_channels: int = 8, joint: int = 40
) -> Any:
    return diffusers.QwenImageTransformer2DModel(
        in_channels=in_channels,
        num_layers=num_layers,
        attention_head_dim=head_dim,
        num_attention_heads=heads,
        joint_attention_dim=joint,
        axes_dims_rope=(4, 6, 6),
    )


def cogvideo(heads: int = 4, head_dim: int = 8, num_layers: int = 3, text_dim: int = 40) -> Any:
    return diffusers.CogVideoXTransformer3DModel(
        num_attention_heads=heads,
        attention_head_dim=head_dim,
        num_layers=num_layers,
        text_embed_dim=text_dim,
        time_embed_dim=20,
        sample_width=8,
        sample_height=8,
        sample_frames=9,
    )


def ltx(heads: int = 4, head_dim: int = 8, num_layers: int = 3, caption: int = 40) -> Any:
    return diffusers.LTXVideoTransformer3DModel(
        in_channels=8,
        num_attention_heads=heads,
        attention_head_dim=head_dim,
        cross_attention_dim=heads * head_dim,
        num_layers=num_layers,
        caption_channels=caption,
    )


def lumina(
    hidden_size: int = 48, num_layers: int = 3, refiners: int = 2, kv_heads: int = 2, text: int = 40
) -> Any:
    return diffusers.Lumina2Transformer2DModel(
        hidden_size=hidden_size,
        num_layers=num_layers,
        num_refiner_layers=refiners,
        num_attention_heads=4,
        num_kv_heads=kv_heads,
        multiple_of=8,
        axes_dim_rope=(4, 4, 4),
        axes_lens=(30, 32, 32),
        cap_feat_dim=text,
    )


def controlnet(h1: int = 32, h2: int = 64, layers_per_block: int = 2, cross_dim: int = 40) -> Any:
    return diffusers.ControlNetModel(
        block_out_channels=(h1, h2),
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        norm_num_groups=8,
        layers_per_block=layers_per_block,
        cross_attention_dim=cross_dim,
        conditioning_embedding_out_channels=(16, 32),
    )


def sd3(heads: int = 4, head_dim: int = 8, num_layers: int = 3, joint: int = 40) -> Any:
    return diffusers.SD3Transformer2DModel(
        sample_size=16,
        num_layers=num_layers,
        attention_head_dim=head_dim,
        num_attention_heads=heads,
        joint_attention_dim=joint,
        caption_projection_dim=heads * head_dim,
        pooled_projection_dim=20,
        pos_embed_max_size=12,
    )


def flux(
    heads: int = 4, head_dim: int = 16, num_layers: int = 2, single_layers: int = 3, joint: int = 40
) -> Any:
    return diffusers.FluxTransformer2DModel(
        in_channels=8,
        num_layers=num_layers,
        num_single_layers=single_layers,
        attention_head_dim=head_dim,
        num_attention_heads=heads,
        joint_attention_dim=joint,
        pooled_projection_dim=20,
        axes_dims_rope=(4, 6, 6),
    )


def hunyuan_video(
    heads: int = 4, head_dim: int = 16, num_layers: int = 2, single_layers: int = 3, text: int = 40
) -> Any:
    return diffusers.HunyuanVideoTransformer3DModel(
        in_channels=4,
        num_attention_heads=heads,
        attention_head_dim=head_dim,
        num_layers=num_layers,
        num_single_layers=single_layers,
        text_embed_dim=text,
        pooled_projection_dim=20,
        rope_axes_dim=(4, 6, 6),
    )
