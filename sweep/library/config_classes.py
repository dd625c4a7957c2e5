"""The configuration class of each entry.

An entry describes a model type with the parts of the type's own configuration, or, as LLaVA-NeXT
with a Mistral as its text part, with parts of other types.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.catalogue.files import entry_name, type_of

WITH_OTHER_PARTS = """
blip-2 text_config=t5
colqwen2 vlm_config=qwen2_5_vl
dpt backbone_config=dinov2
encoder-decoder decoder=roberta encoder=roberta
instructblip text_config=llama
instructblip text_config=t5
instructblipvideo text_config=llama
internvl text_config=gpt_oss
internvl text_config=llama
internvl text_config=qwen3
internvl text_config=qwen3_moe
llava text_config=mistral
llava text_config=mistral vision_config=pixtral
llava text_config=qwen2
llava text_config=qwen2 vision_config=siglip_vision_model
llava vision_config=siglip_vision_model
llava_next text_config=granite vision_config=siglip_vision_model
llava_next text_config=mistral
llava_next text_config=qwen2
llava_next_video text_config=mistral
llava_next_video text_config=qwen2
maskformer backbone_config=resnet
mistral3 text_config=ministral3
mistral3 text_config=mistral4
paligemma text_config=gemma2
speech-encoder-decoder decoder=bart encoder=wav2vec2
speech-encoder-decoder decoder=mbart encoder=wav2vec2
upernet backbone_config=convnext
upernet backbone_config=swin
vision-encoder-decoder decoder=gpt2
vision-encoder-decoder decoder=mbart encoder=donut-swin
vision-encoder-decoder decoder=trocr
vision-encoder-decoder decoder=trocr encoder=deit
vision-text-dual-encoder vision_config=clip_vision_model
"""
"""The types with parts of other types than their own configuration has: one entry for each line."""


@cache
def other_parts() -> Mapping[str, Mapping[str, str]]:
    """Return the parts of other types of each entry, such as ``llava_next+mistral``."""
    found: dict[str, Mapping[str, str]] = {}
    for line in WITH_OTHER_PARTS.strip().splitlines():
        model_type, *pairs = line.split()
        parts = dict(pair.split("=") for pair in pairs)
        found[entry_name(model_type, parts)] = parts
    return found


def parts_of(name: str) -> Mapping[str, str]:
    """Return the type of each part of an entry that is of another type than usual."""
    return other_parts().get(name, {})


@cache
def config_class_of(name: str) -> type[PreTrainedConfig]:
    """Return the configuration class of an entry.

    For an entry with parts of other types it is a subclass, which makes such a part if the keys
    lack it or do not name its type.
    """
    own: type[PreTrainedConfig] = CONFIG_MAPPING[type_of(name)]
    parts = parts_of(name)
    if not parts:
        return own

    class WithOtherParts(own):  # type: ignore[misc]
        def __init__(self, **keys: Any) -> None:
            for part, kind in parts.items():
                given = {} if (there := keys.get(part)) is None else there
                keys[part] = {"model_type": kind, **given} if isinstance(given, dict) else given
            super().__init__(**keys)

    return WithOtherParts
