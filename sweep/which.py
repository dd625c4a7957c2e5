"""Which model types there are, those that are used most first, and the classes of each."""

from __future__ import annotations

from collections.abc import Sequence

from transformers import CONFIG_MAPPING, MODEL_MAPPING
from transformers.models.auto import modeling_auto

FIRST = """
    bert llama gpt2 qwen3 roberta mistral qwen2 xlm-roberta t5 mixtral deepseek_v3 gemma2 gemma
    gemma3_text phi3 phi qwen3_moe bart albert distilbert electra deberta-v2 deberta opt bloom
    falcon gpt_neox gptj gpt_neo mamba mamba2 vit clip_text_model clip_vision_model
    clip siglip_text_model siglip_vision_model siglip whisper wav2vec2 swin convnext
    dinov2 gpt_oss olmo olmo2 olmo3 olmoe granite granitemoe cohere cohere2 glm glm4 glm4_moe
    deepseek_v2 qwen2_moe qwen3_next mpnet camembert xlnet mt5 umt5 mbart pegasus
    modernbert nomic_bert longformer big_bird layoutlm bert-generation blenderbot m2m_100 marian
    led xglm codegen gpt_bigcode starcoder2 stablelm persimmon mpt nemotron smollm3 ministral
    ministral3 exaone4 ernie4_5 ernie4_5_moe hunyuan_v1_dense hunyuan_v1_moe minimax minimax_m2
    jamba bamba zamba zamba2 falcon_mamba falcon_h1 nemotron_h lfm2 recurrent_gemma rwkv
    granitemoehybrid granitemoeshared seed_oss apertus arcee dots1 glm4_moe_lite glm_moe_dsa
    deepseek_v32 deepseek_v4 longcat_flash phimoe jetmoe dbrx arctic flex_olmo afmoe solar_open
    deit beit convnextv2 swinv2 dinov3_vit dinov2_with_registers vit_mae resnet regnet segformer
    hubert wavlm data2vec-audio data2vec-text audio-spectrogram-transformer
    llava paligemma gemma3 qwen2_vl qwen2_5_vl qwen3_vl qwen3_vl_moe mistral3 pixtral
    blip blip-2 chinese_clip align altclip siglip2 siglip2_vision_model
    qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text gemma3n_text gemma4_text llama4_text
    esm ernie funnel fnet squeezebert mobilebert convbert roformer rembert ibert nystromformer
    mra yoso xmod flaubert xlm xlm-roberta-xl roberta-prelayernorm splinter luke lilt
    openai-gpt ctrl biogpt cpmant olmo_hybrid
"""

HEADS = """
    CAUSAL_LM MASKED_LM PRETRAINING SEQ_TO_SEQ_CAUSAL_LM SPEECH_SEQ_2_SEQ IMAGE_TEXT_TO_TEXT
    SEQUENCE_CLASSIFICATION TOKEN_CLASSIFICATION QUESTION_ANSWERING IMAGE_CLASSIFICATION
    AUDIO_CLASSIFICATION CTC TEXT_ENCODING
"""
"""Tasks in the order in which their classes are derived."""


UNLISTED = {
    "clip_text_model": ["CLIPTextModelWithProjection"],
    "clip_vision_model": ["CLIPVisionModelWithProjection"],
}
"""Classes that people load, and no table of transformers has."""


def types() -> list[str]:
    """Return every model type with a base model, those that are used most first."""
    known = [name for name, config in CONFIG_MAPPING.items() if config in MODEL_MAPPING]
    first = [name for name in dict.fromkeys(FIRST.split()) if name in known]
    return [*first, *(name for name in sorted(known) if name not in first)]


MOST_USED = tuple(types()[:40])
"""Types that are held to transformers each time."""


def held_this_time(known: Sequence[str], digest: int) -> list[str]:
    """Return the types to hold: those used most, and a tenth of the others by ``digest``.

    The tenth is another one where the catalogue's data are.
    """
    others = [name for name in known if name not in MOST_USED]
    most = [name for name in MOST_USED if name in known]
    return [*most, *(name for i, name in enumerate(others) if i % 10 == digest % 10)]


def classes(model_type: str) -> list[str]:
    """Return the names of a type's classes, the base model first."""
    tables = [modeling_auto.MODEL_MAPPING_NAMES]
    for task in HEADS.split():
        found = (f"MODEL_FOR_{task}_MAPPING_NAMES", f"MODEL_FOR_{task}_MAPPING_NAMES")
        tables.append(getattr(modeling_auto, found[0], {}))
    names: dict[str, None] = {}
    for table in tables:
        there = table.get(model_type, ())
        names |= dict.fromkeys([there] if isinstance(there, str) else list(there))
    return [*names, *UNLISTED.get(model_type, ())]
