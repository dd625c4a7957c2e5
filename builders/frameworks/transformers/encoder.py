"""BERT: ``BertModel``, or the class that has the heads of the spec.

Each combination of heads is a class of its own, and only those combinations that have one
can be built.
"""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForNextSentencePrediction,
    BertForPreTraining,
    BertModel,
    PreTrainedModel,
)

from paramproof.builders.huggingface import names_of
from paramproof.builders.protocol import Outputs
from paramproof.formulas.spec import EncoderSpec, Numerics

NAMES = names_of("encoder").table


def supports(spec: EncoderSpec) -> Literal[True] | str:
    """Return True, or the heads for which Hugging Face has no class."""
    if not spec.tie_word_embeddings:
        return (
            "Hugging Face's untied MLM head has two output biases, decoder.bias and "
            "predictions.bias, of which only the first is used"
        )
    if spec.mlm_head and spec.pooler != spec.nsp_head:
        return "Hugging Face has no BERT class with a pooler and an MLM head but no NSP head"
    return True


def made(spec: EncoderSpec, numerics: Numerics) -> PreTrainedModel:
    """Build the class that has exactly the heads of ``spec``."""
    config = _config(spec, numerics)
    if spec.mlm_head and spec.nsp_head:
        return BertForPreTraining(config)
    if spec.mlm_head:
        return BertForMaskedLM(config)
    if spec.nsp_head:
        return BertForNextSentencePrediction(config)
    return BertModel(config, add_pooling_layer=spec.pooler)


def forward(module: Any, ids: Tensor, types: Tensor, mask: Tensor) -> Outputs:
    """Run the encoder and the heads one after the other, as the model's own forward does.

    That returns the heads' scores without the sequence and the pooled output.
    """
    heads = getattr(module, "cls", None)
    encoded = module.base_model(input_ids=ids, token_type_ids=types, attention_mask=mask)
    mlm = nsp = None
    if hasattr(heads, "predictions"):
        mlm = heads.predictions(encoded.last_hidden_state).softmax(-1)
    if hasattr(heads, "seq_relationship"):
        nsp = heads.seq_relationship(encoded.pooler_output).softmax(-1)
    return Outputs(encoded.last_hidden_state, encoded.pooler_output, mlm, nsp)


def _config(spec: EncoderSpec, numerics: Numerics) -> BertConfig:
    return BertConfig(
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
        # The paper's attention written out, in Hugging Face's own code, not PyTorch's kernel.
        attn_implementation="eager",
    )
