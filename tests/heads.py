"""Configurations that announce an untied head, which transformers builds tied all the same."""

FLAN_T5_SMALL = {
    "architectures": ["T5ForConditionalGeneration"],
    "model_type": "t5",
    "d_ff": 1024,
    "d_kv": 64,
    "d_model": 512,
    "feed_forward_proj": "gated-gelu",
    "is_encoder_decoder": True,
    "is_gated_act": True,
    "num_decoder_layers": 8,
    "num_heads": 6,
    "num_layers": 8,
    "relative_attention_num_buckets": 32,
    "tie_word_embeddings": False,
    "vocab_size": 32128,
}

FLAN_T5_BASE = FLAN_T5_SMALL | {
    "d_ff": 2048,
    "d_model": 768,
    "num_decoder_layers": 12,
    "num_heads": 12,
    "num_layers": 12,
}

MT5_SMALL = FLAN_T5_SMALL | {
    "architectures": ["MT5ForConditionalGeneration"],
    "model_type": "mt5",
    "vocab_size": 250112,
}

_TEXT = {
    "model_type": "qwen2",
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "num_key_value_heads": 1,
    "vocab_size": 100,
}

INTERNVL = {
    "architectures": ["InternVLForConditionalGeneration"],
    "model_type": "internvl",
    "text_config": {**_TEXT, "tie_word_embeddings": False},
    "vision_config": {
        "model_type": "internvl_vision",
        "hidden_size": 8,
        "image_size": [28, 28],
        "intermediate_size": 12,
        "num_attention_heads": 2,
        "num_hidden_layers": 1,
        "patch_size": [14, 14],
    },
}
"""transformers reads the outer field, true by default; only the part's own field would count."""

MISTRAL_SMALL_3_1 = {
    "architectures": ["Mistral3ForConditionalGeneration"],
    "model_type": "mistral3",
    "spatial_merge_size": 2,
    "text_config": {
        "model_type": "mistral",
        "head_dim": 128,
        "hidden_size": 5120,
        "intermediate_size": 32768,
        "max_position_embeddings": 131072,
        "num_attention_heads": 32,
        "num_hidden_layers": 40,
        "num_key_value_heads": 8,
        "vocab_size": 131072,
    },
    "vision_config": {
        "model_type": "pixtral",
        "head_dim": 64,
        "hidden_size": 1024,
        "image_size": 1540,
        "intermediate_size": 4096,
        "num_attention_heads": 16,
        "num_channels": 3,
        "num_hidden_layers": 24,
        "patch_size": 14,
    },
}
"""It names no tie_word_embeddings: true by default for the whole, and false for the text part."""
