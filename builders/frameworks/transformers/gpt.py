"""GPT-2: ``GPT2LMHeadModel``, whose ``Conv1D`` stores a kernel as (in, out), q, k and v in one."""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel

from paramproof.builders.huggingface import names_of
from paramproof.builders.protocol import Outputs
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = names_of("gpt").table


def supports(spec: GPTSpec) -> Literal[True]:
    """Return True: every GPT can be expressed."""
    return True


def made(spec: GPTSpec, numerics: Numerics) -> GPT2LMHeadModel:
    """Build the model with its language head."""
    config = GPT2Config(
        vocab_size=spec.vocab_size,
        n_embd=spec.hidden_size,
        n_layer=spec.num_hidden_layers,
        n_head=spec.num_attention_heads,
        n_inner=spec.intermediate_size,
        n_positions=spec.max_position_embeddings,
        tie_word_embeddings=spec.tie_word_embeddings,
        activation_function=numerics.hidden_act,
        layer_norm_epsilon=numerics.layer_norm_eps,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="eager",
    )
    return GPT2LMHeadModel(config)


def forward(module: Any, ids: Tensor) -> Outputs:
    """Run the decoder and its head one after the other, as the model's own forward does."""
    sequence = module.base_model(input_ids=ids, use_cache=False).last_hidden_state
    return Outputs(sequence, lm=module.lm_head(sequence).softmax(-1))
