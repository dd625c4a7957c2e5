"""The model types, widely used ones first, and the configuration class and the classes of each.

An entry describes a model type with the parts of the type's own configuration, or, as LLaVA-NeXT
with a Mistral as its text part, with parts of other types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from transformers import CONFIG_MAPPING, PreTrainedConfig
from transformers.models.auto import modeling_auto

from paramproof.catalogue import model_types

JOINT = "+"
"""What stands between the types in the name of a type with parts of other types."""


def entry_name(model_type: str, other_parts: Mapping[str, str]) -> str:
    return JOINT.join([model_type, *(kind for _, kind in sorted(other_parts.items()))])


def type_of(name: str) -> str:
    return name.partition(JOINT)[0]


WIDELY_USED = """
    bert llama gpt2 qwen3 roberta mistral qwen2 xlm-roberta t5 mixtral deepseek_v3 gemma2 gemma
    gemma3_text phi3 phi qwen3_moe bart albert distilbert electra deberta-v2 deberta opt bloom
    falcon gpt_neox gptj gpt_neo mamba mamba2 vit clip_text_model clip_vision_model
    clip siglip_vision_model siglip whisper wav2vec2 swin siglip_text_model convnext
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
"""The types to derive first, since they are used most. Some releases lack some of them."""

MOST_USED = tuple([name for name in WIDELY_USED.split() if name in model_types()][:40])
"""Types that are compared with transformers each time."""


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


TASKS = """
    CAUSAL_LM MASKED_LM PRETRAINING SEQ_TO_SEQ_CAUSAL_LM SPEECH_SEQ_2_SEQ IMAGE_TEXT_TO_TEXT
    SEQUENCE_CLASSIFICATION TOKEN_CLASSIFICATION QUESTION_ANSWERING IMAGE_CLASSIFICATION
    AUDIO_CLASSIFICATION CTC TEXT_ENCODING MULTIPLE_CHOICE OBJECT_DETECTION SEMANTIC_SEGMENTATION
    INSTANCE_SEGMENTATION UNIVERSAL_SEGMENTATION DEPTH_ESTIMATION VIDEO_CLASSIFICATION
    ZERO_SHOT_OBJECT_DETECTION VISUAL_QUESTION_ANSWERING DOCUMENT_QUESTION_ANSWERING
    TABLE_QUESTION_ANSWERING MASKED_IMAGE_MODELING IMAGE_TO_IMAGE KEYPOINT_MATCHING AUDIO_XVECTOR
    AUDIO_FRAME_CLASSIFICATION TEXT_TO_SPECTROGRAM TEXT_TO_WAVEFORM TIME_SERIES_CLASSIFICATION
    TIME_SERIES_REGRESSION TIME_SERIES_PREDICTION KEYPOINT_DETECTION POSE_ESTIMATION IMAGE_MATTING
    NORMAL_ESTIMATION TABLE_RECOGNITION DECISION
"""
"""Tasks in the order in which their classes are derived."""


UNLISTED_CLASSES = {
    "autoformer": ["AutoformerForPrediction"],
    "bert": ["BertForNextSentencePrediction"],
    "blip": ["BlipForImageTextRetrieval"],
    "clip_text_model": ["CLIPTextModelWithProjection"],
    "clip_vision_model": ["CLIPVisionModelWithProjection"],
    "clipseg": ["CLIPSegForImageSegmentation"],
    "dpr": ["DPRContextEncoder", "DPRReader"],
    "ernie": ["ErnieForNextSentencePrediction"],
    "imagegpt": ["ImageGPTForCausalImageModeling"],
    "informer": ["InformerForPrediction"],
    "longt5": ["LongT5EncoderModel"],
    "luke": ["LukeForEntityClassification", "LukeForEntityPairClassification"],
    "patchtsmixer": ["PatchTSMixerForPrediction", "PatchTSMixerForPretraining"],
    "patchtst": ["PatchTSTForPrediction", "PatchTSTForPretraining"],
    "siglip_text_model": ["SiglipTextModel"],
    "speecht5": ["SpeechT5ForSpeechToSpeech"],
    "speecht5_hifigan": ["SpeechT5HifiGan"],
    "switch_transformers": ["SwitchTransformersEncoderModel"],
    "time_series_transformer": ["TimeSeriesTransformerForPrediction"],
    "udop": ["UdopEncoderModel"],
    "vilt": ["ViltForImageAndTextRetrieval", "ViltForMaskedLM"],
    "visual_bert": ["VisualBertForQuestionAnswering", "VisualBertForVisualReasoning"],
    "xlnet": ["XLNetForQuestionAnswering"],
}
"""Classes that people load, but that no table of transformers lists."""


def swept_types() -> list[str]:
    """Return the name of each entry to derive, types that are widely used first.

    It is every model type with a base model or one for a task, and then the types with parts of
    other types.
    """
    known = [name for name in CONFIG_MAPPING if classes_of_type(name)]
    first = [name for name in dict.fromkeys(WIDELY_USED.split()) if name in known]
    return [*first, *(name for name in sorted(known) if name not in first), *other_parts()]


def types_to_check(known: Sequence[str], digest: int) -> list[str]:
    """Return the types to check: the most used ones, and a tenth of the others by ``digest``.

    It is another tenth whenever the catalogue's data change.
    """
    others = [name for name in known if name not in MOST_USED]
    most = [name for name in MOST_USED if name in known]
    return [*most, *(name for i, name in enumerate(others) if i % 10 == digest % 10)]


def classes_of_type(model_type: str) -> list[str]:
    """Return the names of a type's classes, the base model first."""
    tables = [modeling_auto.MODEL_MAPPING_NAMES]
    for task in TASKS.split():
        found = (f"MODEL_FOR_{task}_MAPPING_NAMES", f"MODEL_FOR_{task}_MAPPING_NAMES")
        tables.append(getattr(modeling_auto, found[0], {}))
    names: dict[str, None] = {}
    for table in tables:
        entry = table.get(model_type, ())
        names |= dict.fromkeys([entry] if isinstance(entry, str) else list(entry))
    return [*names, *UNLISTED_CLASSES.get(model_type, ())]
