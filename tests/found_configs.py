"""Configurations from public repositories, of other versions and other producers.

Written out by hand; each one cites a file with these keys.
"""

from tests.configs import BERT, GOOGLE, GPT2, ROBERTA, Config, without

GPT2_MEDIUM: Config = {
    **without(GPT2, "task_specific_params"),
    "n_embd": 1024,
    "n_head": 16,
    "n_layer": 24,
    "n_special": 0,
    "predict_special_tokens": True,
}
"""The keys of AYaroshevskii/Tweet-Sentiment, configs/gpt2-medium/config.json."""

HATEBERT: Config = {
    **without(BERT, "gradient_checkpointing"),
    "_name_or_path": "GroNLP/hateBERT",
    "_num_labels": 2,
    "cls_token_id": 101,
    "eos_token_ids": 0,
    "output_past": True,
    "sep_token_id": 102,
    "xla_device": None,
}
"""The keys of AshifulRidoy/XAI-on-HateBERT, model/config.json, with those of other old
files: Chits23/AI-Judge, fine_tuned_model/config.json, jxlin98/CWS,
bert-base-chinese/config.json, and any file that version 3 of transformers wrote in full.
"""

SMOLLM: Config = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 1,
    "dtype": "bfloat16",
    "eos_token_id": 2,
    "head_dim": 64,
    "hidden_act": "silu",
    "hidden_size": 576,
    "initializer_range": 0.041666666666666664,
    "intermediate_size": 1536,
    "is_llama_config": True,
    "max_position_embeddings": 8192,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 9,
    "num_hidden_layers": 30,
    "num_key_value_heads": 3,
    "pad_token_id": 2,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-05,
    "rope_interleaved": False,
    "rope_parameters": {"rope_theta": 100000, "rope_type": "default"},
    "tie_word_embeddings": True,
    "transformers.js_config": {"kv_cache_dtype": {"fp16": "float16", "q4f16": "float16"}},
    "transformers_version": "5.11.0",
    "use_cache": True,
    "vocab_size": 49152,
}
"""The keys of vigneshn-codes/Learn-Fine-tune-methods, merged_model/config.json: SmolLM2."""

RELORA: Config = {
    "architectures": ["LLaMAForCausalLM"],
    "bos_token_id": 0,
    "eos_token_id": 1,
    "hidden_act": "silu",
    "hidden_size": 640,
    "intermediate_size": 1708,
    "initializer_range": 0.02,
    "max_sequence_length": 1024,
    "model_type": "llama",
    "num_attention_heads": 10,
    "num_hidden_layers": 12,
    "pad_token_id": -1,
    "rms_norm_eps": 1e-06,
    "transformers_version": "4.28.1",
    "use_cache": True,
    "vocab_size": 32100,
}
"""Guitaricet/relora, configs/llama_100m.json; jiaweizzhao/GaLore has the same keys."""

FOUND = {"gpt2-medium": GPT2_MEDIUM, "hatebert": HATEBERT, "smollm": SMOLLM, "relora": RELORA}
"""Each with its class."""

DIALOGPT: Config = {
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "n_ctx": 1024,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 1024,
    "vocab_size": 50257,
}
"""microsoft/DialoGPT, configs/117M/config.json; Morizeyao/GPT2-Chinese,
config/model_config.json, has the same keys."""

EARLY_ROBERTA: Config = {
    **without(
        ROBERTA, "architectures", "bos_token_id", "eos_token_id", "model_type", "pad_token_id"
    ),
    "finetuning_task": None,
    "num_labels": 2,
    "output_attentions": False,
    "output_hidden_states": False,
    "torchscript": False,
}
"""AYaroshevskii/Tweet-Sentiment, configs/roberta-base/config.json."""

EARLY_BERT: Config = {
    **GOOGLE,
    "finetuning_task": "mrpc",
    "is_decoder": False,
    "layer_norm_eps": 1e-12,
    "num_labels": 2,
    "output_attentions": False,
    "output_hidden_states": False,
    "output_past": True,
    "pruned_heads": {},
    "torchscript": False,
    "use_bfloat16": False,
    "vocab_size": 119547,
}
"""The keys of McSinyx/viwikipi, bert/config.json, with ``is_decoder`` of
Sparkluis5/TorchServe-BERT-Embedder, bert_model/config.json."""

UNNAMED = {
    "dialogpt": (DIALOGPT, "gpt2", "GPT2LMHeadModel"),
    "early-roberta": (EARLY_ROBERTA, "roberta", "RobertaModel"),
    "early-bert": (EARLY_BERT, "bert", "BertModel"),
}
"""Without ``model_type`` and class, which tests pass separately."""

ELECTRA: Config = {
    "attention_probs_dropout_prob": 0.1,
    "embedding_size": 768,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "type_vocab_size": 2,
    "vocab_size": 32000,
}
"""mesolitica/malaya, pretrained-model/electra/BASE-config-discriminator.json."""

CDIAL_GPT: Config = {
    "afn": "gelu",
    "attn_pdrop": 0.1,
    "embd_pdrop": 0.1,
    "resid_pdrop": 0.1,
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "n_ctx": 512,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 513,
    "n_special": 0,
    "vocab_size": 13088,
}
"""thu-coai/CDial-GPT, config/cgpt/config.json: sizes of the first GPT."""
