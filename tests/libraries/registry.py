"""The constructors of this lane, and how far the sizes of each are drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

WIDEST = 9000
"""The largest size for parameters that are not a number of layers."""

DEEPEST = 128
"""The largest number of layers."""

SMALL = 64
"""The largest kernel, patch, stride, ratio or number of groups in a generated constructor."""

_DEPTHS = """
    depth d1 d2 d3 d4 layers num_layers num_blocks blocks token_depth cls_layers cls_depth
    conv_layers vision_layers multimodal_layers enc_depth dec_depth layers_per_block refiners
    single_layers
"""

DEPTHS = frozenset(_DEPTHS.split())
"""Names of parameters that are a number of layers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A constructor: the library, the function in its module here, and the class that it builds.

    ``limits`` are the largest sizes to draw for parameters that are neither widths nor depths.
    """

    library: str
    function: str
    class_name: str
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return its name on the page: ``timm.vit``."""
        return f"{self.library}.{self.function}"

    @property
    def reference(self) -> str:
        """Return the function as MODULE:FUNCTION."""
        return f"tests.libraries.{self.library}_models:{self.function}"


def largest_size(parameter: str, limits: Mapping[str, int]) -> int:
    """Return the largest size to draw for a parameter, or for an element of one: ``depths_0``."""
    if parameter in limits:
        return limits[parameter]
    name = re.sub(r"_\d+$", "", parameter)
    if name in DEPTHS or re.search("layers|depth|blocks|stages", name):
        return DEEPEST
    if re.search("kernel|patch|stride|ratio|mult|group|window|scale|expan", name):
        return SMALL
    return 512 if re.search("image|img|sample|grid|frames|resolution|length", name) else WIDEST


# An image has (image / patch)² patches, and a table of relative positions the square of that.
IMAGE = {"image": 512, "patch": 64, "patch_size": 64}
# ResNets and similar models multiply the kernel twice and the channels by 2 ** stage.
KERNEL = {"kernel": 31}

ENTRIES = (
    Entry("timm", "vit", "VisionTransformer", IMAGE),
    Entry("timm", "vit_norms", "VisionTransformer", {"mlp_ratio": 40}),
    Entry("timm", "vit_swiglu", "VisionTransformer"),
    Entry("timm", "vit_by_name", "VisionTransformer"),
    Entry("timm", "swin", "SwinTransformer"),
    Entry("timm", "swin_v2", "SwinTransformerV2"),
    Entry("timm", "conv_next", "ConvNeXt", KERNEL),
    Entry("timm", "mixer", "MlpMixer", IMAGE),
    Entry("timm", "eva_02", "Eva"),
    Entry("timm", "naflex", "NaFlexVit", IMAGE),
    Entry("timm", "resnet_bottleneck", "ResNet"),
    Entry("timm", "resnet_squeeze", "ResNet"),
    Entry("timm", "cait_s", "Cait"),
    Entry("timm", "xcit_n", "Xcit"),
    Entry("timm", "da_vit", "DaVit"),
    Entry("timm", "hiera_t", "Hiera"),
    Entry("timm", "maxx_vit", "MaxxVit"),
    Entry("timm", "beit_s", "Beit", IMAGE),
    Entry("timm", "pvt", "PyramidVisionTransformerV2"),
    Entry("timm", "poolformer", "MetaFormer"),
    Entry("timm", "efficientnet_scaled", "EfficientNet", {"percent": 2000}),
    Entry("timm", "levit_s", "Levit"),
    Entry("timm", "norm_free", "NormFreeNet"),
    Entry("torchvision", "vit", "VisionTransformer", IMAGE),
    Entry("torchvision", "resnet_bottleneck", "ResNet"),
    Entry("torchvision", "resnext", "ResNet", {"groups": 256, "width": 512}),
    Entry("torchvision", "swin", "SwinTransformer"),
    Entry("torchvision", "conv_next", "ConvNeXt"),
    Entry("torchvision", "mvit", "MViT", {"frames": 256}),
    Entry("torchvision", "dense_net", "DenseNet", {"bn_size": 32, "growth": 256}),
    Entry("torchvision", "mobilenet_v2", "MobileNetV2"),
    Entry("torchvision", "mobilenet_v3", "MobileNetV3"),
    Entry("torchvision", "max_vit", "MaxVit"),
    Entry("torchvision", "reg_net", "RegNet", {"depth": 32, "width": 512, "group": 64}),
    Entry("vit_pytorch", "vit", "ViT"),
    Entry("vit_pytorch", "simple_vit", "SimpleViT", IMAGE),
    Entry("vit_pytorch", "cait", "CaiT"),
    Entry("vit_pytorch", "t2t", "T2TViT"),
    Entry("vit_pytorch", "na_vit", "NaViT", IMAGE),
    Entry("vit_pytorch", "mobile_vit", "MobileViT"),
    Entry("vit_pytorch", "max_vit", "MaxViT"),
    Entry("vit_pytorch", "levit", "LeViT"),
    Entry("vit_pytorch", "cct", "CCT", {"conv_layers": 3}),
    Entry("open_clip", "clip", "CLIP"),
    Entry("open_clip", "clip_resnet", "CLIP"),
    Entry("open_clip", "coca", "CoCa"),
    Entry("x_transformers", "decoder", "TransformerWrapper"),
    Entry("x_transformers", "llama_like", "TransformerWrapper"),
    Entry("x_transformers", "encoder_with_memory", "TransformerWrapper"),
    Entry("x_transformers", "macaron", "TransformerWrapper"),
    Entry("x_transformers", "vit", "ViTransformerWrapper", IMAGE),
    Entry("x_transformers", "encoder_decoder", "XTransformer"),
    Entry("diffusers", "unet", "UNet2DConditionModel", {"layers_per_block": 24}),
    Entry("diffusers", "unet_sdxl", "UNet2DConditionModel", {"blocks": 24}),
    Entry("diffusers", "autoencoder", "AutoencoderKL", {"layers_per_block": 48}),
    Entry("diffusers", "dit", "DiTTransformer2DModel"),
    Entry("diffusers", "pixart", "PixArtTransformer2DModel"),
    Entry("diffusers", "wan", "WanTransformer3DModel"),
    Entry("diffusers", "wan_image", "WanTransformer3DModel"),
    Entry("diffusers", "qwen_image", "QwenImageTransformer2DModel"),
    Entry("diffusers", "cogvideo", "CogVideoXTransformer3DModel"),
    Entry("diffusers", "ltx", "LTXVideoTransformer3DModel"),
    Entry("diffusers", "lumina", "Lumina2Transformer2DModel"),
    Entry("diffusers", "controlnet", "ControlNetModel", {"layers_per_block": 48}),
    Entry("diffusers", "sd3", "SD3Transformer2DModel"),
    Entry("diffusers", "flux", "FluxTransformer2DModel"),
    Entry("diffusers", "hunyuan_video", "HunyuanVideoTransformer3DModel"),
    Entry("peft", "lora", "PeftModel"),
    Entry("peft", "lora_all", "PeftModel"),
    Entry("peft", "dora", "PeftModel"),
    Entry("peft", "saved_head", "PeftModel"),
    Entry("peft", "ia3", "PeftModel"),
    Entry("peft", "prefix", "PeftModelForCausalLM"),
)
"""Every constructor, library by library."""
