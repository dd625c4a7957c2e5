"""Hugging Face's families: the class for a spec, its configuration, and its forward pass.

A forward pass runs the base model and the heads one after the other, as the model's own does, which
returns the heads' scores without the sequence and the pooled output.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForNextSentencePrediction,
    BertForPreTraining,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
)

from paramproof.builders.huggingface import names_of
from paramproof.builders.shell import Supported
from paramproof.formulas.spec import EncoderSpec, GPTSpec, LlamaSpec, Numerics

# The papers' attention written out, in Hugging Face's own code, not PyTorch's kernel.
EAGER = {"attn_implementation": "eager"}


class Bert:
    """``BertModel``, or the class that has exactly the heads of the spec, if there is one."""

    names = names_of("encoder").table

    @staticmethod
    def limits(spec: EncoderSpec) -> Supported:
        if not spec.tie_word_embeddings:
            return (
                "Hugging Face's untied MLM head has two output biases, decoder.bias and "
                "predictions.bias, of which only the first is used"
            )
        if spec.mlm_head and spec.pooler != spec.nsp_head:
            return "Hugging Face has no BERT class with a pooler and an MLM head but no NSP head"
        return True

    @staticmethod
    def made(spec: EncoderSpec, numerics: Numerics) -> PreTrainedModel:
        config = BertConfig(
            vocab_size=spec.vocab_size,
            hidden_size=spec.hidden_size,
            num_hidden_layers=spec.num_hidden_layers,
            num_attention_heads=spec.num_attention_heads,
            intermediate_size=spec.intermediate_size,
            max_position_embeddings=spec.max_position_embeddings,
            type_vocab_size=spec.type_vocab_size,
            hidden_act=numerics.hidden_act,
            layer_norm_eps=numerics.layer_norm_eps,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            # With an id, the default, that row of the token table starts at 0 and never trains.
            pad_token_id=None,
            **EAGER,
        )
        if spec.mlm_head:
            return BertForPreTraining(config) if spec.nsp_head else BertForMaskedLM(config)
        if spec.nsp_head:
            return BertForNextSentencePrediction(config)
        return BertModel(config, add_pooling_layer=spec.pooler)

    @staticmethod
    def forward(module: Any, ids: Tensor, types: Tensor, mask: Tensor) -> dict[str, Any]:
        heads = getattr(module, "cls", None)
        encoded = module.base_model(input_ids=ids, token_type_ids=types, attention_mask=mask)
        sequence, pooled, mlm, nsp = encoded.last_hidden_state, encoded.pooler_output, None, None
        if hasattr(heads, "predictions"):
            mlm = heads.predictions(sequence).softmax(-1)
        if hasattr(heads, "seq_relationship"):
            nsp = heads.seq_relationship(pooled).softmax(-1)
        return {"sequence": sequence, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class Decoder:
    @staticmethod
    def limits(spec: GPTSpec | LlamaSpec) -> Supported:
        return True

    @staticmethod
    def forward(module: Any, ids: Tensor) -> dict[str, Any]:
        sequence = module.base_model(input_ids=ids, use_cache=False).last_hidden_state
        return {"sequence": sequence, "lm": module.lm_head(sequence).softmax(-1)}


class GPT2(Decoder):
    """``GPT2LMHeadModel``, whose ``Conv1D`` stores a kernel as (in, out), q, k and v in one."""

    names = names_of("gpt").table

    @staticmethod
    def made(spec: GPTSpec, numerics: Numerics) -> GPT2LMHeadModel:
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
            **EAGER,
        )
        return GPT2LMHeadModel(config)


class Llama(Decoder):
    """``LlamaForCausalLM``. Its norms and the angles of its positions are in float32 always."""

    names = names_of("llama").table

    @staticmethod
    def limits(spec: LlamaSpec) -> Supported:
        if spec.hidden_size % spec.num_attention_heads:
            return "Hugging Face's LlamaConfig takes no heads that do not divide the hidden size"
        return True

    @staticmethod
    def made(spec: LlamaSpec, numerics: Numerics) -> LlamaForCausalLM:
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
            **EAGER,
        )
        return LlamaForCausalLM(config)
