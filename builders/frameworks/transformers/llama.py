"""LLaMA: ``LlamaForCausalLM``. Its norms and the angles of its positions are in float32 always."""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from paramproof.builders.huggingface import names_of
from paramproof.builders.protocol import Outputs
from paramproof.formulas.spec import LlamaSpec, Numerics

NAMES = names_of("llama").table


def supports(spec: LlamaSpec) -> Literal[True] | str:
    """Return True, or the reason why the configuration refuses the sizes."""
    if spec.hidden_size % spec.num_attention_heads:
        return "Hugging Face's LlamaConfig takes no heads that do not divide the hidden size"
    return True


def made(spec: LlamaSpec, numerics: Numerics) -> LlamaForCausalLM:
    """Build the model with its language head."""
    config = LlamaConfig(
        vocab_size=spec.vocab_size,
        hidden_size=spec.hidden_size,
        num_hidden_layers=spec.num_hidden_layers,
        num_attention_heads=spec.num_attention_heads,
        num_key_value_heads=spec.num_key_value_heads,
        head_dim=spec.head_dim,
        intermediate_size=spec.intermediate_size,
        tie_word_embeddings=spec.tie_word_embeddings,
        hidden_act=numerics.hidden_act,
        rms_norm_eps=numerics.layer_norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": numerics.rope_theta},
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="eager",
    )
    return LlamaForCausalLM(config)


def forward(module: Any, ids: Tensor) -> Outputs:
    """Run the decoder and its head one after the other, as the model's own forward does."""
    sequence = module.base_model(input_ids=ids, use_cache=False).last_hidden_state
    return Outputs(sequence, lm=module.lm_head(sequence).softmax(-1))
