"""The classes of each model type: those of transformers' tables, and some that none lists."""

from __future__ import annotations

from transformers import CONFIG_MAPPING
from transformers.models.auto import modeling_auto

_USED = """
    bert llama gpt2 qwen3 roberta mistral qwen2 xlm-roberta t5 mixtral deepseek_v3 gemma2 gemma
    gemma3_text phi3 phi qwen3_moe bart albert distilbert electra deberta-v2 deberta opt bloom
    falcon gpt_neox gptj gpt_neo mamba mamba2 vit clip_text_model clip_vision_model
    clip siglip_vision_model siglip whisper wav2vec2 swin
"""
MOST_USED = [name for name in _USED.split() if name in CONFIG_MAPPING]
"""The most used types, which are traced with each release. Some releases lack some of them."""


TASKS = """
    CAUSAL_LM MASKED_LM PRETRAINING SEQ_TO_SEQ_CAUSAL_LM SPEECH_SEQ_2_SEQ IMAGE_TEXT_TO_TEXT
    SEQUENCE_CLASSIFICATION TOKEN_CLASSIFICATION QUESTION_ANSWERING IMAGE_CLASSIFICATION
    AUDIO_CLASSIFICATION CTC TEXT_ENCODING MULTIPLE_CHOICE OBJECT_DETECTION SEMANTIC_SEGMENTATION
    INSTANCE_SEGMENTATION UNIVERSAL_SEGMENTATION DEPTH_ESTIMATION VIDEO_CLASSIFICATION
    ZERO_SHOT_OBJECT_DETECTION VISUAL_QUESTION_ANSWERING DOCUMENT_QUESTION_ANSWERING
    TABLE_QUESTION_ANSWERING MASKED_IMAGE_MODELING IMAGE_TO_IMAGE KEYPOINT_MATCHING AUDIO_XVECTOR
    AUDIO_FRAME_CLASSIFICATION TEXT_TO_SPECTROGRAM TEXT_TO_WAVEFORM TIME_SERIES_CLASSIFICATION
    TIME_SERIES_REGRESSION TIME_SERIES_PREDICTION KEYPOINT_DETECTION POSE_ESTIMATION IMAGE_MATTING
    NORMAL_ESTIMATION TABLE_RECOGNITION DECISION BACKBONE
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


def classes_of_type(model_type: str) -> list[str]:
    """Return the names of a type's classes, the base model first."""
    names: dict[str, None] = {}
    for table in ("MODEL", *(f"MODEL_FOR_{task}" for task in TASKS.split())):
        entry = getattr(modeling_auto, f"{table}_MAPPING_NAMES", {}).get(model_type, ())
        names |= dict.fromkeys([entry] if isinstance(entry, str) else entry)
    return [*names, *UNLISTED_CLASSES.get(model_type, ())]
