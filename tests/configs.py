"""Configurations with the keys of other people's files, written out by hand."""

from typing import Any

Config = dict[str, Any]


def without(config: Config, *keys: str) -> Config:
    """Return ``config`` without ``keys``."""
    return {key: value for key, value in config.items() if key not in keys}


GOOGLE: Config = {
    "attention_probs_dropout_prob": 0.1,
    "directionality": "bidi",
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "pooler_fc_size": 768,
    "pooler_num_attention_heads": 12,
    "pooler_num_fc_layers": 3,
    "pooler_size_per_head": 128,
    "pooler_type": "first_token_transform",
    "type_vocab_size": 2,
    "vocab_size": 21128,
}
"""google-research/bert, chinese_L-12_H-768_A-12, bert_config.json."""

BAIDU: Config = {
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "relu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "max_position_embeddings": 513,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "type_vocab_size": 2,
    "vocab_size": 18000,
}
"""PaddlePaddle/ERNIE, ERNIE 1.0, ernie_config.json."""

BERT: Config = {
    "architectures": ["BertForMaskedLM"],
    "attention_probs_dropout_prob": 0.1,
    "gradient_checkpointing": False,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512,
    "model_type": "bert",
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "pad_token_id": 0,
    "position_embedding_type": "absolute",
    "transformers_version": "4.6.0.dev0",
    "type_vocab_size": 2,
    "use_cache": True,
    "vocab_size": 30522,
}
"""Hugging Face, bert-base-uncased, config.json."""

ERNIE: Config = {
    **without(BERT, "gradient_checkpointing"),
    "architectures": ["ErnieForPreTraining"],
    "hidden_act": "relu",
    "max_position_embeddings": 513,
    "model_type": "ernie",
    "task_type_vocab_size": 3,
    "use_task_id": False,
    "vocab_size": 18000,
}
"""The keys of Hugging Face's ERNIE 1.0."""

ROBERTA: Config = {
    "architectures": ["RobertaForMaskedLM"],
    "attention_probs_dropout_prob": 0.1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-05,
    "max_position_embeddings": 514,
    "model_type": "roberta",
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "pad_token_id": 1,
    "type_vocab_size": 1,
    "vocab_size": 50265,
}
"""Hugging Face, roberta-base, config.json."""

GPT2: Config = {
    "activation_function": "gelu_new",
    "architectures": ["GPT2LMHeadModel"],
    "attn_pdrop": 0.1,
    "bos_token_id": 50256,
    "embd_pdrop": 0.1,
    "eos_token_id": 50256,
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2",
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 1024,
    "resid_pdrop": 0.1,
    "summary_activation": None,
    "summary_first_dropout": 0.1,
    "summary_proj_to_labels": True,
    "summary_type": "cls_index",
    "summary_use_proj": True,
    "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    "vocab_size": 50257,
}
"""Hugging Face, gpt2, config.json."""

LLAMA: Config = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 128000,
    "eos_token_id": 128001,
    "hidden_act": "silu",
    "hidden_size": 4096,
    "initializer_range": 0.02,
    "intermediate_size": 14336,
    "max_position_embeddings": 8192,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-05,
    "rope_scaling": None,
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "transformers_version": "4.40.0.dev0",
    "use_cache": True,
    "vocab_size": 128256,
}
"""Hugging Face, Llama 3 8B, config.json."""

ALL = {
    "google": GOOGLE,
    "baidu": BAIDU,
    "bert": BERT,
    "ernie": ERNIE,
    "roberta": ROBERTA,
    "gpt2": GPT2,
    "llama": LLAMA,
}

GLM = {"model_type": "glm_moe_dsa", "num_hidden_layers": 4}

MINIMAX = {"model_type": "minimax_m3_vl", "text_config": {"num_hidden_layers": 3}}


def minimax(**keys):
    """Return a configuration of MiniMax-M3 with keys of its text model."""
    return {**MINIMAX, "text_config": {**MINIMAX["text_config"], **keys}}
