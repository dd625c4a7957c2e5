"""Adapters of peft for a small LLaMA; the parameters are sizes of the adapter and of the model."""

from __future__ import annotations

from typing import Any

from peft import IA3Config, LoraConfig, PrefixTuningConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM


def _llama(h: int, layers: int, heads: int, kv_heads: int = 2, vocab: int = 97) -> Any:
    return LlamaForCausalLM(
        LlamaConfig(
            hidden_size=h,
            intermediate_size=3 * h,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=kv_heads,
            vocab_size=vocab,
        )
    )


def lora(
    hidden_size: int = 24, layers: int = 3, heads: int = 4, kv_heads: int = 2, rank: int = 5
) -> Any:
    return get_peft_model(_llama(hidden_size, layers, heads, kv_heads), LoraConfig(r=rank))


def lora_all(hidden_size: int = 24, layers: int = 3, heads: int = 4, rank: int = 5) -> Any:
    config = LoraConfig(r=rank, target_modules="all-linear")
    return get_peft_model(_llama(hidden_size, layers, heads), config)


def dora(hidden_size: int = 24, layers: int = 3, heads: int = 4, rank: int = 5) -> Any:
    config = LoraConfig(r=rank, use_dora=True)
    return get_peft_model(_llama(hidden_size, layers, heads), config)


def saved_head(hidden_size: int = 24, layers: int = 3, vocab_size: int = 97, rank: int = 5) -> Any:
    config = LoraConfig(r=rank, modules_to_save=["lm_head"])
    return get_peft_model(_llama(hidden_size, layers, 4, vocab=vocab_size), config)


def ia3(hidden_size: int = 24, layers: int = 3, heads: int = 4, kv_heads: int = 2) -> Any:
    return get_peft_model(_llama(hidden_size, layers, heads, kv_heads), IA3Config())


def prefix(hidden_size: int = 24, layers: int = 3, heads: int = 4, tokens: int = 7) -> Any:
    config = PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=tokens)
    return get_peft_model(_llama(hidden_size, layers, heads), config)
