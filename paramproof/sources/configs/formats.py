"""The formats of configurations that are read, with what each says under which key.

Sources: huggingface/transformers, ``configuration_bert.py``, ``configuration_ernie.py``,
``configuration_roberta.py``, ``configuration_gpt2.py``, ``configuration_llama.py`` and the
models beside them; google-research/bert, ``modeling.py``, BertConfig; PaddlePaddle/ERNIE,
``model/ernie.py`` (branch release/r2.0) and ``ernie/modeling_ernie.py`` (branch develop).
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files

from paramproof.formulas import FAMILIES, EncoderSpec, GPTSpec, LlamaSpec
from paramproof.sources.configs.config_format import ConfigFormat, Keys

IGNORED_KEYS = {
    name: frozenset(names)
    for name, names in tomllib.loads(
        files("paramproof.sources.configs").joinpath("ignored_keys.toml").read_text("utf-8")
    ).items()
}
HUGGING_FACE = IGNORED_KEYS["hugging_face"] | IGNORED_KEYS["generation"]

MODEL = {"pooler": True, "tie_word_embeddings": True}
"""An encoder without a head that could be tied."""

MASKED_LM = {"pooler": False, "mlm_head": True}
NEXT_SENTENCE = {**MODEL, "nsp_head": True}
PRETRAINING = {"pooler": True, "mlm_head": True, "nsp_head": True}

HEADLESS = {"tie_word_embeddings": True}
"""A decoder without a head has as many parameters as one whose head is its token table."""

NO_EXTRAS: dict[str, tuple[object, str]] = {
    "auto_map": (None, "the model's code is its own"),
    "is_encoder_decoder": (False, "it would have a decoder beside"),
    "pruned_heads": ({}, "heads would be missing"),
    "quantization_config": (None, "quantised weights are stored in other shapes"),
}
"""What any configuration of Hugging Face may ask for, and no spec describes."""

CROSS_ATTENTION: dict[str, tuple[object, str]] = {
    "add_cross_attention": (False, "each layer would have a second attention"),
    "cross_attention_hidden_size": (None, "each layer would have a second attention"),
}

EXPERTS = "there would be several feed-forward networks in a layer"
TASK_TYPES = "it would add a table of task types"

BERT = ConfigFormat(
    name="Hugging Face's BERT",
    spec=EncoderSpec,
    sizes={
        "vocab_size": ("vocab_size",),
        "hidden_size": ("hidden_size",),
        "num_hidden_layers": ("num_hidden_layers",),
        "num_attention_heads": ("num_attention_heads",),
        "intermediate_size": ("intermediate_size",),
        "max_position_embeddings": ("max_position_embeddings",),
        "type_vocab_size": ("type_vocab_size",),
    },
    architectures={
        "BertModel": MODEL,
        "BertForMaskedLM": MASKED_LM,
        "BertForNextSentencePrediction": NEXT_SENTENCE,
        "BertForPreTraining": PRETRAINING,
    },
    default="BertModel",
    tied=True,
    ignored_keys=HUGGING_FACE | IGNORED_KEYS["bert"] | IGNORED_KEYS["bert_of_hugging_face"],
    accepted_only={
        **NO_EXTRAS,
        **CROSS_ATTENTION,
        "is_decoder": (False, "it would be a decoder"),
        "position_embedding_type": ("absolute", "relative positions have tables of their own"),
    },
    must_equal={"embedding_size": "hidden_size"},
    untied="Hugging Face's untied head has two output biases, of which one is never used",
)

ERNIE = replace(
    BERT,
    name="Hugging Face's ERNIE",
    architectures={
        "ErnieModel": MODEL,
        "ErnieForMaskedLM": MASKED_LM,
        "ErnieForNextSentencePrediction": NEXT_SENTENCE,
        "ErnieForPreTraining": PRETRAINING,
    },
    default="ErnieModel",
    ignored_keys=BERT.ignored_keys | {"task_type_vocab_size"},
    accepted_only={**BERT.accepted_only, "use_task_id": (False, TASK_TYPES)},
)
"""The size of the table of task types counts only with ``use_task_id``."""

ROBERTA = replace(
    BERT,
    name="Hugging Face's RoBERTa",
    architectures={"RobertaModel": MODEL, "RobertaForMaskedLM": MASKED_LM},
    default="RobertaModel",
)
"""BERT with other names and no NSP head. Its position table begins at ``pad_token_id + 1``, so
that 514 rows serve 512 tokens. Its LM head is called ``lm_head`` and has BERT's tensors."""

UNNAMED = replace(
    BERT,
    name="BERT (Google's, Baidu's, or any without model_type)",
    sizes={**BERT.sizes, "type_vocab_size": ("type_vocab_size", "sent_type_vocab_size")},
    default_size={"intermediate_size": lambda sizes: 4 * sizes["hidden_size"]},
    accepted_only={
        **BERT.accepted_only,
        "embedding_size": (None, "without model_type it may be ALBERT or ELECTRA"),
        "use_task_id": (False, TASK_TYPES),
        "task_type_vocab_size": (None, TASK_TYPES),
    },
    must_equal={"emb_size": "hidden_size"},
)
"""Google's and Baidu's, and Hugging Face's until 2019 (BERT and RoBERTa, which count alike): the
encoder with its pooler, as the papers' fine-tuning uses it; the released checkpoints have the
heads of pre-training besides. Baidu's file has no ``intermediate_size``: its code takes four
times the hidden size. ELECTRA's has BERT's keys and an ``embedding_size``, and no pooler."""

GPT2 = ConfigFormat(
    name="Hugging Face's GPT-2",
    spec=GPTSpec,
    sizes={
        "vocab_size": ("vocab_size",),
        "hidden_size": ("n_embd", "hidden_size"),
        "num_hidden_layers": ("n_layer", "num_hidden_layers"),
        "num_attention_heads": ("n_head", "num_attention_heads"),
        "intermediate_size": ("n_inner",),
        "max_position_embeddings": ("n_positions", "max_position_embeddings", "n_ctx"),
    },
    default_size={"intermediate_size": lambda sizes: 4 * sizes["hidden_size"]},
    architectures={"GPT2LMHeadModel": {}, "GPT2Model": HEADLESS},
    default="GPT2LMHeadModel",
    tied=True,
    ignored_keys=HUGGING_FACE | IGNORED_KEYS["gpt2"],
    accepted_only={
        **NO_EXTRAS,
        **CROSS_ATTENTION,
        "afn": (None, "it would be the first GPT, which has no last norm"),
        "dff": (None, "it would be CTRL"),
        "n_special": (0, "each special token would have a row of its own"),
    },
)
"""``n_special`` is 0 in the files of the larger ones. The first port to PyTorch, called
pytorch-pretrained-bert, gave its token table so many rows more; today's reads it no more."""

LLAMA = ConfigFormat(
    name="Hugging Face's LLaMA",
    spec=LlamaSpec,
    sizes={
        "vocab_size": ("vocab_size",),
        "hidden_size": ("hidden_size",),
        "num_hidden_layers": ("num_hidden_layers",),
        "num_attention_heads": ("num_attention_heads",),
        "num_key_value_heads": ("num_key_value_heads",),
        "head_dim": ("head_dim",),
        "intermediate_size": ("intermediate_size",),
    },
    default_size={"num_key_value_heads": lambda _: None, "head_dim": lambda _: None},
    architectures={"LlamaForCausalLM": {}, "LlamaModel": HEADLESS},
    class_aliases={"LLaMAForCausalLM": "LlamaForCausalLM"},
    default="LlamaForCausalLM",
    tied=False,
    ignored_keys=HUGGING_FACE | IGNORED_KEYS["llama"],
    accepted_only={
        **NO_EXTRAS,
        **CROSS_ATTENTION,
        "attention_bias": (False, "the attention's projections would have biases"),
        "mlp_bias": (False, "the feed-forward projections would have biases"),
        "num_experts": (None, EXPERTS),
        "num_experts_per_tok": (None, EXPERTS),
        "num_local_experts": (None, EXPERTS),
    },
)
"""The spec itself knows what an absent number of key/value heads or head size is. The class was
spelt ``LLaMA…`` while transformers was getting it, and still is in files copied from then."""

BY_MODEL_TYPE = {"bert": BERT, "ernie": ERNIE, "roberta": ROBERTA, "gpt2": GPT2, "llama": LLAMA}
FORMATS = (*BY_MODEL_TYPE.values(), UNNAMED)

BY_KEY = {"n_embd": GPT2}
"""Key of a file with neither ``model_type`` nor class, as many of GPT-2 are: the format. The first
GPT and CTRL have it too, and are refused for the ``afn`` and the ``dff`` beside it."""


def config_only(config: Keys) -> bool:
    """Whether a mapping has a key that configurations have, and no spec has as a field."""
    fields = {field for family in FAMILIES.values() for field in family.field_names}
    return any(key in kind.keys and key not in fields for key in config for kind in FORMATS)
